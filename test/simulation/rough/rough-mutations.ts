/**
 * Planted bugs in the connection to the rough exchange: one for each thing that a desk must not take on trust
 * from an exchange (exchanges.md 4).
 */
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import { PAPER_MARKET } from '../../../src/venues/paper/paper-venue.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import type { Mutation } from '../mutations.ts';
import { over } from '../venue-over.ts';
import {
  DEAD_MAN_MUTATION_NAMES,
  DEAD_MAN_MUTATIONS,
  type DeadManMutationName,
} from './dead-man-mutations.ts';
import {
  ROUGH_FUTURES_MUTATION_NAMES,
  ROUGH_FUTURES_MUTATIONS,
  type RoughFuturesMutationName,
} from './futures-mutations.ts';
import { LEDGER_MUTATION_NAMES, LEDGER_MUTATIONS, type LedgerMutationName } from './ledger-mutations.ts';
import { isOthersName, isRough, ROUGH_MARKET } from './rough-account.ts';
import { fills, states } from './tellers.ts';

export const ROUGH_MUTATION_NAMES = [
  'believes-lists',
  'one-trade-id',
  'one-page',
  'one-market',
  'newest-is-last',
  'taken-is-open',
  'nobody-else',
  'names-only',
  'absent-is-gone',
  'answers-are-new',
  'gone-is-nothing',
  ...ROUGH_FUTURES_MUTATION_NAMES,
  ...LEDGER_MUTATION_NAMES,
  ...DEAD_MAN_MUTATION_NAMES,
] as const;

export type RoughMutationName =
  | (typeof ROUGH_MUTATION_NAMES)[number]
  | RoughFuturesMutationName
  | LedgerMutationName
  | DeadManMutationName;

export const ROUGH_MUTATIONS: Readonly<Record<RoughMutationName, Mutation>> = {
  ...ROUGH_FUTURES_MUTATIONS,
  ...LEDGER_MUTATIONS,
  ...DEAD_MAN_MUTATIONS,
  'believes-lists': {
    name: 'every list of open orders is of now',
    venue: rough((venue) => {
      const { settleMs: _, ...caps } = venue.caps;
      return over(venue, { caps });
    }),
  },
  'one-trade-id': { name: 'the number of a trade is one of the account', venue: rough(oneTradeId) },
  'one-page': {
    name: 'the first page of executions is all there is',
    venue: rough((venue) =>
      over(venue, {
        fills: async (q) => {
          const page = await venue.fills(q);
          return page && { ...page, more: false, next: page.more ? '999999' : page.next };
        },
      }),
    ),
  },
  'one-market': { name: 'a symbol has one price', desk: oneMarket },
  'gone-is-nothing': { name: 'a symbol that is not traded any more is nothing', desk: goneIsNothing },
  'newest-is-last': { name: 'what arrives last is the newest', venue: rough(newestIsLast) },
  'taken-is-open': {
    name: 'what was taken is not refused',
    venue: rough((venue) => states(venue, (state) => (state.status === 'REJECTED' ? null : state))),
  },
  'nobody-else': {
    name: 'nobody else trades on the account',
    venue: rough((venue) => {
      const ours = <T extends { readonly clientId: string }>(what: T) =>
        isOthersName(what.clientId) ? null : what;
      return fills(states(venue, ours), ours);
    }),
  },
  'names-only': {
    name: 'an execution names its order',
    venue: rough((venue) => fills(venue, (fill) => (fill.clientId === '' ? null : fill))),
  },
  'absent-is-gone': {
    name: 'what an exchange does not know has ended',
    venue: rough((venue) =>
      over(venue, {
        query: async (ref) => {
          const outcome = await venue.query(ref);
          if (outcome.kind !== 'absent') return outcome;
          const end = { status: 'CANCELLED', origQty: '0', cumQty: '0', seq: 1_000_000, time: 0 } as const;
          return { kind: 'found', state: { ...ref, ...end }, fills: [] };
        },
      }),
    ),
  },
  'answers-are-new': {
    name: 'an answer is newer than the events before it',
    venue: rough((venue) =>
      over(venue, {
        balances: async () =>
          (await venue.balances())?.map((b) => ({ ...b, time: 4_000_000_000_000 })) ?? null,
      }),
    ),
  },
};

/** Changes only the connections to the rough exchange. */
function rough(change: (venue: Venue) => Venue): (venue: Venue) => Venue {
  return (venue) => (isRough(venue.account.id) ? change(venue) : venue);
}

function oneTradeId(venue: Venue): Venue {
  const symbols = new Map<string, string>();
  return fills(venue, (fill) => {
    const first = symbols.get(fill.tradeId) ?? fill.symbol;
    symbols.set(fill.tradeId, first);
    return first === fill.symbol ? fill : null;
  });
}

function newestIsLast(venue: Venue): Venue {
  let arrivals = 1_000_000;
  return states(venue, (state) => ({ ...state, seq: ++arrivals }));
}

function goneIsNothing(core: DeskCore): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (input: EngineEvent) => {
    step(input);
    if (input.type !== 'instruments') return;
    const { instruments, numbers } = core.engine.memory.account(input.exchange);
    for (const { symbol, delisted } of [...instruments.values()]) {
      if (!delisted) continue;
      instruments.delete(symbol);
      numbers.delete(symbol);
    }
  };
}

function oneMarket(core: DeskCore): void {
  const { turn } = core;
  const step = turn.step.bind(turn);
  turn.step = (input: EngineEvent) => {
    step(input);
    if (input.type === 'tick' && input.market === PAPER_MARKET) step({ ...input, market: ROUGH_MARKET });
  };
}
