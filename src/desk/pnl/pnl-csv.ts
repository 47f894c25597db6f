/**
 * Groups and closed trades of the PnL book as rows of a CSV file. Times in UTC, money in dollars with all
 * digits.
 */
import type { PnlRow, PnlTrade } from './pnl-methods.ts';

const FIGURES = ['realised', 'fees', 'funding', 'other', 'unrealised', 'net', 'deposits'] as const;

/** @param by kind of the groups: the name of the first column */
export function groupHead(by: string): string[] {
  return [by, ...FIGURES, 'trades'];
}

export function groupCells(row: PnlRow): (string | number)[] {
  return [row.key, ...FIGURES.map((name) => row[name]), row.trades];
}

export const TRADES_HEAD = [
  'openedAt',
  'closedAt',
  'account',
  'symbol',
  'kind',
  'side',
  'qty',
  'entry',
  'exit',
  'realised',
  'fees',
  'funding',
  'net',
  'stop',
  'r',
  'bot',
];

export function tradeCells(trade: PnlTrade): string[] {
  const { account, symbol, kind, side, qty, entry, exit, realised, fees, funding, net, stop, r, bot } = trade;
  return [
    new Date(trade.openedAt).toISOString(),
    new Date(trade.closedAt).toISOString(),
    account,
    symbol,
    kind,
    side,
    qty,
    entry,
    exit,
    realised,
    fees,
    funding,
    net,
    stop ?? '',
    r ?? '',
    bot ?? '',
  ];
}
