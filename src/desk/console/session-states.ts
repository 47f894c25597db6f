/** A session's state messages, without their numbers yet. Pure. */
import { lessFor } from './locked.ts';
import type { DeskDelta, DeskState, EquityView, FromDesk, Me } from './protocol.ts';
import { deltaParts, emptied, snapshotParts } from './state-parts.ts';

type StateMessage = Exclude<FromDesk, { t: 'result' | 'error' | 'welcome' | 'bye' }>;
type Numbered<T> = T extends unknown ? Omit<T, 'seq'> : never;

/** A state message without its number. */
export type Unsent = Numbered<StateMessage>;

const NO_EQUITY: EquityView = { usd: '0', btc: null, partial: true, spark: [], dayStartUsd: null };

/** Returns the state of a locked terminal: its identity, and nothing of the account. */
export function lockedState(state: DeskState, me: Me): Unsent {
  return { t: 'snapshot', state: { ...lessFor('viewer', emptied(state)), equity: NO_EQUITY, me } };
}

/** Yields a whole state in parts. */
export function* inParts(state: DeskState): Generator<Unsent, void, undefined> {
  let first = true;
  for (const part of snapshotParts(state)) {
    yield first ? { t: 'snapshot', state: { ...emptied(state), ...part } } : { t: 'part', part };
    first = false;
  }
}

/** Yields the messages of a change. */
export function* deltasOf(delta: DeskDelta): Generator<Unsent, void, undefined> {
  for (const part of deltaParts(delta)) yield { t: 'delta', delta: part };
}
