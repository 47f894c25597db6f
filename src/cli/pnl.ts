/** `outcry pnl`: the results of trading, from the data folder's running desk, as a table, JSON or CSV. */
import { writeFileSync } from 'node:fs';
import {
  average,
  cost,
  factor,
  multiple,
  quantity,
  remarksOf,
  share,
  usd,
} from '../console/pnl/pnl-words.ts';
import { clean } from '../console/ui/clean.ts';
import { amount, dateTime, span } from '../console/ui/format.ts';
import { groupCells, groupHead, TRADES_HEAD, tradeCells } from '../desk/pnl/pnl-csv.ts';
import type { PnlRow, PnlTrade, PnlView } from '../desk/pnl/pnl-methods.ts';
import { csvLine } from '../domain/csv.ts';
import type { PnlGroup } from '../engine/pnl/pnl-book.ts';
import { jsonLine } from './json-line.ts';
import { granted, onDesk, processShell, type Shell } from './light-desk.ts';
import { EXIT_OK } from './usage-error.ts';

export interface PnlSettings {
  readonly dataDir?: string;
  readonly since?: number;
  readonly until?: number;
  readonly days?: number;
  readonly by?: PnlGroup;
  readonly account?: string;
  readonly trades?: boolean;
  readonly json?: boolean;
  readonly csv?: string;
}

export async function pnl(settings: PnlSettings, shell: Shell = processShell()): Promise<number> {
  const { since, until, days, by = 'day', account, trades = false, json = false, csv } = settings;
  return onDesk(shell, settings.dataDir, async (desk) => {
    const asked = {
      by,
      ...(since === undefined ? {} : { from: since }),
      ...(until === undefined ? {} : { to: until }),
      ...(days === undefined ? {} : { days }),
      ...(account === undefined ? {} : { exchange: account }),
    };
    const view = granted(await desk.call('pnl.read', asked));
    if (csv !== undefined) writeFileSync(csv, csvOf(view, trades), { mode: 0o600 });
    if (json) shell.out(`${jsonLine(view)}\n`);
    else if (csv === undefined) shell.out(trades ? tradeTable(view) : groupTable(view));
    for (const line of remarks(view, trades)) shell.err(`${clean(line)}\n`);
    return EXIT_OK;
  });
}

function csvOf({ by, rows, trades }: PnlView, ofTrades: boolean): string {
  const lines = ofTrades
    ? [TRADES_HEAD, ...trades.map(tradeCells)]
    : [groupHead(by), ...rows.map(groupCells)];
  return lines.map(csvLine).join('');
}

/** What a reader must know about the figures. */
function remarks(view: PnlView, ofTrades: boolean): string[] {
  const { stats, trades } = view;
  return [
    ...remarksOf(view),
    ...(ofTrades && stats.trades > trades.length
      ? [
          `the newest ${trades.length} of ${stats.trades} closed trades; the console writes all of them to a file`,
        ]
      : []),
  ];
}

function groupTable({ by, rows, total, stats, curve }: PnlView): string {
  const cells = (name: string, row: Omit<PnlRow, 'key' | 'trades'>, trades: number) => [
    clean(name),
    usd(row.realised),
    cost(row.fees),
    usd(row.funding),
    usd(row.other),
    usd(row.unrealised),
    usd(row.net),
    usd(row.deposits),
    String(trades),
  ];
  const head = [by, 'realised', 'fees', 'funding', 'other', 'open', 'net', 'deposits', 'trades'];
  const table = tableOf([
    head,
    ...rows.map((row) => cells(row.key, row, row.trades)),
    cells('total', total, stats.trades),
  ]);
  const [first, last] = [curve[0], curve.at(-1)];
  const change = `equity ${amount(first?.equity, 2)} -> ${amount(last?.equity, 2)}, in USD`;
  const { winRate, profitFactor } = stats;
  return `${table}${change}\nclosed trades ${stats.trades}, won ${share(winRate)}, profit factor ${factor(profitFactor)}\n`;
}

function tradeTable({ trades }: PnlView): string {
  if (trades.length === 0) return 'no trade was closed in that time\n';
  const head = ['closed', 'account', 'symbol', 'side', 'qty', 'entry', 'exit', 'net', 'R', 'held'];
  return tableOf([
    head,
    ...trades.map((trade: PnlTrade) => [
      dateTime(trade.closedAt),
      clean(trade.account),
      clean(trade.symbol),
      trade.side,
      quantity(trade.qty),
      average(trade.entry),
      average(trade.exit),
      usd(trade.net),
      multiple(trade.r),
      span(trade.closedAt - trade.openedAt),
    ]),
  ]);
}

/** Aligns the first column to the left, the others to the right. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return `${rows.map(line).join('\n')}\n`;
}
