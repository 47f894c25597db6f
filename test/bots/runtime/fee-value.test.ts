/**
 * Fees in a third asset: they cost a run their worth at present prices, and reduce none of the coins that it
 * has bought.
 */
import { describe, expect, it } from 'vitest';
import { LotBook, newLotState } from '../../../src/bots/run/lots.ts';
import { feeInQuote } from '../../../src/bots/runtime/fee-value.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { EngineMemory } from '../../../src/engine/memory.ts';
import { ACCOUNT, BTC, CAPS } from '../../engine/support/market.ts';
import { rules } from '../backtest/support.ts';

function account() {
  const memory = new EngineMemory();
  memory.addAccount(ACCOUNT, CAPS, [BTC, { ...BTC, symbol: 'BTCEUR', quote: 'EUR' }]);
  const known = memory.account(ACCOUNT.id);
  known.market.prices.set('BNBUSDT', dec('600'));
  known.market.prices.set('EURUSDT', dec('1.2'));
  return known;
}
const worth = (comm: string, commAsset: string, symbol = 'BTCUSDT') =>
  str(feeInQuote(account(), { symbol, price: '50000', comm, commAsset }));

describe('a fee is worth', () => {
  it.each([
    ['itself in the asset that is paid with', '2.5', 'USDT', 'BTCUSDT', '2.5'],
    ['its price in what is traded', '0.001', 'BTC', 'BTCUSDT', '50'],
    ['its price of now in a third asset', '0.01', 'BNB', 'BTCUSDT', '6'],
    ['the same of another quote asset, over dollars', '0.01', 'BNB', 'BTCEUR', '5'],
    ['less than nothing where it is a rebate', '-0.01', 'BNB', 'BTCUSDT', '-6'],
    ['nothing where no price says it', '3', 'MNT', 'BTCUSDT', '0'],
    ['nothing where there is none and nobody says of what', '0', '', 'BTCUSDT', '0'],
  ])('%s', (_, comm, asset, symbol, expected) => {
    expect(worth(comm, asset, symbol)).toBe(expected);
  });
});

describe('a run whose exchange takes its fees in a third asset', () => {
  const fill = (qty: string, price: string, fee: string, feeQuote: string) => ({
    price: dec(price),
    qty: dec(qty),
    fee: dec(fee),
    feeAsset: 'BNB',
    feeQuote: dec(feeQuote),
    maker: false,
  });

  it('counts their worth among its fees and its profit, and holds all that it has bought', () => {
    const lots = new LotBook(newLotState(), rules({ step: dec('0.01') }), false);
    lots.buy('a', 'a', fill('2', '100', '0.01', '6'), dec('2'), 0);
    expect(str(lots.total())).toBe('2');
    lots.sell(['a'], fill('2', '110', '0.02', '12'));
    expect([str(lots.state.fees), str(lots.state.realised)]).toEqual(['18', '2']);
  });

  it('counts a part of a fill with that part of the fee', () => {
    const lots = new LotBook(newLotState(), rules({ step: dec('0.01') }), false);
    lots.buy('a', 'a', fill('2', '100', '0.01', '6'), dec('0.5'), 0);
    expect(str(lots.state.fees)).toBe('1.5');
  });

  it('gains by a rebate', () => {
    const lots = new LotBook(newLotState(), rules({ step: dec('0.01') }), false);
    lots.buy('a', 'a', fill('2', '100', '-0.01', '-6'), dec('2'), 0);
    lots.sell(['a'], fill('2', '100', '-0.01', '-6'));
    expect([str(lots.state.fees), str(lots.state.realised)]).toEqual(['-12', '12']);
  });
});
