/**
 * Depth and tape as lines: the levels of each side with bars for the quantity summed from the best price on,
 * and the last trades with large ones marked. Pure.
 */
import type { LookTrade } from '../../desk/console/protocol.ts';
import { str } from '../../domain/decimal.ts';
import type { Depth, DepthLevel } from '../../domain/depth.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { MISSING, onStep, percent, percentChange, read, rounded, timeOfDay } from '../ui/format.ts';
import { cell, fitLine, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';

type Steps = Pick<Instrument, 'tickSize' | 'stepSize'> | undefined;

/** A trade of this many times the median size of the tape is large. */
const LARGE = 5;
/** Largest width of a price or a quantity, with a blank, in cells. */
const WIDEST = 13;

/** A price and a quantity as shown. */
interface Texts {
  readonly price: string;
  readonly quantity: string;
}

interface Rung extends Texts {
  /** Quantity at this and all better prices, base units. */
  readonly sum: number;
}

interface Widths {
  readonly price: number;
  readonly quantity: number;
}

/** Column widths that fit the texts. */
function widthsOf(all: readonly Texts[]): Widths {
  const widest = (of: keyof Texts) =>
    Math.min(WIDEST, 1 + all.reduce((most, texts) => Math.max(most, texts[of].length), 0));
  return { price: widest('price'), quantity: widest('quantity') };
}

function rungsOf(levels: readonly DepthLevel[], steps: Steps): readonly Rung[] {
  let sum = 0;
  return levels.map(([price, quantity]) => {
    sum += Number(quantity);
    return { price: onStep(price, steps?.tickSize), quantity: onStep(quantity, steps?.stepSize), sum };
  });
}

/** The spread in words: `spread 0.10 · +0.0016 %`. */
export function spreadWords(depth: Depth, steps: Steps): string {
  const [bid, ask] = [depth.bids[0]?.[0], depth.asks[0]?.[0]];
  const [low, high] = [read(bid), read(ask)];
  if (low === null || high === null) return `spread ${MISSING}`;
  return `spread ${rounded(str(high - low), steps?.tickSize)} · ${percent(percentChange(bid, ask), 4).replace('+', '')}`;
}

function bar(sum: number, most: number, width: number): string {
  const full = most > 0 && width > 0 ? Math.max(1, Math.round((sum / most) * width)) : 0;
  return '▒'.repeat(Math.min(width, full));
}

/** The sides one under the other: asks, best last, the middle, bids, best first. Exactly `height` rows. */
export function depthLadder(
  depth: Depth,
  middle: Line,
  steps: Steps,
  { width, height }: Room,
): readonly Line[] {
  const most = Math.max(0, Math.floor((height - 1) / 2));
  const all = [rungsOf(depth.asks, steps), rungsOf(depth.bids, steps)] as const;
  const wide = widthsOf(all.flat());
  const [asks, bids] = [all[0].slice(0, most), all[1].slice(0, most)];
  const full = Math.max(asks.at(-1)?.sum ?? 0, bids.at(-1)?.sum ?? 0);
  const row = ({ price, quantity, sum }: Rung, tone: 'buy' | 'sell'): Line =>
    fitLine(
      [
        cell(price, wide.price, 'right', tone),
        cell(quantity, wide.quantity + 1, 'right'),
        span(' '),
        span(bar(sum, full, width - wide.price - wide.quantity - 2), tone),
      ],
      width,
    );
  const above = Array.from({ length: most - asks.length }, (): Line => []);
  const lines = [
    ...above,
    ...asks.map((rung) => row(rung, 'sell')).reverse(),
    middle,
    ...bids.map((rung) => row(rung, 'buy')),
  ];
  return Array.from({ length: height }, (_, at) => fitLine(lines[at] ?? [], width));
}

/**
 * The sides beside each other: bids to the left, asks to the right, the best in the middle. Exactly `height`
 * rows.
 */
export function depthSides(depth: Depth, steps: Steps, { width, height }: Room): readonly Line[] {
  const half = Math.floor((width - 1) / 2);
  const all = [rungsOf(depth.asks, steps), rungsOf(depth.bids, steps)] as const;
  const { price, quantity } = widthsOf(all.flat());
  const [asks, bids] = [all[0].slice(0, height), all[1].slice(0, height)];
  const full = Math.max(asks.at(-1)?.sum ?? 0, bids.at(-1)?.sum ?? 0);
  const room = Math.max(0, half - price - quantity - 1);
  return Array.from({ length: height }, (_, at): Line => {
    const [bid, ask] = [bids[at], asks[at]];
    const left: Line = bid
      ? [
          span(bar(bid.sum, full, room).padStart(room), 'buy'),
          span(' '),
          cell(bid.quantity, quantity, 'right'),
          cell(bid.price, price, 'right', 'buy'),
        ]
      : [];
    const right: Line = ask
      ? [
          cell(ask.price, price, 'left', 'sell'),
          cell(ask.quantity, quantity, 'left'),
          span(' '),
          span(bar(ask.sum, full, room), 'sell'),
        ]
      : [];
    return fitLine([...fitLine(left, half), span(' '), ...right], width);
  });
}

/** The last trades, newest first. Exactly `height` rows. */
export function tapeLines(
  tape: readonly LookTrade[],
  steps: Steps,
  { width, height }: Room,
): readonly Line[] {
  const sizes = tape.map(({ quantity }) => Number(quantity)).sort((a, b) => a - b);
  const large = (sizes[sizes.length >> 1] ?? 0) * LARGE;
  const texts = tape.map(
    ({ price, quantity }): Texts => ({
      price: onStep(price, steps?.tickSize),
      quantity: onStep(quantity, steps?.stepSize),
    }),
  );
  const wide = widthsOf(texts);
  return Array.from({ length: height }, (_, at): Line => {
    const [trade, written] = [tape[at], texts[at]];
    if (!trade || !written) return fitLine([], width);
    const isLarge = large > 0 && Number(trade.quantity) >= large;
    const tone = trade.side === 'BUY' ? 'buy' : 'sell';
    const price = cell(written.price, wide.price, 'right', tone);
    const quantity = cell(written.quantity, wide.quantity, 'right', isLarge ? tone : 'text');
    return fitLine(
      [
        span(timeOfDay(trade.time), 'muted'),
        span(trade.side === 'BUY' ? ' ▲' : ' ▼', tone),
        { ...price, bold: isLarge },
        { ...quantity, bold: isLarge },
        span(isLarge ? ' ●' : '', tone),
      ],
      width,
    );
  });
}
