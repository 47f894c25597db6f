/**
 * The lines above both tables of the PnL book: the choice of range and groups, the figures of the range, its
 * curve. Pure.
 */
import type { PnlView } from '../../desk/console/protocol.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
import { lineChart, shortValue } from '../ui/chart-line.ts';
import { amount, counted, dateTime, span as length, moment } from '../ui/format.ts';
import { fitLine, keyed, type Line, lineWidth, type Span, span } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import { zoneLabel, zoneName } from '../ui/zone.ts';
import { GROUPS, PNL_RANGES, type PnlPage, type PnlRange } from './pnl-page.ts';
import { factor, remarksOf, share, usd } from './pnl-words.ts';

/** From this height on there is room for a higher curve, in rows. */
const HIGH = 30;
/** Rows for remarks. */
const REMARKS = 2;

export function headLines(page: PnlPage, width: number, height: number): readonly Line[] {
  const { book } = page;
  const choice = choiceLine(page, width);
  if (!book) return [choice];
  const remarks = remarksOf(book);
  const shown = remarks.slice(0, REMARKS).map((text): Line => [span(`  ${text}`, 'warn')]);
  const rest = remarks.length - shown.length;
  if (rest > 0) shown[shown.length - 1] = [...(shown.at(-1) ?? []), span(` · ${rest} more`, 'warn')];
  return [choice, ...figureLines(book, width), ...shown, ...curveLines(page, book, width, height)];
}

function rangeName(range: PnlRange, { first, last }: PnlPage): string {
  if (range !== 'days') return range;
  return first === '' && last === ''
    ? 'from-to'
    : `${first === '' ? '…' : first} – ${last === '' ? 'now' : last}`;
}

/** The line of choices; all groups are listed where there is room for them, else only the chosen one. */
function choiceLine(page: PnlPage, width: number): Line {
  const chosen = (text: string, here: boolean): Span =>
    span(` ${text} `, here ? 'focus' : 'muted', { inverse: here });
  const ranges: Line = [
    span('  '),
    keyed('pnl.range-before', '<'),
    ...PNL_RANGES.map((range) => chosen(rangeName(range, page), range === page.range)),
    keyed('pnl.range-after', '>'),
    span('   '),
    keyed('pnl.by', 'b'),
    span(' by', 'muted'),
  ];
  const all: Line = [...ranges, ...GROUPS.map((by) => chosen(by, by === page.by))];
  return lineWidth(all) <= width ? all : [...ranges, chosen(page.by, true)];
}

function figureLines({ total, curve, stats }: PnlView, width: number): readonly Line[] {
  const [first, end] = [curve[0], curve.at(-1)];
  const figure = (name: string, text: string, tone: Span['tone'] = 'text'): Line => [
    span(`   ${name} `, 'muted'),
    span(text, tone),
  ];
  const net: Line = [
    span('  net ', 'muted'),
    span(`${usd(total.net)} USD`, gainTone(dec(total.net)), { bold: true }),
    ...figure('equity', `${amount(first?.equity, 2)} → ${amount(end?.equity, 2)}`),
    ...figure('deposits', usd(total.deposits)),
  ];
  const { winRate, profitFactor, averageWin, averageLoss, best, worst, averageMs } = stats;
  const trades: Line = [
    span(`  ${counted(stats.trades, 'closed trade')}`, 'muted'),
    ...figure('won', share(winRate)),
    ...figure('profit factor', factor(profitFactor)),
    ...figure('best', usd(best), 'up'),
    ...figure('worst', usd(worst), 'down'),
    ...figure('mean win', usd(averageWin)),
    ...figure('loss', usd(averageLoss)),
    ...(averageMs === null ? [] : figure('held', length(averageMs))),
  ];
  return [net, whole(trades, width)];
}

/** Drops pairs of name and figure from the end until the line fits. */
function whole(line: Line, width: number): Line {
  let kept = line;
  while (lineWidth(kept) > width && kept.length > 2) kept = kept.slice(0, -2);
  return kept;
}

function curveLines(
  { curve: which }: PnlPage,
  { curve }: PnlView,
  width: number,
  height: number,
): readonly Line[] {
  const rows = height >= HIGH ? 9 : 4;
  // Points before the first money mean nothing, and would flatten the rest.
  const first = curve.findIndex(({ equity }) => dec(equity) !== ZERO);
  const values = curve.slice(Math.max(0, first)).map((point) => Number(point[which]));
  const tone = gainTone(dec(curve.at(-1)?.net ?? '0'));
  const lines = lineChart({ values, width: width - 4, height: rows, tone, label: shortValue });
  return lines.map((line) => fitLine([span('  '), ...line], width));
}

/**
 * The range in words, for the right end of the title; a zone of its days other than that of the times is
 * named.
 */
export function rangeText({ from, to, timeZone }: PnlView): string {
  const zone = timeZone === zoneName() ? '' : ` · days of ${timeZone}`;
  const begin = zoneLabel(from) === zoneLabel(to) ? dateTime(from) : moment(from);
  return `${begin} – ${moment(to)}${zone}`;
}
