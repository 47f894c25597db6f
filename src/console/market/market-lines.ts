/**
 * The market screen as lines: the market's figures of the day, the chart, and where the market provides them
 * depth and tape, beside the chart where there is room, else below it. Exactly as wide and high as asked.
 * Pure.
 */
import type { LookView } from '../../desk/console/protocol.ts';
import { marketKey } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { hasMarkets } from '../trading/prices.ts';
import { priceChart } from '../ui/chart-price.ts';
import { span as length, MISSING, money, onStep, percent, percentChange, read } from '../ui/format.ts';
import { fitLine, keyed, type Line, lineWidth, rule, type Span, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { depthLadder, depthSides, spreadWords, tapeLines } from './depth-lines.ts';
import { candlesOf, legendOf, lookAt, type MarketState, marketChart } from './market-chart.ts';
import { FRAMES, type MarketAt, type MarketScreenView } from './market-view.ts';

/** From this width on depth and tape are beside the chart, in cells. */
const BESIDE_FROM = 110;
const SIDE = 38;
const GAP = 2;
/** Width of a tape below the chart, in cells. */
const TAPE = 31;
/** Rows of a ladder with ten prices a side. */
const LADDER = 21;

export interface ChartBox {
  /** Rows above the chart. */
  readonly head: readonly Line[];
  readonly chart: Room;
  /** Room of depth and tape; null: they are not shown. */
  readonly depth: (Room & { readonly beside: boolean }) | null;
}

/** How the screen is divided. */
export function marketBoxes(state: MarketState, view: MarketScreenView, room: Room): ChartBox {
  const { width, height } = room;
  const head = view.at ? headLines(state, view, view.at, width) : [];
  const left = Math.max(0, height - head.length);
  const look = lookAt(state, view);
  if (look?.tells !== 'depth' || !view.shows.depth)
    return { head, chart: { width, height: left }, depth: null };
  if (width >= BESIDE_FROM) {
    const chart = { width: width - SIDE - GAP, height: left };
    return { head, chart, depth: { width: SIDE, height: left, beside: true } };
  }
  const rows = left >= 26 ? 11 : 6;
  return {
    head,
    chart: { width, height: Math.max(0, left - rows) },
    depth: { width, height: rows, beside: false },
  };
}

/** The lines of the screen. While `view` has no symbol, the rest of it is ignored. */
export function marketLines(state: MarketState, view: MarketScreenView, room: Room): readonly Line[] {
  const { at } = view;
  if (!at)
    return [[span(' no symbol is looked at: ', 'muted'), keyed('screen.overview', '1'), span(' has them')]];
  const { head, chart, depth } = marketBoxes(state, view, room);
  const drawn = chartLines(state, view, chart);
  const look = lookAt(state, view);
  const steps = instrumentOf(state.instruments, at);
  if (!depth || !look) return [...head, ...drawn];
  if (!depth.beside) return [...head, ...drawn, ...depthBelow(look, steps, depth)];
  const side = depthBeside(look, middleLine(state, at, steps), steps, depth);
  const gap = ' '.repeat(GAP);
  const body = Array.from(
    { length: chart.height },
    (_, row): Line => [...(drawn[row] ?? fitLine([], chart.width)), span(gap), ...(side[row] ?? [])],
  );
  return [...head, ...body];
}

function chartLines(state: MarketState, view: MarketScreenView, room: Room): readonly Line[] {
  const chart = marketChart(state, view, room);
  const lines = chart && candlesOf(state, view).length > 0 ? priceChart(chart) : [];
  if (lines.length > 0) return lines;
  const words = view.refusal ?? 'no candles yet';
  const blank = Array.from({ length: Math.max(0, Math.floor(room.height / 2) - 1) }, (): Line => []);
  const line: Line = [span(`  ${words}`, view.refusal === null ? 'muted' : 'warn')];
  return Array.from({ length: room.height }, (_, at) => fitLine([...blank, line][at] ?? [], room.width));
}

function depthBelow(look: LookView, steps: Instrument | undefined, { width, height }: Room): readonly Line[] {
  const left = width - TAPE - GAP;
  const { depth } = look;
  const room = { width: left, height: height - 1 };
  const sides = depth ? depthSides(depth, steps, room) : [notYet(left)];
  const tape = tapeLines(look.tape, steps, { width: TAPE, height: height - 1 });
  const title: Line = [
    ...rule('Depth', [span(depth ? spreadWords(depth, steps) : MISSING, 'muted')], left),
    span(' '.repeat(GAP)),
    ...rule('Trades', [], TAPE),
  ];
  return [
    title,
    ...tape.map((trade, at): Line => [...fitLine(sides[at] ?? [], left), span(' '.repeat(GAP)), ...trade]),
  ];
}

function depthBeside(
  look: LookView,
  middle: Line,
  steps: Instrument | undefined,
  { width, height }: Room,
): readonly Line[] {
  const { depth } = look;
  const info: Line = [span(depth ? spreadWords(depth, steps) : MISSING, 'muted')];
  const ladder = Math.min(LADDER, Math.max(3, (Math.floor((height - 2) * 0.6) - 1) | 1));
  const prices = depth
    ? depthLadder(depth, middle, steps, { width, height: ladder })
    : Array.from({ length: ladder }, (_, at) => (at === 0 ? notYet(width) : []));
  const trades = tapeLines(look.tape, steps, { width, height: Math.max(0, height - ladder - 2) });
  return [rule('Depth', info, width), ...prices, rule('Trades', [], width), ...trades];
}

function notYet(width: number): Line {
  return fitLine([span(' the market has not told it yet', 'muted')], width);
}

/** The line with the last price, between bids and asks. */
function middleLine({ prices }: MarketState, at: MarketAt, steps: Instrument | undefined): Line {
  const last = prices[marketKey(at.market, at.symbol)]?.last;
  return [span(` ${onStep(last, steps?.tickSize)}`, 'title', { bold: true }), span(' last', 'muted')];
}

// --- above the chart ---

function headLines(state: MarketState, view: MarketScreenView, at: MarketAt, width: number): readonly Line[] {
  const place = hasMarkets(state.accounts) ? `${at.exchange} (${at.market})` : at.exchange;
  const title = rule(
    `${at.symbol}  ${place}`,
    legendLine(view, width - 16 - lineWidth([span(place)])),
    width,
  );
  return [title, ...figureLines(figures(state, view, at), width)];
}

/** The line `1m 5m [15m] 1h 4h 1d  · EMA 20`; names of the curves as far as there is room. */
function legendLine(view: MarketScreenView, width: number): Line {
  const frames = FRAMES.map(({ name, ms }): Span => {
    const here = ms === view.frameMs;
    return span(here ? ` ${name} ` : ` ${name}`, here ? 'focus' : 'muted', { inverse: here });
  });
  const lines = legendOf(view).flatMap(
    ({ glyph, tone, name }): Line => [span(`  ${glyph} `, tone), span(name, 'muted')],
  );
  const all = [...frames, ...lines];
  return lineWidth(all) <= width ? all : [...frames, ...shortLegend(view)];
}

/** The averages in short: `·20 ╌50 ═200`. */
function shortLegend(view: MarketScreenView): Line {
  return [
    span(' '),
    ...legendOf(view).flatMap(
      ({ glyph, tone, name }): Line => [span(` ${glyph}`, tone), span(name.replace('EMA ', ''), 'muted')],
    ),
  ];
}

/** The figures, each a name and a value; lines are broken between figures only. */
function figures(state: MarketState, view: MarketScreenView, at: MarketAt): readonly Line[] {
  const price = state.prices[marketKey(at.market, at.symbol)];
  const look = lookAt(state, view);
  const steps = instrumentOf(state.instruments, at);
  const tick = steps?.tickSize;
  const change = percentChange(price?.open24h, price?.last);
  const sign = change === null || change === 0n ? '' : change > 0n ? '▲ ' : '▼ ';
  const tone = change === null || change === 0n ? 'muted' : change > 0n ? 'up' : 'down';
  const figure = (name: string, value: string): Line => [span(`${name} `, 'muted'), span(value)];
  const { day = null, mark = null, funding = null } = look ?? {};
  return [
    [span(onStep(price?.last, tick), 'title', { bold: true }), span(`  ${sign}${percent(change)}`, tone)],
    ...(price?.stale === undefined ? [] : [[span(`! stale: ${price.stale}`, 'danger')]]),
    ...(view.refusal === null ? [] : [[span(view.refusal, 'warn')]]),
    figure('24 h high', onStep(day?.high, tick)),
    figure('low', onStep(day?.low, tick)),
    figure('volume', day ? `${money(day.volume)} ${steps?.base ?? ''}`.trimEnd() : MISSING),
    ...(mark === null ? [] : [figure('mark', onStep(mark, tick))]),
    ...(funding === null || steps?.kind !== 'futures'
      ? []
      : [fundingFigure(funding, price?.time ?? funding.at)]),
    ...(look?.tells === 'last' ? [[span('knows last prices only', 'muted')]] : []),
  ];
}

function fundingFigure({ rate, at }: NonNullable<LookView['funding']>, now: number): Line {
  const value = read(rate);
  const text = value === null ? MISSING : percent(value * 100n, 4);
  return [span('funding ', 'muted'), span(text), span(` in ${length(at - now)}`, 'muted')];
}

/** Spreads the figures over at most two lines; those without room are left out. */
function figureLines(parts: readonly Line[], width: number): readonly Line[] {
  const lines: Span[][] = [[span(' ')]];
  for (const part of parts) {
    let line = lines.at(-1) as Span[];
    const wide = lineWidth(part) + 3;
    if (lineWidth(line) + wide > width) {
      if (lines.length === 2) break;
      line = [span(' ')];
      lines.push(line);
    }
    line.push(...part, span('   '));
  }
  return lines;
}
