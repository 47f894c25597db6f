/** Depth and tape as lines: what rests a side with bars of the sums from the best price on, and the last trades with large ones marked. Pure. */
import type { LookTrade } from '../../desk/console/protocol.ts';
import { str } from '../../domain/decimal.ts';
import type { Depth, DepthLevel } from '../../domain/depth.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { MISSING, onStep, percent, percentChange, read, rounded, timeOfDay } from '../ui/format.ts';
import { cell, fitLine, type Line, span } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';

type Steps = Pick<Instrument, 'tickSize' | 'stepSize'> | undefined;

/** A trade this many times the middle one of the tape is large. */
const LARGE = 5;
/** Cells of a price and of a quantity, with a blank, at most. */
const WIDEST = 13;

interface Rung {
  readonly price: string;
  readonly quantity: string;
  /** Of it and all better prices, base units. */
  readonly sum: number;
}

interface Widths {
  readonly price: number;
  readonly quantity: number;
}

/** As wide as what is written in them. */
function widthsOf(all: readonly DepthLevel[], steps: Steps): Widths {
  const widest = (texts: readonly string[]) =>
    Math.min(WIDEST, 1 + texts.reduce((most, text) => Math.max(most, text.length), 0));
  return {
    price: widest(all.map(([price]) => onStep(price, steps?.tickSize))),
    quantity: widest(all.map(([, quantity]) => onStep(quantity, steps?.stepSize))),
  };
}

function rungsOf(levels: readonly DepthLevel[], most: number): readonly Rung[] {
  let sum = 0;
  return levels.slice(0, most).map(([price, quantity]) => {
    sum += Number(quantity);
    return { price, quantity, sum };
  });
}

/** `spread 0.10 · +0.0016 %`. */
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

/** One under the other: asks, best last, the middle, bids, best first. Exactly `height` rows. */
export function depthLadder(
  depth: Depth,
  middle: Line,
  steps: Steps,
  { width, height }: Room,
): readonly Line[] {
  const most = Math.max(0, Math.floor((height - 1) / 2));
  const [asks, bids] = [rungsOf(depth.asks, most), rungsOf(depth.bids, most)];
  const full = Math.max(asks.at(-1)?.sum ?? 0, bids.at(-1)?.sum ?? 0);
  const wide = widthsOf([...depth.asks, ...depth.bids], steps);
  const row = ({ price, quantity, sum }: Rung, tone: 'buy' | 'sell'): Line =>
    fitLine(
      [
        cell(onStep(price, steps?.tickSize), wide.price, 'right', tone),
        cell(onStep(quantity, steps?.stepSize), wide.quantity + 1, 'right'),
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

/** Beside each other: bids to the left, asks to the right, the best in the middle. Exactly `height` rows. */
export function depthSides(depth: Depth, steps: Steps, { width, height }: Room): readonly Line[] {
  const half = Math.floor((width - 1) / 2);
  const [asks, bids] = [rungsOf(depth.asks, height), rungsOf(depth.bids, height)];
  const full = Math.max(asks.at(-1)?.sum ?? 0, bids.at(-1)?.sum ?? 0);
  const { price, quantity } = widthsOf([...depth.asks, ...depth.bids], steps);
  const room = Math.max(0, half - price - quantity - 1);
  return Array.from({ length: height }, (_, at): Line => {
    const [bid, ask] = [bids[at], asks[at]];
    const left: Line = bid
      ? [
          span(bar(bid.sum, full, room).padStart(room), 'buy'),
          span(' '),
          cell(onStep(bid.quantity, steps?.stepSize), quantity, 'right'),
          cell(onStep(bid.price, steps?.tickSize), price, 'right', 'buy'),
        ]
      : [];
    const right: Line = ask
      ? [
          cell(onStep(ask.price, steps?.tickSize), price, 'left', 'sell'),
          cell(onStep(ask.quantity, steps?.stepSize), quantity, 'left'),
          span(' '),
          span(bar(ask.sum, full, room), 'sell'),
        ]
      : [];
    return fitLine([...fitLine(left, half), span(' '), ...right], width);
  });
}

/** Newest first. Exactly `height` rows. */
export function tapeLines(
  tape: readonly LookTrade[],
  steps: Steps,
  { width, height }: Room,
): readonly Line[] {
  const sizes = tape.map(({ quantity }) => Number(quantity)).sort((a, b) => a - b);
  const large = (sizes[sizes.length >> 1] ?? 0) * LARGE;
  const wide = widthsOf(
    tape.map(({ price, quantity }) => [price, quantity] as const),
    steps,
  );
  return Array.from({ length: height }, (_, at): Line => {
    const trade = tape[at];
    if (!trade) return fitLine([], width);
    const isLarge = large > 0 && Number(trade.quantity) >= large;
    const tone = trade.side === 'BUY' ? 'buy' : 'sell';
    const price = cell(onStep(trade.price, steps?.tickSize), wide.price, 'right', tone);
    const quantity = cell(
      onStep(trade.quantity, steps?.stepSize),
      wide.quantity,
      'right',
      isLarge ? tone : 'text',
    );
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
