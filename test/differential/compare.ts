/** The result of one side of a case as lines of text: two sides agree when their lines are equal. */
import { type Outcome, type RunOutcome, rounded } from '../scenarios/scenario.ts';

/** The first line that differs, for both sides; null: that side has no more lines. */
export interface Difference {
  readonly at: number;
  readonly expected: string | null;
  readonly got: string | null;
}

export interface LineOptions {
  /**
   * Compares the run's labels of orders; after a crash they are unknown for orders that were not reported
   * yet.
   */
  readonly labels: boolean;
}

export function difference(expected: readonly string[], got: readonly string[]): Difference | null {
  const most = Math.max(expected.length, got.length);
  for (let at = 0; at < most; at++) {
    if (!same(expected[at], got[at])) return { at, expected: expected[at] ?? null, got: got[at] ?? null };
  }
  return null;
}

/**
 * An exchange books with eight places, the tick market with all: after many bookings a sum differs by a few
 * of the last.
 */
const SUM_OFF = 1e-6;
const NUMBER = /-?\d+(?:\.\d+)?/g;

/** Sums may differ slightly; trades may not. */
function same(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || !/^(?:balance|figures) /.test(a)) return false;
  if (a.replaceAll(NUMBER, '#') !== b.replaceAll(NUMBER, '#')) return false;
  const [ours, theirs] = [a, b].map((line) => (line.match(NUMBER) ?? []).map(Number)) as [number[], number[]];
  return ours.every((value, i) => Math.abs(value - (theirs[i] as number)) <= SUM_OFF);
}

/** Returns the fills first, in order; then what follows from them. */
export function linesOf(outcome: Outcome, { labels }: LineOptions): string[] {
  if (outcome.startError !== null) return [`the start is refused: ${outcome.startError}`];
  const { position, lots = [], refused = [], runs = [] } = outcome;
  return [
    ...outcome.fills.map((fill) => fillLine(fill, labels)),
    ...outcome.alerts.map(({ at, symbol, condition }) => `alert ${at} ${symbol} ${condition}`),
    ...refused,
    ...runs.map(endLine),
    `bot ${outcome.status} ${outcome.state}`,
    ...outcome.open
      .map(({ side, type, price, stopPrice, qty }) =>
        ['open', side, type, price && rounded(price), stopPrice && `stop ${rounded(stopPrice)}`, rounded(qty)]
          .filter(Boolean)
          .join(' '),
      )
      .sort(),
    position ? `position ${rounded(position.amount)} at ${about(position.entryPrice)}` : 'no position',
    ...Object.entries(outcome.balances)
      .map(([asset, { total }]) => [asset, rounded(total)])
      .filter(([, total]) => total !== '0')
      .map(([asset, total]) => `balance ${asset} ${total}`)
      .sort(),
    // Where two entries have one price, the older order fills first; after a crash that may be the other one.
    ...[...lots].sort().map((lot) => `lot ${lot}`),
    ...runs.map(figuresLine),
  ];
}

/**
 * An exchange stores a position's cost with eight places, so only these digits of its average entry are
 * reliable.
 */
function about(price: string): string {
  return Number(price).toPrecision(8);
}

function fillLine(fill: Outcome['fills'][number], labels: boolean): string {
  const { at, side, price, qty, maker, fee = '', label = '' } = fill;
  const [amount = '0', asset = ''] = fee.split(' ');
  const name = labels ? `, ${label}` : '';
  return `fill ${at} ${side} ${rounded(qty)} at ${rounded(price)} ${maker ? 'maker' : 'taker'}, fee ${rounded(amount)} ${asset}${name}`;
}

/** Engine, exchange and tick market each use their own text. */
const NOT_COVERED = /insufficient balance|margin is insufficient/i;

function endLine({ startedAt, endedAt, reason, error }: RunOutcome): string {
  const why = error === null ? '' : `: ${NOT_COVERED.test(error) ? 'not covered' : error}`;
  return `run from ${startedAt} to ${endedAt ?? 'the end'} ${reason ?? ''}${why}`.trim();
}

/** The holding of an ended run is not followed any more. */
function figuresLine({ endedAt, figures }: RunOutcome, i: number): string {
  const { unrealised, roi, annualised, ...settled } = figures;
  const told = endedAt === null ? { ...settled, unrealised, roi, annualised } : settled;
  return `figures of run ${i + 1} ${JSON.stringify(told)}`;
}
