/**
 * Bugs of the market loop and of its recovery after a crash, planted at its ports (`mutations.ts` has those
 * of the engine): each must make a killed and resumed desk trade unlike an undisturbed one.
 */
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import type { MarketCursor } from '../../src/desk/market/market-cursor.ts';
import type { EngineEvent } from '../../src/engine/step.ts';
import type { Store } from '../../src/store/store.ts';
import type { Mutation } from './mutations.ts';

export type MarketMutationName =
  | 'no-step-before-match'
  | 'forget-unfinished'
  | 'late-dues'
  | 'forget-ahead'
  | 'match-before-bots'
  | 'time-runs-back';

export const MARKET_MUTATION_NAMES: readonly MarketMutationName[] = [
  'no-step-before-match',
  'forget-unfinished',
  'late-dues',
  'forget-ahead',
  'match-before-bots',
  'time-runs-back',
];

export const MARKET_MUTATIONS: Readonly<Record<MarketMutationName, Mutation>> = {
  'no-step-before-match': { name: 'the step before the match left out', desk: withoutStepBefore },
  'forget-unfinished': {
    name: 'an unfinished tick forgotten',
    store: (store) => withCursor(store, (cursor) => ({ ...cursor, unfinished: null })),
  },
  'late-dues': { name: 'dues come after the tick', desk: duesAfterTick },
  'forget-ahead': {
    name: 'what was ahead is not resumed',
    store: (store) => withCursor(store, (cursor) => ({ ...cursor, ahead: null })),
  },
  'match-before-bots': { name: 'exchanges match before the bots are told', desk: matchFirst },
  'time-runs-back': { name: 'market time runs back now and then', desk: timeRunsBack },
};

/** Changes the steps of the market loop; steps of others pass unchanged. */
function tapSteps(
  core: DeskCore,
  tap: (event: EngineEvent, step: (event: EngineEvent) => void) => void,
): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (event) => tap(event, step);
}

function withoutStepBefore(core: DeskCore): void {
  tapSteps(core, (event, step) => {
    if (event.type !== 'market') step(event);
  });
}

/** The bots receive a tick only after its matches. */
function matchFirst(core: DeskCore): void {
  let waiting: EngineEvent | null = null;
  tapSteps(core, (event, step) => {
    if (event.type === 'market') {
      waiting = event;
      return;
    }
    if (event.type === 'tick' && waiting) step(waiting);
    waiting = event.type === 'tick' ? null : waiting;
    step(event);
  });
}

/** Closes and timers are reported only after the tick that follows them. */
function duesAfterTick(core: DeskCore): void {
  const { bots } = core;
  if (bots) Object.defineProperty(bots, 'nextDue', { get: () => Number.POSITIVE_INFINITY });
}

function timeRunsBack(core: DeskCore): void {
  const { turn } = core;
  const now = turn.now.bind(turn);
  let count = 0;
  turn.now = () => {
    const time = now();
    return count++ % 3 === 0 ? { ...time, market: time.market - 60_000 } : time;
  };
}

function withCursor(store: Store, change: (cursor: MarketCursor) => MarketCursor): Store {
  return {
    ...store,
    load: (since) => {
      const state = store.load(since);
      const cursor = state.meta.get('market') as MarketCursor | undefined;
      return cursor ? { ...state, meta: new Map(state.meta).set('market', change(cursor)) } : state;
    },
  };
}
