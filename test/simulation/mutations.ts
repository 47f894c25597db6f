/**
 * The six bugs of testing.md and some of the bots, planted at the desk's ports: a test of the simulation
 * itself. No product code is changed; each makes the desk behave as if its code had the bug.
 */
import type { BotEngine } from '../../src/bots/runtime/bot-engine.ts';
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import type { ExchangeFill, SubmitOutcome } from '../../src/domain/exchange.ts';
import { CLOCK_MARGIN_MS } from '../../src/engine/back-off.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { Store } from '../../src/store/store.ts';
import type { Net } from '../../src/venues/kit/net.ts';
import type { Venue } from '../../src/venues/venue.ts';
import { AMEND_MUTATION_NAMES, AMEND_MUTATIONS, type AmendMutationName } from './amend-mutations.ts';
import {
  cleansUpAllButOne,
  cyclesTwice,
  forgetsAnOrder,
  keepsReserving,
  keepsWhatIsGone,
  sellsForOthers,
  spendsTooMuch,
  storesTooLate,
} from './bot-mutations.ts';
import { guardsHoldExits, guardsHoldPanic, type LargeMutationName } from './large-mutations.ts';
import { MARKET_MUTATION_NAMES, MARKET_MUTATIONS, type MarketMutationName } from './market-mutations.ts';
import type { Mode } from './pool.ts';
import { REPLACE_MUTATION_NAMES, REPLACE_MUTATIONS, type ReplaceMutationName } from './replace-mutations.ts';
import { ROUGH_MUTATION_NAMES, ROUGH_MUTATIONS, type RoughMutationName } from './rough/rough-mutations.ts';
import { over, withSink } from './venue-over.ts';
import {
  VENUE_MUTATION_NAMES,
  VENUE_MUTATIONS,
  type VenueMutationName,
  venueOf,
} from './venues/venue-mutations.ts';

export interface Mutation {
  readonly name: string;
  readonly venue?: (venue: Venue) => Venue;
  /** The network of a desk that is connected to an exchange. */
  readonly net?: (net: Net) => Net;
  readonly store?: (store: Store) => Store;
  readonly desk?: (core: DeskCore) => void;
  /** Plants the bug in the bots that a start has loaded. */
  readonly bots?: (bots: BotEngine) => void;
  /** Whether the exchange accepts a used client id again. */
  readonly acceptUsedId?: boolean;
}

/** `alias`: records an exchange order id that the planted bug invented, with the order that it stands for. */
export function mutationsFor(
  alias: (id: string, order: string) => void,
): Readonly<Record<MutationName, Mutation>> {
  return {
    'send-before-durable': { name: 'send before the row is durable', desk: sendBeforeDurable },
    'fills-twice': { name: 'fills not deduplicated by trade id', venue: freshTradeIds },
    'new-id': { name: 'new client id after a timeout', venue: (venue) => newIdAfterTimeout(venue, alias) },
    'stream-only': { name: 'stream only, no missed-fill query', venue: noFillsInAnswers },
    'no-window': { name: '"not found" trusted without a validity window', venue: noWindow },
    resend: { name: 'blind re-send of the same client id', venue: resend, acceptUsedId: true },
    'forget-order': { name: 'a resumed run forgets an order', bots: forgetsAnOrder },
    'clean-up': { name: 'a clean-up skips an order', bots: cleansUpAllButOne },
    reserve: { name: 'a reservation is not given back', bots: keepsReserving },
    'late-state': { name: 'a fill is stored without its run', bots: storesTooLate },
    'cycle-twice': { name: 'a run completes two cycles in one tick', bots: cyclesTwice },
    'over-deposit': { name: 'a run spends a thousand times its deposit', bots: spendsTooMuch },
    'sells-for-others': { name: 'an exit is sized by the position', bots: sellsForOthers },
    'keeps-what-is-gone': { name: 'a close by others is taken from no run', bots: keepsWhatIsGone },
    'guards-hold-exits': { name: 'a guard stands against an exit', bots: guardsHoldExits },
    'guards-hold-panic': { name: 'a guard stands against a panic', desk: guardsHoldPanic },
    ...AMEND_MUTATIONS,
    ...MARKET_MUTATIONS,
    ...REPLACE_MUTATIONS,
    ...ROUGH_MUTATIONS,
    ...VENUE_MUTATIONS,
  };
}

export type MutationName =
  | 'send-before-durable'
  | 'fills-twice'
  | 'new-id'
  | 'stream-only'
  | 'no-window'
  | 'resend'
  | AmendMutationName
  | BotMutationName
  | MarketMutationName
  | ReplaceMutationName
  | RoughMutationName
  | VenueMutationName;

/** Bugs that are caught only where bots run. */
export type BotMutationName =
  | 'forget-order'
  | 'clean-up'
  | 'reserve'
  | 'late-state'
  | 'cycle-twice'
  | 'over-deposit'
  | 'sells-for-others'
  | 'keeps-what-is-gone'
  | LargeMutationName;

export const BOT_MUTATION_NAMES: readonly BotMutationName[] = [
  'forget-order',
  'clean-up',
  'reserve',
  'late-state',
  'cycle-twice',
  'over-deposit',
  'sells-for-others',
  'keeps-what-is-gone',
  'guards-hold-exits',
  'guards-hold-panic',
];

export const ORDER_MUTATION_NAMES: readonly MutationName[] = [
  'send-before-durable',
  'fills-twice',
  'new-id',
  'stream-only',
  'no-window',
  'resend',
  ...AMEND_MUTATION_NAMES,
];

export const MUTATION_NAMES: readonly MutationName[] = [
  ...ORDER_MUTATION_NAMES,
  ...BOT_MUTATION_NAMES,
  ...MARKET_MUTATION_NAMES,
  ...REPLACE_MUTATION_NAMES,
  ...ROUGH_MUTATION_NAMES,
  ...VENUE_MUTATION_NAMES,
];

/**
 * The mode in which a planted bug shows: a world of orders, one with bots, or one where a killed desk trades
 * unlike an undisturbed one.
 */
export function showsIn(name: MutationName): Mode {
  const among = (names: readonly MutationName[]) => names.includes(name);
  const venue = venueOf(name);
  if (venue) return venue;
  if (among(MARKET_MUTATION_NAMES)) return 'replay';
  if (among(REPLACE_MUTATION_NAMES)) return 'amends';
  if (among(ROUGH_MUTATION_NAMES)) return 'rough';
  return among(BOT_MUTATION_NAMES) ? 'bots' : 'orders';
}

function sendBeforeDurable(core: DeskCore): void {
  const { turn } = core;
  const take = turn.take.bind(turn);
  const { release } = core as unknown as { release(effect: Effect): void };
  turn.take = (result) => {
    for (const effect of result.effects) if (effect.kind === 'submit') release.call(core, effect);
    take({ ...result, effects: result.effects.filter((effect) => effect.kind !== 'submit') });
  };
}

function freshTradeIds(venue: Venue): Venue {
  let count = 0;
  const fresh = (fill: ExchangeFill): ExchangeFill => ({ ...fill, tradeId: `${fill.tradeId}#${count++}` });
  return over(venue, {
    open: (sink) => venue.open(withSink(sink, { fill: (fill) => sink.fill(fresh(fill)) })),
    query: async (ref) => {
      const outcome = await venue.query(ref);
      return outcome.kind === 'found' ? { ...outcome, fills: outcome.fills.map(fresh) } : outcome;
    },
  });
}

function newIdAfterTimeout(venue: Venue, alias: (id: string, order: string) => void): Venue {
  const original = new Map<string, string>();
  const current = new Map<string, string>();
  const back = <T extends { readonly clientId: string }>(x: T): T => ({
    ...x,
    clientId: original.get(x.clientId) ?? x.clientId,
  });
  const ref = (r: { clientId: string; symbol: string }) => ({
    ...r,
    clientId: current.get(r.clientId) ?? r.clientId,
  });
  return over(venue, {
    open: (sink) =>
      venue.open(
        withSink(sink, { order: (state) => sink.order(back(state)), fill: (fill) => sink.fill(back(fill)) }),
      ),
    submit: async (order): Promise<SubmitOutcome> => {
      const first = await venue.submit(order);
      if (first.kind !== 'unknown') return first;
      const id = `${order.clientId}x`;
      alias(id, order.clientId);
      original.set(id, order.clientId);
      current.set(order.clientId, id);
      const second = await venue.submit({ ...order, clientId: id });
      return second.kind === 'accepted' ? { ...second, state: back(second.state) } : second;
    },
    cancel: async (r) => {
      const outcome = await venue.cancel(ref(r));
      return 'state' in outcome && outcome.state ? { ...outcome, state: back(outcome.state) } : outcome;
    },
    query: async (r) => {
      const outcome = await venue.query(ref(r));
      if (outcome.kind !== 'found') return outcome;
      return { ...outcome, state: back(outcome.state), fills: outcome.fills.map(back) };
    },
    openOrders: async () => (await venue.openOrders())?.map(back) ?? null,
  });
}

function noFillsInAnswers(venue: Venue): Venue {
  return over(venue, {
    query: async (ref) => {
      const outcome = await venue.query(ref);
      return outcome.kind === 'found' ? { ...outcome, fills: [] } : outcome;
    },
  });
}

function noWindow(venue: Venue): Venue {
  return over(venue, { caps: { ...venue.caps, validityWindowMs: -CLOCK_MARGIN_MS } });
}

function resend(venue: Venue): Venue {
  return over(venue, {
    submit: async (order) => {
      const first = await venue.submit(order);
      return first.kind === 'unknown' ? venue.submit(order) : first;
    },
  });
}
