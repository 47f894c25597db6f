/** The result of a backtest as text: figures, equity curve, assumptions. Text from outside is cleaned. */

import type { BacktestFigures, BacktestResult } from '../bots/backtest/result.ts';
import { MAX_NOTICES } from '../bots/backtest/session.ts';
import { wordsOf } from '../bots/types/index.ts';
import { clean } from '../console/ui/clean.ts';
import {
  amount,
  dateTime,
  exact,
  group,
  MISSING,
  percent,
  read,
  signed,
  timeOfDay,
} from '../console/ui/format.ts';
import { toAscii } from '../console/ui/glyphs.ts';
import { ZERO } from '../domain/decimal.ts';
import { frameName } from '../market/timeframe.ts';
import { lineChart } from './chart.ts';

export interface ReportOptions {
  /** Width of a line, in cells. */
  readonly width: number;
  readonly ascii: boolean;
  /** Where the filters come from, as a sentence. */
  readonly filters: string;
}

const CHART_ROWS = 8;
const MAX_LINES = 12;
const LABEL = 16;
const VALUE = 22;

export function reportOf(result: BacktestResult, options: ReportOptions): string {
  const alerts = !wordsOf(result.bot.type).trades;
  const blocks = [
    headOf(result),
    alerts ? alertsOf(result) : figuresOf(result.figures),
    ...(alerts ? [] : [equityOf(result, options)]),
    noticesOf(result),
    ['Assumed:', ...[...result.assumptions, options.filters].flatMap((text) => wrapped(text, options.width))],
  ];
  const lines = blocks.filter((block) => block.length > 0).flatMap((block) => [...block, '']);
  const text = `${lines.slice(0, -1).join('\n')}\n`;
  return options.ascii ? text.split('\n').map(toAscii).join('\n') : text;
}

function headOf({ bot, candles, runs, warnings }: BacktestResult): string[] {
  const last = runs.at(-1);
  const what = bot.symbol === '' ? 'all symbols' : bot.symbol;
  const ended =
    last?.endedAt == null
      ? `went on at the end (${last?.state ?? 'not started'})`
      : `ended ${dateTime(last.endedAt)}: ${last.reason}${last.error === null ? '' : `, ${last.error}`}`;
  const starts = runs.length > 1 ? `, ${runs.length} runs` : '';
  return [
    clean(
      `${bot.type} on ${what} (${bot.exchange}), ${group(String(candles.count))} candles of ${frameName(candles.frameMs)}`,
    ),
    clean(`${dateTime(candles.from)} to ${dateTime(candles.to)} UTC${starts}; the bot ${ended}`),
    ...(warnings === '' ? [] : [clean(`Warning: ${warnings}`)]),
  ];
}

function figuresOf(f: BacktestFigures): string[] {
  const money = (text: string) => `${amount(text, 2)} ${f.asset}`;
  const change = (text: string) => `${signed(read(text) ?? ZERO, 2)} ${f.asset}`;
  const rate = (text: string | null) => percent(read(text));
  const share = (text: string | null) => (text === null ? MISSING : `${amount(text, 2)} %`);
  const roi = f.annualised === null ? rate(f.roi) : `${rate(f.roi)} (${rate(f.annualised)} a year)`;
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['Deposit', money(f.budget), 'ROI', roi],
    ['Realised', change(f.realised), 'Buy and hold', rate(f.buyAndHold)],
    ['Unrealised', change(f.unrealised), 'Max drawdown', share(f.maxDrawdown)],
    ['Fees', money(f.fees), 'Time in market', share(f.timeInMarket)],
    [
      'Traded',
      money(f.volume),
      'Profit factor',
      f.profitFactor === null ? MISSING : amount(f.profitFactor, 2),
    ],
    [
      'Fills',
      group(String(f.fills)),
      'Cycles',
      f.cycles === 0 ? '0' : `${group(String(f.cycles))} (${share(f.winRate)} won)`,
    ],
    ...(f.position === '0' ? [] : [['Still held', exact(f.position), '', ''] as const]),
    ...(f.unfilled === '0' ? [] : [['Not traded', exact(f.unfilled), '', ''] as const]),
  ];
  return rows.map(([a, b, c, d]) =>
    `${a.padEnd(LABEL)}${b.padStart(VALUE)}    ${c.padEnd(LABEL)}${d}`.trimEnd(),
  );
}

function equityOf({ equity, figures }: BacktestResult, { width, ascii }: ReportOptions): string[] {
  const values = equity.map((point) => Number(point.equity));
  if (figures.fills === 0 || values.length < 2) return [];
  const labels = [Math.max(...values), Math.min(...values)].map((value) => amount(value.toFixed(2), 2));
  const margin = Math.max(...labels.map((label) => label.length)) + 1;
  const chart = lineChart(values, { width: Math.max(20, width - margin - 2), height: CHART_ROWS, ascii });
  const bar = ascii ? '|' : '│';
  const rows = chart.map((row, i) => {
    const label = i === 0 ? labels[0] : i === CHART_ROWS - 1 ? labels[1] : '';
    return `${(label ?? '').padStart(margin)} ${bar}${row}`;
  });
  const from = dateTime(equity[0]?.time ?? 0);
  const to = dateTime(equity.at(-1)?.time ?? 0);
  const gap = Math.max(2, width - margin - 2 - from.length - to.length);
  return [`Equity, ${figures.asset}`, ...rows, `${' '.repeat(margin + 2)}${from}${' '.repeat(gap)}${to}`];
}

function alertsOf({ alerts, figures }: BacktestResult): string[] {
  const skipped =
    figures.skipped === 0 ? '' : `; ${group(String(figures.skipped))} times a symbol had no candle`;
  const head = `${group(String(alerts.length))} ${alerts.length === 1 ? 'alert' : 'alerts'}${skipped}`;
  const rows = alerts
    .slice(0, MAX_LINES)
    .map(({ at, symbol, condition, message }) => clean(`${second(at)}  ${symbol}  ${condition}  ${message}`));
  return [head, ...rows, ...more(alerts.length, 'alerts')];
}

function noticesOf({ notices }: BacktestResult): string[] {
  if (notices.length === 0) return [];
  const rows = notices.slice(0, MAX_LINES).map(({ at, text }) => clean(`${second(at)}  ${text}`));
  const least = notices.length === MAX_NOTICES ? `${MAX_NOTICES} notices or more` : 'Notices';
  return [`${least}:`, ...rows, ...more(notices.length, 'notices')];
}

function more(count: number, what: string): string[] {
  return count > MAX_LINES
    ? [`... and ${group(String(count - MAX_LINES))} more ${what}; --json has them all`]
    : [];
}

function second(at: number): string {
  return `${dateTime(at).slice(0, 10)} ${timeOfDay(at)}`;
}

/** Wraps a sentence as an entry of a list. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '-';
  for (const word of clean(text).split(' ')) {
    if (line.length + word.length >= width && line.trim() !== '-') {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
