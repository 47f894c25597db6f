/**
 * Which ended orders are attributed to the exchange's dead-man switch, by the times of its countdowns: the
 * current one, and an earlier one that lapsed.
 */
import { expect, it } from 'vitest';
import { endedBySwitch, entrySymbols } from '../../src/engine/dead-man.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, ETH, OPERATOR } from './support/market.ts';

const SECOND = 1_000;

function counting() {
  const bench = new Bench();
  const order = bench.resting();
  const from = bench.wall;
  const renewed = (afterS: number | null, seconds = 10) =>
    bench.event({
      type: 'countdown',
      exchange: bench.exchange,
      symbol: order.symbol,
      countdown: afterS === null ? null : { at: from + afterS * SECOND, seconds },
    });
  /** Times, in seconds after the first renewal, at which an ended order is attributed to the switch. */
  const ended = (...times: readonly number[]) =>
    times.filter((s) => endedBySwitch(bench.engine.memory, order, from + s * SECOND) !== null);
  return { bench, order, renewed, ended };
}

it('an end is its from when the countdown is over, by clocks that may differ by two seconds', () => {
  const { renewed, ended } = counting();
  expect(ended(0, 100)).toEqual([]);
  renewed(0);
  expect(ended(0, 7.9, 8, 12)).toEqual([8, 12]);
  renewed(5);
  expect(ended(8, 12.9, 13)).toEqual([13]);
});

it('what it ended while it was not renewed is its own, however often it was renewed or taken back since', () => {
  const { renewed, ended } = counting();
  const ends = [7.9, 8, 15, 17, 17.1, 24];
  renewed(0);
  renewed(15);
  for (const again of [17, 20, null, 22]) {
    renewed(again);
    expect(ended(...ends)).toEqual([8, 15, 17]);
  }
});

it('a renewal at the very end of a countdown comes too late; one before it does not', () => {
  const late = counting();
  late.renewed(0);
  late.renewed(10);
  expect(late.ended(7, 9, 10, 12, 12.1)).toEqual([9, 10, 12]);
  const inTime = counting();
  inTime.renewed(0);
  inTime.renewed(9.999);
  expect(inTime.ended(7, 9, 10, 12, 12.1)).toEqual([]);
});

it('what ends by itself, was asked to end, or is of others is none of its', () => {
  const { bench, order, renewed, ended } = counting();
  renewed(0);
  const at = bench.wall + 60 * SECOND;
  const own = (change: object) => endedBySwitch(bench.engine.memory, { ...order, ...change }, at) !== null;
  expect(ended(60)).toEqual([60]);
  expect(own({ timeInForce: 'GTD', goodTillDate: at + 1 })).toBe(true);
  for (const change of [
    { timeInForce: 'IOC' },
    { timeInForce: 'FOK' },
    { timeInForce: 'GTD', goodTillDate: at },
    { external: true },
    { type: 'MARKET' },
    { cancel: { state: 'sent' } },
  ])
    expect(own(change)).toBe(false);
});

it('one that is taken back only after it was over may have ended what ended until then, one in time nothing', () => {
  const late = counting();
  late.renewed(0);
  late.bench.wall += 15 * SECOND;
  late.renewed(null);
  expect(late.ended(7.9, 8, 15, 17, 17.1)).toEqual([8, 15, 17]);
  const inTime = counting();
  inTime.renewed(0);
  inTime.bench.wall += 9_999;
  inTime.renewed(null);
  expect(inTime.ended(7.9, 8, 10, 15)).toEqual([]);
});

it('a countdown of the whole account counts for every symbol that has none of its own', () => {
  const { bench, order, renewed, ended } = counting();
  const at = bench.wall;
  bench.event({
    type: 'countdown',
    exchange: bench.exchange,
    symbol: '',
    countdown: { at, seconds: 30 },
  });
  const other = bench.resting({ symbol: 'ETHUSDT' });
  const ends = (s: number) => endedBySwitch(bench.engine.memory, other, at + s * SECOND) !== null;
  expect([ended(27.9, 28), ends(27.9), ends(28)]).toEqual([[28], false, true]);
  renewed(0);
  expect([order.symbol, ended(7.9, 8), ends(27.9), ends(28)]).toEqual(['BTCUSDT', [8], false, true]);
});

/** A switch for two symbols at a time, of 5 to 60 seconds. */
function switched() {
  const symbols = ['SOLUSDT', 'XRPUSDT'].map((symbol) => ({ ...BTC, symbol, base: symbol.slice(0, 3) }));
  const deadMan = {
    form: 'symbol',
    mostSymbols: 2,
    leastSeconds: 5,
    mostSeconds: 60,
    source: 'a test',
  } as const;
  const other = { ...ACCOUNT, id: 'paper-other' };
  const bench = new Bench({ instruments: [BTC, ETH, ...symbols], caps: { deadMan }, more: [other] });
  const changed = [{ asset: 'USDT', free: '9000000', locked: '0' }];
  bench.event({ type: 'venue.balances', exchange: other.id, changed, all: true });
  const set = (deadManSeconds: number | null) =>
    bench
      .ask({ type: 'guards', exchange: bench.exchange, change: { deadManSeconds } }, { actor: OPERATOR })
      .reply();
  const covered = () => [...entrySymbols(bench.engine.memory, bench.engine.memory.account(bench.exchange))];
  return { bench, other: other.id, set, covered };
}

it('it covers the symbols of open entries alone: those of this account, at the exchange, and not executing at once', () => {
  const { bench, other, covered } = switched();
  const entry = bench.resting();
  bench.resting({ symbol: 'ETHUSDT', exchange: other });
  bench.resting({ symbol: 'ETHUSDT', side: 'SELL', price: '9000', quantity: '0.002' });
  bench.place({ symbol: 'ETHUSDT', type: 'STOP_MARKET', stopPrice: '9000', quantity: '1' });
  bench.tick('8000', 'ETHUSDT');
  bench.place({ symbol: 'ETHUSDT', type: 'MARKET', quantity: '1' });
  expect(covered()).toEqual(['BTCUSDT']);
  const { order } = bench.place({ symbol: 'SOLUSDT', price: '100', quantity: '1' });
  expect(covered()).toEqual(['BTCUSDT', 'SOLUSDT']);
  bench.lost(order);
  bench.stream(bench.state(entry, { status: 'CANCELLED' }));
  expect(covered()).toEqual(['SOLUSDT']);
});

it('it takes no entry of a symbol beyond as many as it holds, more of those it has, and closes of any', () => {
  const { bench, set } = switched();
  expect(set(10).status).toBe(200);
  const outcome = (symbol: string, side: 'BUY' | 'SELL' = 'BUY') => {
    const { token, order } = bench.place({ symbol, side, price: '100', quantity: '1' });
    if (bench.isAnswered(token)) return bench.reply(token).reason;
    bench.accepted(order);
    return 'sent';
  };
  expect(outcome('SOLUSDT')).toBe('sent');
  expect(outcome('ETHUSDT')).toBe('sent');
  expect(outcome('XRPUSDT')).toBe('GUARD_DEAD_MAN');
  expect(outcome('SOLUSDT')).toBe('sent');
  const coins = [{ asset: 'XRP', free: '9', locked: '0' }];
  bench.event({ type: 'venue.balances', exchange: bench.exchange, changed: coins });
  expect(outcome('XRPUSDT', 'SELL')).toBe('sent');
  expect(set(null).status).toBe(200);
  expect(outcome('XRPUSDT')).toBe('sent');
  expect(set(10)).toMatchObject({
    status: 400,
    message: expect.stringContaining('3 symbols have open entries'),
  });
  for (const order of bench.engine.memory.orders.values())
    if (order.symbol === 'XRPUSDT') bench.stream(bench.state(order, { status: 'CANCELLED' }));
  expect(set(10).status).toBe(200);
});

it.each([
  [4, 400],
  [5, 200],
  [60, 200],
  [61, 400],
])('of %d seconds: %d', (seconds, status) => {
  expect(switched().set(seconds).status).toBe(status);
});
