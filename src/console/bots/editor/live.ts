/**
 * What a draft would do, as lines: its ladder at the current price, its replay over the last candles, and its
 * changes. Follows the draft; a result of an older draft is dimmed until the new one is there. Pure.
 */
import type { LadderView, ReplayView } from '../../../desk/console/protocol.ts';
import { withoutTail } from '../../../domain/text-ends.ts';
import { type ChartLevel, priceChart } from '../../ui/chart-price.ts';
import {
  amount,
  dateTime,
  exact,
  MISSING,
  moment,
  onStep,
  percent,
  percentChange,
  read,
  signed,
} from '../../ui/format.ts';
import { meter, sparkline } from '../../ui/glyphs.ts';
import { cell, type Line, lineWidth, type Span, span, wrapWords } from '../../ui/line.ts';
import type { Token } from '../../ui/theme.ts';
import { frameName } from '../bot-chart.ts';
import { type Difference, differences } from './draft.ts';
import type { BotEditor } from './editor.ts';

type Ladder = Extract<LadderView, { ok: true }>['ladder'];
type LadderLine = Ladder['lines'][number];
type Played = Extract<ReplayView, { done: 'played' }>;

const NAME = 15;
/** A level is still drawn if its distance is at most this many times the candles' own span. */
const REACH = 6;
/** Largest number of decimal places of a price without a known tick. */
const LONG = 8;

export interface LiveRoom {
  readonly width: number;
  /** Rows of the chart. */
  readonly chart: number;
  /** Tick size of the symbol, as text. */
  readonly tick: string | undefined;
  /** Step size of the symbol's quantities, as text. */
  readonly step: string | undefined;
}

export function liveLines(editor: BotEditor, room: LiveRoom): readonly Line[] {
  return [
    ...ladderPart(editor, room),
    [],
    ...replayPart(editor, room.width),
    [],
    ...changesPart(editor, room.width),
  ];
}

/** The ladder and the replay in one line each, if there is no room for more. */
export function summaryLines(editor: BotEditor): readonly [Line, Line] {
  return [ladderSummary(editor), replaySummary(editor)];
}

function isFresh(editor: BotEditor, draft: unknown): boolean {
  return draft === editor.form.draft;
}

function heading(title: string, info: string, fresh: boolean): Line {
  const age = fresh ? '' : ' · of the settings before';
  return [span(` ${title} `, 'title'), span(`${info}${age}`, 'muted')];
}

function row(name: string, value: Line): Line {
  return [span(` ${name.padEnd(NAME)}`, 'muted'), ...value];
}

function prose(text: string, width: number, tone: Token = 'muted'): Line[] {
  return wrapWords(text, Math.max(20, width - 2)).map((line) => [span(` ${line}`, tone)]);
}

/** Writes money with two places, and with four if it is less than one. */
function money(text: string | null, asset: string): string {
  const value = read(text);
  if (text === null || value === null) return MISSING;
  const small = Math.abs(Number(text)) < 1 && value !== 0n;
  return `${amount(text, small ? 4 : 2)} ${asset}`;
}

/** Writes `99.81 to 997.18 USDT`; one figure if both are the same. */
function spent(least: string | null, worst: string | null, asset: string): string {
  return least === worst ? money(worst, asset) : `${amount(least, 2)} to ${money(worst, asset)}`;
}

function gained(text: string | null, asset: string): Span {
  const value = read(text);
  if (value === null) return span(MISSING, 'muted');
  const small = value !== 0n && Math.abs(Number(text)) < 1;
  return span(`${signed(value, small ? 4 : 2)} ${asset}`, value < 0n ? 'down' : value > 0n ? 'up' : 'text');
}

/** Writes a price on its tick; computed prices are rounded to it. */
function priceText(text: string, tick: string | undefined): string {
  const places = tick === undefined ? LONG : withoutTail(tick.split('.')[1] ?? '', '0').length;
  return tick === undefined && (text.split('.')[1] ?? '').length <= LONG ? exact(text) : amount(text, places);
}

function counted(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

// --- ladder ---

const TONE: Record<LadderLine['kind'], Token> = {
  entry: 'buy',
  target: 'sell',
  stop: 'danger',
  end: 'warn',
  line: 'muted',
};

/** Colours entry and target by their side: a short sells first. */
function toneOf({ kind, side }: LadderLine): Token {
  if (kind !== 'entry' && kind !== 'target') return TONE[kind];
  return side === 'SELL' ? 'sell' : 'buy';
}

function ladderPart(editor: BotEditor, room: LiveRoom): Line[] {
  const { ladder } = editor;
  if (!ladder) return [heading('Ladder', 'being laid out …', true)];
  const fresh = isFresh(editor, ladder.draft);
  const { view } = ladder;
  if (!view.ok) return [heading('Ladder', '', fresh), ...prose(view.text, room.width, 'warn')];
  const { symbol, price } = view.ladder;
  const frame = editor.chart?.symbol === symbol ? `, candles of ${frameName(editor.chart.frameMs)}` : '';
  return [
    heading('Ladder', `${symbol} at ${priceText(price, room.tick)}${frame}`, fresh),
    ...ladderChart(editor, view.ladder, room),
    ...problemLines(view.ladder, room.width),
    ...ladderFacts(view.ladder, room),
    ...orderTable(view.ladder, room),
    ...view.ladder.notes.flatMap((note) => prose(note, room.width)),
  ];
}

/** The chart of the ladder, drawn only here. */
function ladderChart({ chart }: BotEditor, ladder: Ladder, { width, chart: height, tick }: LiveRoom): Line[] {
  if (height < 3) return [];
  const candles = chart?.symbol === ladder.symbol ? chart.candles : [];
  const level = ({ price, label, kind, ...line }: LadderLine): ChartLevel => ({
    price,
    text: priceText(price, tick),
    name: levelName(kind, line.side, label),
    tone: toneOf({ price, label, kind, ...line }),
  });
  const levels: ChartLevel[] = [
    { price: ladder.price, text: priceText(ladder.price, tick), name: 'last', tone: 'text' },
    ...ladder.lines.map(level),
    ...(ladder.liquidation === null
      ? []
      : [
          {
            price: ladder.liquidation,
            text: priceText(ladder.liquidation, tick),
            name: 'liquidation',
            tone: 'danger' as const,
          },
        ]),
  ];
  const drawn = priceChart({
    candles,
    frameMs: chart?.frameMs ?? 60_000,
    levels,
    reach: REACH,
    price: (text) => priceText(text, tick),
    width: width - 2,
    height,
  });
  return drawn.map((line): Line => [span(' '), ...line]);
}

/** The name of a level beside its price; a grid's cell has none, because its two prices already say it. */
function levelName(kind: LadderLine['kind'], side: LadderLine['side'], label: string): string {
  if (kind === 'stop') return 'stop';
  if (kind !== 'entry' && kind !== 'target') return label;
  return `${side === 'BUY' ? 'buy' : 'sell'} ${label.replace(/^(channel |cell .*)/, '')}`.trimEnd();
}

function problemLines({ belowMinimum, problems }: Ladder, width: number): Line[] {
  return [...(belowMinimum === null ? [] : [belowMinimum]), ...problems].flatMap((text) =>
    wrapWords(text, Math.max(20, width - 4)).map(
      (line, at): Line => [span(at === 0 ? ' ✗ ' : '   ', 'warn', { bold: true }), span(line, 'warn')],
    ),
  );
}

function ladderFacts(ladder: Ladder, { width, tick }: LiveRoom): Line[] {
  const { asset, budget, leverage, least, worst, fees, profit, averageEntry, liquidation, price } = ladder;
  if (budget === null && ladder.entries === 0) return [];
  const times = leverage > 1 ? `, ${leverage}x` : '';
  const away = liquidation === null ? '' : ` (${percent(percentChange(price, liquidation))})`;
  const facts: [string, Line][] = [
    ['deposit', [span(`${money(budget, asset)}${times}`)]],
    ['uses', [span(spent(least, worst, asset))]],
    ['fees a cycle', [span(money(fees, asset))]],
    ['a whole cycle', [gained(profit, asset)]],
    ['average entry', [span(averageEntry === null ? MISSING : priceText(averageEntry, tick))]],
    ...(ladder.kind === 'futures'
      ? ([
          [
            'liquidation',
            [span(liquidation === null ? 'none' : `${priceText(liquidation, tick)}${away}`, 'danger')],
          ],
        ] as [string, Line][])
      : []),
  ];
  if (width < 72) return facts.map(([name, value]) => row(name, value));
  const half = Math.floor(width / 2);
  const lines: Line[] = [];
  for (let at = 0; at < facts.length; at += 2) {
    const [left, right] = [facts[at], facts[at + 1]];
    if (!left) continue;
    const pad = span(' '.repeat(Math.max(1, half - NAME - 1 - lineWidth(left[1]))));
    lines.push([...row(left[0], left[1]), pad, ...(right ? row(right[0], right[1]) : [])]);
  }
  return lines;
}

function orderTable({ lines, base, asset, price }: Ladder, { width, tick, step }: LiveRoom): Line[] {
  if (lines.length === 0) return [];
  const wide = width >= 84;
  const label = Math.max(10, Math.min(24, width - COLUMNS - (wide ? FEE + WAY : 0) - 1));
  const head: Line = [
    cell(' level', label + 1, 'left', 'muted'),
    cell('price', 13, 'right', 'muted'),
    cell('away', 10, 'right', 'muted'),
    cell(base, 12, 'right', 'muted'),
    cell(asset, 11, 'right', 'muted'),
    ...(wide ? [cell('fee', FEE, 'right', 'muted'), cell('  goes out', WAY, 'left', 'muted')] : []),
  ];
  const at = lines.findIndex((line) => Number(line.price) < Number(price));
  const here: Line = [span(' ─ last ', 'muted'), span(priceText(price, tick), 'text', { bold: true })];
  const rows = lines.map((line): Line => {
    const tone = toneOf(line);
    const side =
      line.kind === 'line' || line.kind === 'end' || !line.side ? '' : line.side === 'BUY' ? 'B ' : 'S ';
    return [
      cell(` ${side}${line.label}`, label + 1, 'left', tone),
      cell(priceText(line.price, tick), 13, 'right', tone),
      cell(percent(percentChange(price, line.price)), 10, 'right', 'muted'),
      cell(
        line.qty === null ? '' : `${line.tooSmall ? '✗' : ''}${onStep(line.qty, step)}`,
        12,
        'right',
        line.tooSmall ? 'warn' : 'text',
      ),
      cell(line.quote === null ? '' : amount(line.quote, 2), 11, 'right'),
      ...(wide
        ? [
            cell(line.fee === null ? '' : amount(line.fee, 4), FEE, 'right', 'muted'),
            cell(`  ${wayOf(line)}`, WAY, 'left', line.tooSmall ? 'warn' : 'muted'),
          ]
        : []),
    ];
  });
  const place = at < 0 ? rows.length : at;
  return [head, ...rows.slice(0, place), here, ...rows.slice(place)];
}

/** Widths of the table: price, distance, size and value; the fee; when the order is sent. */
const COLUMNS = 46;
const FEE = 9;
const WAY = 20;
function wayOf({ tooSmall, when, type }: LadderLine): string {
  if (tooSmall) return 'too small';
  return `${WHEN[when]}${type && type !== 'LIMIT' ? `, ${type}` : ''}`;
}

const WHEN = { now: 'at the start', later: 'later', waits: 'price first' } as const;

function ladderSummary(editor: BotEditor): Line {
  const { ladder } = editor;
  const name = span(' ladder ', 'muted');
  if (!ladder) return [name, span('being laid out …', 'muted')];
  const old: Token = isFresh(editor, ladder.draft) ? 'text' : 'muted';
  if (!ladder.view.ok) return [name, span(ladder.view.text, 'muted')];
  const { asset, entries, least, worst, fees, profit, liquidation, belowMinimum, problems } =
    ladder.view.ladder;
  const [problem] = [...(belowMinimum === null ? [] : [belowMinimum]), ...problems];
  if (problem !== undefined) return [name, span('✗ ', 'warn', { bold: true }), span(problem, 'warn')];
  if (entries === 0 && worst === null) return [name, span('no orders', 'muted')];
  return [
    name,
    span(`${entries} ${entries === 1 ? 'entry' : 'entries'} · `, old),
    span(`uses ${spent(least, worst, asset)}`, old),
    ...(liquidation === null
      ? [span(` · fees ${money(fees, '')}`.trimEnd(), old)]
      : [span(` · liq ${amount(liquidation, 2)}`, 'danger')]),
    span(' · cycle ', old),
    gained(profit, ''),
  ];
}

// --- replay ---

function replayPart(editor: BotEditor, width: number): Line[] {
  const { replay } = editor;
  const fresh = isFresh(editor, replay.draft);
  const { was } = replay;
  if (was.state === 'waiting') return [heading('Replay', 'starts when you stop typing', true)];
  if (was.state === 'running') {
    if (!was.shown) return [heading('Replay', 'running …', true)];
    const share = was.of > 0 ? was.done / was.of : 0;
    const bar = meter(share, 24);
    return [
      heading('Replay', 'running', true),
      [span(` ${bar} `, 'focus'), span(`${Math.floor(share * 100)} % of ${was.of} candles`, 'muted')],
    ];
  }
  const { view } = was;
  if (view.done === 'cancelled') return [heading('Replay', 'starts when you stop typing', true)];
  if (view.done === 'impossible')
    return [heading('Replay', 'not played', fresh), ...prose(view.text, width, 'warn')];
  if (!view.preview.ok)
    return [heading('Replay', 'it would not start', fresh), ...prose(view.preview.text, width, 'warn')];
  return [heading('Replay', replayRange(view), fresh), ...replayFigures(view.preview, width)];
}

type Preview = Extract<Played['preview'], { ok: true }>;

function replayRange({ preview, frameMs }: Played): string {
  if (!preview.ok) return '';
  const { count, from, to } = preview.candles;
  return `${count} candles of ${frameName(frameMs)}, ${dateTime(from)} to ${moment(to)}`;
}

function replayFigures({ figures, equity, runs, assumptions, alerts }: Preview, width: number): Line[] {
  const { asset } = figures;
  const last = runs.at(-1);
  const ended = last?.error ?? (last?.reason ? `the run ended: ${last.reason}` : null);
  const room = Math.max(10, Math.min(60, width - NAME - 4));
  const traded = figures.budget !== '0' || figures.fills > 0;
  const lines: Line[] = traded
    ? [
        row('PnL', [
          gained(figures.realised, asset),
          span(' realised, ', 'muted'),
          gained(figures.unrealised, asset),
          span(' open', 'muted'),
          span(figures.roi === null ? '' : ` · ROI ${percent(read(figures.roi))}`, 'muted'),
        ]),
        row('cycles', [
          span(`${figures.cycles}`),
          span(
            `, ${figures.winningCycles} won · ${counted(figures.fills, 'fill')} · ${counted(runs.length, 'run')}`,
            'muted',
          ),
        ]),
        row('drawdown', [
          span(`${amount(figures.maxDrawdown, 2)} %`),
          span(` · in the market ${amount(figures.timeInMarket, 1)} % of the time`, 'muted'),
        ]),
        row('fees', [
          span(money(figures.fees, asset)),
          span(` · holding instead ${percent(read(figures.buyAndHold))}`, 'muted'),
        ]),
      ]
    : [row('alerts', [span(`${alerts}`), span(alerts === 1 ? ' firing' : ' firings', 'muted')])];
  const points = equity.map((point) => Number(point.equity));
  if (points.length > 1) lines.push(row('equity', [span(sparkline(points, room), 'focus')]));
  if (ended !== null) lines.push(...prose(ended, width, last?.error ? 'warn' : 'muted'));
  return [...lines, ...assumptions.flatMap((text) => prose(text, width))];
}

function replaySummary(editor: BotEditor): Line {
  const name = span(' replay ', 'muted');
  const { was, draft } = editor.replay;
  if (was.state === 'waiting') return [name, span('starts when you stop typing', 'muted')];
  if (was.state === 'running') {
    if (!was.shown) return [name, span('running …', 'muted')];
    const share = was.of > 0 ? was.done / was.of : 0;
    return [name, span(meter(share, 20), 'focus'), span(` ${Math.floor(share * 100)} %`, 'muted')];
  }
  const { view } = was;
  if (view.done === 'cancelled') return [name, span('starts when you stop typing', 'muted')];
  if (view.done === 'impossible') return [name, span(view.text, 'muted')];
  if (!view.preview.ok) return [name, span(view.preview.text, 'muted')];
  const { figures, candles, alerts } = view.preview;
  const old: Token = isFresh(editor, draft) ? 'text' : 'muted';
  const over = span(`${candles.count} x ${frameName(view.frameMs)} · `, 'muted');
  if (figures.budget === '0' && figures.fills === 0) return [name, over, span(counted(alerts, 'alert'), old)];
  const sum = (read(figures.realised) ?? 0n) + (read(figures.unrealised) ?? 0n);
  return [
    name,
    over,
    span(`${counted(figures.cycles, 'cycle')} · `, old),
    span(`${signed(sum, 2)} ${figures.asset}`, sum < 0n ? 'down' : sum > 0n ? 'up' : 'text'),
    span(` · drawdown ${amount(figures.maxDrawdown, 2)} % · fees ${money(figures.fees, '')}`.trimEnd(), old),
  ];
}

// --- changes ---

function changesPart(editor: BotEditor, width: number): Line[] {
  const { given, form, lastRun, botId } = editor;
  const stored = differences(given, form.draft);
  const lines: Line[] = [
    heading('Changes', botId === null ? 'from what it was opened with' : 'from the stored settings', true),
    ...differenceLines(stored, width),
  ];
  if (!lastRun) return lines;
  const run = differences(lastRun.draft, form.draft);
  return [...lines, [], heading('Since the last run', lastRun.runId, true), ...differenceLines(run, width)];
}

const MAX_DIFFERENCES = 40;

export function differenceLines(list: readonly Difference[], width: number): Line[] {
  if (list.length === 0) return [[span(' none', 'muted')]];
  const room = Math.max(16, Math.min(34, Math.floor(width * 0.4)));
  const lines = list
    .slice(0, MAX_DIFFERENCES)
    .map(
      ({ path, before, after }): Line => [
        cell(` ${path.replace('@', '')}`, room, 'left', 'text'),
        span(' '),
        span(before === null ? 'not given' : before, 'muted'),
        span(' → ', 'muted'),
        span(after === null ? 'not given' : after, after === null ? 'warn' : 'ok'),
      ],
    );
  const more = list.length - lines.length;
  return more > 0 ? [...lines, [span(` and ${more} more`, 'muted')]] : lines;
}
