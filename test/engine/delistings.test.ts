/** When the announced end of a symbol is told, how often, and to whom. */
import { expect, it } from 'vitest';
import { Bench } from './support/bench.ts';
import { BTC, ETH, SPOT } from './support/market.ts';

const DAY_MS = 86_400_000;
const WORDS =
  'BTCUSDT is traded on paper-spot until 2026-01-07 00:00 UTC only: close or move what is there before';

/** Symbols whose end this wake tells to bots, and the lines of the log. */
function told(bench: Bench) {
  const lines: string[] = [];
  const symbols: string[] = [];
  for (const effect of bench.wake()) {
    if (effect.kind === 'ends') symbols.push(effect.symbol);
    if (effect.kind === 'log') lines.push(effect.text);
  }
  return { symbols, lines };
}

/** An account on which BTCUSDT ends two days after the start. */
function ending(balances = [{ asset: 'USDT', free: '100000', locked: '0' }]) {
  const bench = new Bench({ balances });
  const instruments = [{ ...BTC, endsAt: bench.wall + 2 * DAY_MS }, ETH];
  bench.event({ type: 'instruments', exchange: SPOT, instruments });
  return { bench, instruments };
}

it('the end of a symbol is told a day ahead, not a moment before, once, and again where it is moved', () => {
  const { bench, instruments } = ending();
  bench.pass(DAY_MS - 1);
  expect(told(bench).symbols).toEqual([]);
  bench.pass(1);
  expect([told(bench).symbols, told(bench).symbols]).toEqual([['BTCUSDT'], []]);
  const moved = instruments.map((one) =>
    one.symbol === 'BTCUSDT' ? { ...one, endsAt: bench.wall + 1 } : one,
  );
  bench.event({ type: 'instruments', exchange: SPOT, instruments: moved });
  expect([told(bench).symbols, told(bench).symbols]).toEqual([['BTCUSDT'], []]);
});

it.each<[string, (bench: Bench) => unknown, boolean]>([
  ['nothing is there', () => {}, false],
  ['an order is open', (bench) => bench.resting({ quantity: '0.1' }), true],
  [
    'an order of another symbol is open',
    (bench) => bench.resting({ symbol: 'ETHUSDT', quantity: '0.1' }),
    false,
  ],
  ['an order has ended', (bench) => bench.cancelDone(bench.resting({ quantity: '0.1' })), false],
])('the log names it where something is there: %s', (_name, make, isNamed) => {
  const { bench } = ending();
  make(bench);
  bench.pass(DAY_MS);
  expect(told(bench)).toEqual({ symbols: ['BTCUSDT'], lines: isNamed ? [WORDS] : [] });
});

it('the log names a coin that is held, free or locked', () => {
  for (const [free, locked] of [
    ['1', '0'],
    ['0', '1'],
  ] as const) {
    const { bench } = ending([{ asset: 'BTC', free, locked }]);
    bench.pass(DAY_MS);
    expect(told(bench).lines).toEqual([WORDS]);
  }
});

it('nothing is told of an account that was disconnected', () => {
  const { bench } = ending([{ asset: 'BTC', free: '1', locked: '0' }]);
  bench.event({ type: 'left', exchange: SPOT, why: 'it was disconnected' });
  bench.pass(DAY_MS);
  expect(told(bench)).toEqual({ symbols: [], lines: [] });
});
