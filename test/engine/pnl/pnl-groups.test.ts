/** The groups of the PnL book: what is whose, where its range ends, and its bounds. */
import { expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import {
  BY_HAND,
  OF_WALLET,
  OPEN_NOW,
  OTHERS,
  PNL_ROWS_MAX,
  PNL_TRADES_MAX,
  PnlBook,
  type PnlGroup,
  UNTAGGED,
} from '../../../src/engine/pnl/pnl-book.ts';
import type { EntryOf, PnlEntry } from '../../../src/engine/pnl/wallet-book.ts';

const ONE = dec('1');

function book(by: PnlGroup, samples = [0, 100_000]): PnlBook {
  const [from = 0, to = 0] = [samples[0], samples.at(-1)];
  const tagOf = (bot: string) => (bot === 'tagged' ? 'mine' : null);
  return new PnlBook({ from, to, by, samples, unitOf: (unit, time) => `${unit} ${time}`, tagOf });
}

const entry = (more: Partial<PnlEntry> = {}): PnlEntry => ({
  time: 1,
  account: 'a',
  symbol: 'BTCUSDT',
  of: 'trade',
  bot: null,
  figures: { realised: ONE },
  ...more,
});

const trade = (closedAt: number) => ({
  account: 'a',
  symbol: 'BTCUSDT',
  kind: 'spot' as const,
  side: 'LONG' as const,
  posSide: 'BOTH' as const,
  qty: ONE,
  entry: ONE,
  exit: ONE,
  openedAt: 0,
  closedAt,
  realised: ONE,
  fees: 0n,
  funding: 0n,
  net: ONE,
  bot: null,
  rate: ONE,
});

it.each<[PnlGroup, EntryOf, string | null, string]>([
  ['bot', 'trade', 'b', 'b'],
  ['bot', 'trade', null, BY_HAND],
  ['bot', 'wallet', null, OF_WALLET],
  ['bot', 'open', null, OPEN_NOW],
  ['tag', 'trade', 'tagged', 'mine'],
  ['tag', 'trade', 'b', UNTAGGED],
  ['tag', 'trade', null, UNTAGGED],
  ['tag', 'wallet', null, OF_WALLET],
  ['tag', 'open', null, OPEN_NOW],
  ['symbol', 'wallet', 'b', 'BTCUSDT'],
  ['account', 'open', 'b', 'a'],
  ['week', 'open', 'b', 'week 1'],
])('by %s, a %s of bot %s is of %s', (by, of, bot, key) => {
  const one = book(by);
  one.entry(entry({ of, bot }));
  expect(one.rows().map((row) => row.key)).toEqual([key]);
});

it('what is beyond the most groups is of the others, together', () => {
  const one = book('symbol');
  for (let n = 0; n < PNL_ROWS_MAX + 2; n++) one.entry(entry({ symbol: `S${n}` }));
  one.entry(entry({ symbol: 'S0' }));
  const rows = one.rows();
  expect(rows).toHaveLength(PNL_ROWS_MAX + 1);
  expect(rows.filter(({ net }) => net !== '1').map(({ key, net }) => [key, net])).toEqual([
    [OTHERS, '2'],
    ['S0', '2'],
  ]);
});

it('the newest trades are kept, and all of them counted', () => {
  const one = book('symbol');
  const all = 3 * PNL_TRADES_MAX + 5;
  for (let n = 1; n <= all; n++) one.trade(trade(n));
  const kept = one.trades().map(({ closedAt }) => closedAt);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([PNL_TRADES_MAX, all, all - PNL_TRADES_MAX + 1]);
  expect([one.stats().trades, one.rows()[0]?.trades]).toEqual([all, all]);
});

it('a range has its beginning and not its end, and what was paid in is of the stretch that begins with it', () => {
  const one = book('symbol', [10, 20, 30]);
  for (const time of [9, 10, 20, 29, 30]) {
    one.entry(entry({ time, figures: { deposits: dec(`${time}`) } }));
    one.trade(trade(time));
  }
  expect([one.total().deposits, one.stats().trades]).toEqual(['59', 3]);
  expect(one.curve().map(({ deposits }) => deposits)).toEqual(['0', '10', '59']);
});
