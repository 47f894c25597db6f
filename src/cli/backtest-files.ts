/** The files that a backtest can write: trades or alerts as CSV, a self-contained equity picture. Pure. */
import type { BacktestResult } from '../bots/backtest/result.ts';
import { wordsOf } from '../bots/types/index.ts';
import { csvLine } from '../domain/csv.ts';

const TRADE_COLUMNS = [
  'time',
  'timestamp',
  'side',
  'price',
  'qty',
  'quote',
  'fee',
  'feeAsset',
  'maker',
  'role',
  'label',
  'realised',
];
const ALERT_COLUMNS = ['time', 'timestamp', 'symbol', 'condition', 'price', 'message'];

/** Writes a row per trade; for a bot without trades, a row per alert. Lines end with CR LF (RFC 4180). */
export function csvOf({ bot, trades, alerts }: BacktestResult): string {
  const tells = !wordsOf(bot.type).trades;
  const rows = tells
    ? alerts.map((a) => [iso(a.at), a.at, a.symbol, a.condition, a.price ?? '', a.message])
    : trades.map((t) => [
        iso(t.at),
        t.at,
        t.side,
        t.price,
        t.qty,
        t.quote,
        t.fee,
        t.feeAsset,
        t.maker,
        t.role,
        t.label,
        t.realised,
      ]);
  return [tells ? ALERT_COLUMNS : TRADE_COLUMNS, ...rows].map(csvLine).join('');
}

const WIDTH = 960;
const EQUITY = { top: 70, height: 300 } as const;
const DRAWDOWN = { top: 410, height: 90 } as const;
const LEFT = 90;
const RIGHT = 20;
const HEIGHT = 540;

/** Draws the equity above, and below it the drawdown in percent of the best equity so far. */
export function svgOf({ bot, equity, figures, candles }: BacktestResult): string {
  const times = equity.map(({ time }) => time);
  const from = times[0] ?? candles.from;
  const to = times.at(-1) ?? candles.to;
  const x = (time: number) => LEFT + ((WIDTH - LEFT - RIGHT) * (time - from)) / Math.max(1, to - from);
  const values = equity.map((point) => Number(point.equity));
  const below = equity.map((point) => Number(point.drawdown));
  const most = Math.max(...values);
  const least = Math.min(...values);
  const deepest = Math.max(...below);
  const scale = (
    value: number,
    low: number,
    high: number,
    { top, height }: { top: number; height: number },
  ) => top + (high === low ? height / 2 : (height * (high - value)) / (high - low));
  const points = (list: readonly number[], y: (value: number) => number) =>
    list.map((value, i) => `${round(x(times[i] as number))},${round(y(value))}`).join(' ');
  const line = points(values, (value) => scale(value, least, most, EQUITY));
  const depth = points(below, (value) => scale(-value, -deepest, 0, DRAWDOWN));
  const zero = DRAWDOWN.top;
  const text = (at: number, y: number, words: string, anchor = 'start') =>
    `<text x="${at}" y="${y}" text-anchor="${anchor}">${xml(words)}</text>`;
  const base = scale(Number(figures.budget), least, most, EQUITY);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="#333">`,
    `<title>${xml(`Backtest: ${bot.type} on ${bot.symbol}`)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(
      LEFT,
      28,
      `${bot.type} on ${bot.symbol} (${bot.exchange}), ${iso(from).slice(0, 16)} to ${iso(to).slice(0, 16)} UTC`,
    ),
    text(
      LEFT,
      50,
      `Equity, ${figures.asset}; ROI ${shortened(figures.roi)} %, largest drawdown ${shortened(figures.maxDrawdown)} %`,
    ),
    ...frame(EQUITY),
    ...(base >= EQUITY.top && base <= EQUITY.top + EQUITY.height
      ? [
          `<line x1="${LEFT}" y1="${round(base)}" x2="${WIDTH - RIGHT}" y2="${round(base)}" stroke="#999" stroke-dasharray="4 4"/>`,
        ]
      : []),
    `<polyline points="${line}" fill="none" stroke="#1565c0" stroke-width="1.5"/>`,
    text(LEFT - 8, EQUITY.top + 5, most.toFixed(2), 'end'),
    text(LEFT - 8, EQUITY.top + EQUITY.height + 5, least.toFixed(2), 'end'),
    text(LEFT, DRAWDOWN.top - 10, 'Drawdown, %'),
    ...frame(DRAWDOWN),
    `<polygon points="${round(x(from))},${zero} ${depth} ${round(x(to))},${zero}" fill="#c62828" fill-opacity="0.35" stroke="#c62828"/>`,
    text(LEFT - 8, DRAWDOWN.top + 5, '0', 'end'),
    text(LEFT - 8, DRAWDOWN.top + DRAWDOWN.height + 5, `-${deepest.toFixed(2)}`, 'end'),
    text(LEFT, HEIGHT - 12, iso(from).slice(0, 10)),
    text(WIDTH - RIGHT, HEIGHT - 12, iso(to).slice(0, 10), 'end'),
    '</svg>',
    '',
  ].join('\n');
}

function frame({ top, height }: { readonly top: number; readonly height: number }): string[] {
  return [
    `<rect x="${LEFT}" y="${top}" width="${WIDTH - LEFT - RIGHT}" height="${height}" fill="none" stroke="#ccc"/>`,
  ];
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function shortened(value: string | null): string {
  return value === null ? '–' : Number(value).toFixed(2);
}

function xml(text: string): string {
  const safe = text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/g, '?');
  return safe
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
