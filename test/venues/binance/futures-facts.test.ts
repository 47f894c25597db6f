/** The known positions of a futures account: answers of replicas that lag do not undo later events. */
import { expect, it } from 'vitest';
import { AccountFacts } from '../../../src/venues/binance/futures/account-facts.ts';
import type { FuturesPosition, PositionRow } from '../../../src/venues/binance/futures/messages.ts';

const BTC = 'BTCUSDT';
const AT = Date.UTC(2026, 10, 25);

function facts() {
  const known = new AccountFacts();
  const told = (amount: string, time: number, side = 'BOTH') =>
    known.position(
      { s: BTC, ps: side, pa: amount, ep: '100', bep: '100', up: '0', mt: 'cross', iw: '0' } as PositionRow,
      time,
    );
  const row = (positionAmt: string, updateTime: number) =>
    ({
      symbol: BTC,
      positionSide: 'BOTH',
      positionAmt,
      entryPrice: '100',
      breakEvenPrice: '100',
      markPrice: '110',
      unRealizedProfit: '10',
      isolatedWallet: '0',
      liquidationPrice: '0',
      maintMargin: '1',
      notional: '110',
      updateTime,
    }) as FuturesPosition;
  const closes = () => (['BUY', 'SELL'] as const).filter((side) => known.hasToReduce(BTC, side, 'BOTH'));
  return { known, told, row, closes };
}

it('a position that an event has told is there until an answer from five seconds later does not have it', () => {
  const { known, told, closes } = facts();
  told('1', AT);
  for (const asOf of [AT - 1, AT, AT + 4_999]) {
    known.allPositions([], asOf);
    expect(closes()).toEqual(['SELL']);
  }
  known.allPositions([], AT + 5_000);
  expect(closes()).toEqual([]);
});

it('of event and answer the newer counts, and what it has realised goes on', () => {
  const { known, told, row, closes } = facts();
  told('1', AT);
  known.realized(BTC, 'BOTH', '7');
  known.allPositions([row('-1', AT - 1)], AT);
  expect(closes()).toEqual(['SELL']);
  expect(known.allPositions([row('-1', AT)], AT)).toMatchObject([{ amount: '-1', realizedPnl: '7' }]);
  expect(closes()).toEqual(['BUY']);
  expect(told('-2', AT + 1)).toMatchObject({ amount: '-2', realizedPnl: '7', markPrice: '100' });
  told('0', AT + 2);
  expect(closes()).toEqual([]);
});

it('what a position has realised goes on however late it is asked about, as long as it is there', () => {
  const { known, told, row } = facts();
  told('2', AT);
  known.realized(BTC, 'BOTH', '7');
  for (const asOf of [AT + 5_000, AT + 60_000])
    expect(known.allPositions([row('1', AT)], asOf)).toMatchObject([{ amount: '1', realizedPnl: '7' }]);
  known.allPositions([], AT + 120_000);
  expect(known.allPositions([row('1', AT)], AT + 180_000)).toMatchObject([{ realizedPnl: '0' }]);
});

it('in hedge mode each side is reduced by its own orders', () => {
  const { known, told } = facts();
  told('-1', AT, 'SHORT');
  const can = (side: 'BUY' | 'SELL', of: 'LONG' | 'SHORT') => known.hasToReduce(BTC, side, of);
  expect([can('BUY', 'SHORT'), can('SELL', 'SHORT'), can('SELL', 'LONG')]).toEqual([true, false, false]);
});

it('an order closes all of a position from its very size on', () => {
  for (const [amount, closing, opening] of [
    ['2', 'SELL', 'BUY'],
    ['-2', 'BUY', 'SELL'],
  ] as const) {
    const { known, told } = facts();
    told(amount, AT);
    expect(['1.999', '2', '3'].map((quantity) => known.closesAll(BTC, closing, quantity))).toEqual([
      false,
      true,
      true,
    ]);
    expect(known.closesAll(BTC, opening, '3')).toBe(false);
  }
});

it('an event tells the margin type and the isolated wallet, and the settings the leverage, of both sides in hedge mode', () => {
  const { known, told } = facts();
  known.hedge = false;
  known.setConfigs([{ symbol: BTC, leverage: 7, marginType: 'CROSSED' }]);
  known.position(
    { s: BTC, ps: 'BOTH', pa: '1', ep: '100', up: '5', mt: 'isolated', iw: '12' } as PositionRow,
    AT,
  );
  const info = { symbol: BTC, leverage: 7, marginType: 'ISOLATED', realizedPnl: '0' };
  expect(known.leverage([BTC, 'ETHUSDT'])).toEqual([{ ...info, side: 'BOTH' }]);
  known.setConfig(BTC, { leverage: 9 });
  known.hedge = true;
  const both = (['LONG', 'SHORT'] as const).map((side) => ({ ...info, leverage: 9, side }));
  expect(known.leverage([BTC])).toEqual(both);
  const isolated = { pa: '2', ep: '100', up: '6', mt: 'isolated', iw: '12' };
  expect(known.position({ s: BTC, ps: 'BOTH', ...isolated } as PositionRow, AT + 1)).toMatchObject({
    ...{ leverage: 9, marginType: 'ISOLATED', isolatedWallet: '12', markPrice: '103' },
  });
  expect(told('1', AT + 2)).toMatchObject({ leverage: 9, marginType: 'CROSSED', isolatedWallet: '0' });
});

it('a position is of the tier in which its notional is, from the very floor on', () => {
  const { known, row } = facts();
  const tier = (notionalFloor: string, maintenanceMarginRate: string) => ({
    ...{ initialLeverage: 10, notionalCap: '1000000', cumulative: '0', notionalFloor, maintenanceMarginRate },
  });
  known.setBrackets(new Map([[BTC, [tier('0', '0.01'), tier('110', '0.02'), tier('500', '0.03')]]]));
  for (const [notional, maintenanceMarginRate] of [
    ['109.99', '0.01'],
    ['110', '0.02'],
    ['-110', '0.02'],
    ['500', '0.03'],
  ])
    expect(known.allPositions([{ ...row('1', AT), notional } as FuturesPosition], AT)).toMatchObject([
      { maintenanceMarginRate },
    ]);
});

it('the leverage of a symbol comes with what each of its sides has realised', () => {
  const { known, told } = facts();
  known.setConfigs([
    { symbol: BTC, leverage: 7, marginType: 'CROSSED' },
    { symbol: 'ETHUSDT', leverage: 8, marginType: 'isolated' },
  ]);
  told('1', AT, 'LONG');
  told('-2', AT, 'SHORT');
  known.realized(BTC, 'LONG', '5');
  known.realized(BTC, 'SHORT', '-3');
  known.realized('ETHUSDT', 'LONG', '4');
  known.hedge = true;
  expect(
    known.leverage([BTC, 'ETHUSDT']).map((one) => `${one.symbol} ${one.side} ${one.realizedPnl}`),
  ).toEqual([...['BTCUSDT LONG 5', 'BTCUSDT SHORT -3', 'ETHUSDT LONG 0', 'ETHUSDT SHORT 0']]);
  expect(known.config('ETHUSDT')).toEqual({ leverage: 8, marginType: 'ISOLATED' });
  expect(known.config('NOSUCH')).toBeUndefined();
});

it('the tier of a position in an event is that of its value by the mark then, of either side', () => {
  const { known } = facts();
  const tier = (notionalFloor: string, maintenanceMarginRate: string) => ({
    ...{ initialLeverage: 10, notionalCap: '1000000', cumulative: '0', notionalFloor, maintenanceMarginRate },
  });
  known.setBrackets(new Map([[BTC, [tier('0', '0.01'), tier('210', '0.02')]]]));
  const rate = (pa: string, up: string) =>
    known.position({ s: BTC, ps: 'BOTH', pa, ep: '100', up, mt: 'cross', iw: '0' } as PositionRow, AT)
      .maintenanceMarginRate;
  // Two of 104, of 105, and two short ones of 105 and 104.
  expect([rate('2', '8'), rate('2', '10'), rate('-2', '-10'), rate('-2', '-8')]).toEqual([
    ...['0.01', '0.02', '0.02', '0.01'],
  ]);
  expect([rate('0', '0'), known.brackets('ETHUSDT')]).toEqual(['0.01', []]);
});
