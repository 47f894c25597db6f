/** The files of the PnL book: each figure stands under its own name, and what is not known is an empty cell. */
import { expect, it } from 'vitest';
import { groupCells, groupHead, TRADES_HEAD, tradeCells } from '../../../src/desk/pnl/pnl-csv.ts';
import type { PnlTrade } from '../../../src/desk/pnl/pnl-methods.ts';

const named = (head: readonly string[], cells: readonly (string | number)[]) =>
  head.length === cells.length ? Object.fromEntries(head.map((name, n) => [name, cells[n]])) : cells;

const TRADE: PnlTrade = {
  account: 'a-futures',
  symbol: 'BTCUSDT',
  kind: 'futures',
  side: 'SHORT',
  qty: '2',
  entry: '100',
  exit: '90',
  openedAt: Date.UTC(2026, 0, 5, 1, 2, 3, 4),
  closedAt: Date.UTC(2026, 0, 6),
  realised: '20',
  fees: '1.5',
  funding: '-0.25',
  net: '18.25',
  bot: 'b1',
  stop: '105',
  r: '1.825',
};

it('a closed trade has all that it is, its times in UTC', () => {
  expect(named(TRADES_HEAD, tradeCells(TRADE))).toEqual({
    ...TRADE,
    openedAt: '2026-01-05T01:02:03.004Z',
    closedAt: '2026-01-06T00:00:00.000Z',
  });
  const bare = { ...TRADE, bot: null, stop: null, r: null };
  expect(named(TRADES_HEAD, tradeCells(bare))).toMatchObject({ bot: '', stop: '', r: '', net: '18.25' });
});

it('a group has its figures and the number of its trades', () => {
  const figures = {
    realised: '1',
    fees: '2',
    funding: '3',
    other: '4',
    unrealised: '5',
    net: '6',
    deposits: '7',
  };
  const row = { key: '2026-11', ...figures, trades: 8 };
  expect(named(groupHead('month'), groupCells(row))).toEqual({ month: '2026-11', ...figures, trades: 8 });
});
