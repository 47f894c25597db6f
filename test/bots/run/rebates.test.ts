/** A fill for which the exchange pays (a maker rebate): its fee is below zero and earns. */
import { expect, it } from 'vitest';
import { LotBook, newLotState } from '../../../src/bots/run/lots.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { world } from '../settings/support.ts';

const rules = world().instrument('paper-spot', 'BTCUSDT');

it.each([
  ['USDT', '-0.1', { held: '1', realised: '20.2', fees: '-0.2' }],
  ['BTC', '-0.001', { held: '1.001', realised: '20.219900099900099900099900099901', fees: '-0.22' }],
])('counts a rebate in %s for the run', (feeAsset, fee, { held, realised, fees }) => {
  if (!rules) throw new Error('BTCUSDT is not traded');
  const lots = new LotBook(newLotState(), rules, false);
  const fill = { qty: dec('1'), fee: dec(fee), feeAsset, maker: true };
  lots.buy('1', 'level', { ...fill, price: dec('100') }, dec('1'), 0);
  expect(str(lots.total())).toBe(held);
  lots.sell(['1'], { ...fill, price: dec('120') });
  expect([str(lots.state.realised), str(lots.state.fees)]).toEqual([realised, fees]);
});
