/** What a side of a case has come to, as lines of text: two sides agree when their lines do. */
import { type Outcome, type RunOutcome, rounded } from '../scenarios/scenario.ts';

/** The first line that differs, of either side; null: none is left there. */
export interface Difference {
  readonly at: number;
  readonly expected: string | null;
  readonly got: string | null;
}

export interface LineOptions {
  /** What a run calls its orders is not known of those that an ended desk has not told. */
  readonly labels: boolean;
}

export function difference(expected: readonly string[], got: readonly string[]): Difference | null {
  const most = Math.max(expected.length, got.length);
  for (let at = 0; at < most; at++) {
    if (!same(expected[at], got[at])) return { at, expected: expected[at] ?? null, got: got[at] ?? null };
  }
  return null;
}

/** An exchange books with eight places, the tick market with all: after many bookings a sum is off by a few of the last. */
const SUM_OFF = 1e-6;
const NUMBER = /-?\d+(?:\.\d+)?/g;

/** Sums may be off by so little; what was traded may not. */
function same(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || !/^(?:balance|figures) /.test(a)) return false;
  if (a.replaceAll(NUMBER, '#') !== b.replaceAll(NUMBER, '#')) return false;
  const [ours, theirs] = [a, b].map((line) => (line.match(NUMBER) ?? []).map(Number)) as [number[], number[]];
  return ours.every((value, i) => Math.abs(value - (theirs[i] as number)) <= SUM_OFF);
}

/** Fills first, in order; then what follows from them. */
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
    // Of two entries at one price the older order fills first, and a crash may have sent the other one first.
    ...[...lots].sort().map((lot) => `lot ${lot}`),
    ...runs.map(figuresLine),
  ];
}

/** An exchange keeps what a position has cost with eight places, so its average entry has no more digits that hold. */
function about(price: string): string {
  return Number(price).toPrecision(8);
}

function fillLine(fill: Outcome['fills'][number], labels: boolean): string {
  const { at, side, price, qty, maker, fee = '', label = '' } = fill;
  const [amount = '0', asset = ''] = fee.split(' ');
  const name = labels ? `, ${label}` : '';
  return `fill ${at} ${side} ${rounded(qty)} at ${rounded(price)} ${maker ? 'maker' : 'taker'}, fee ${rounded(amount)} ${asset}${name}`;
}

/** Engine, exchange and tick market say it each in its own words. */
const NOT_COVERED = /insufficient balance|margin is insufficient/i;

function endLine({ startedAt, endedAt, reason, error }: RunOutcome): string {
  const why = error === null ? '' : `: ${NOT_COVERED.test(error) ? 'not covered' : error}`;
  return `run from ${startedAt} to ${endedAt ?? 'the end'} ${reason ?? ''}${why}`.trim();
}

/** Of an ended run what it holds is not followed any more. */
function figuresLine({ endedAt, figures }: RunOutcome, i: number): string {
  const { unrealised, roi, annualised, ...settled } = figures;
  const told = endedAt === null ? { ...settled, unrealised, roi, annualised } : settled;
  return `figures of run ${i + 1} ${JSON.stringify(told)}`;
}
