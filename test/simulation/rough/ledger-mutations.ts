/** Planted bugs of the ledger: rows that are lost or count twice, and false differences. */
import type { DeskCore } from '../../../src/desk/core/desk-core.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import type { Store } from '../../../src/store/store.ts';
import type { LedgerPage, LedgerQuery, Venue } from '../../../src/venues/venue.ts';
import type { Mutation } from '../mutations.ts';
import { over } from '../venue-over.ts';

export const LEDGER_MUTATION_NAMES = [
  'ledger-twice',
  'ledger-one-page',
  'ledger-fails-empty',
  'ledger-place-first',
  'ledger-no-sums',
  'ledger-one-look',
  'ledger-lost-row',
] as const;

export type LedgerMutationName = (typeof LEDGER_MUTATION_NAMES)[number];

export const LEDGER_MUTATIONS: Readonly<Record<LedgerMutationName, Mutation>> = {
  'ledger-twice': {
    name: 'a row of the ledger that is told twice counts twice',
    store: (store) => under(store, { isInLedger: () => false }),
  },
  'ledger-one-page': {
    name: 'the first page of a ledger is all there is',
    venue: pages((page) => page && { ...page, more: false, next: page.more ? '999999' : page.next }),
  },
  'ledger-fails-empty': {
    name: 'a question about a ledger that fails says that there is nothing',
    venue: pages((page, { after }) => page ?? { rows: [], next: after, more: false }),
  },
  'ledger-place-first': {
    name: 'the place in a ledger is stored before its rows',
    store: storesPlacesAlone,
  },
  'ledger-no-sums': {
    name: 'a start does not know what the wallets are made of',
    store: (store) =>
      under(store, {
        load: (since) => {
          const state = store.load(since);
          const meta = [...state.meta].filter(([name]) => !name.startsWith('wallet '));
          return { ...state, meta: new Map(meta) };
        },
      }),
  },
  'ledger-one-look': {
    name: 'what one comparison finds is so',
    desk: steps((step, event) => {
      step(event);
      if (event.type === 'audit') step({ ...event, askedAt: Number.MAX_SAFE_INTEGER });
    }),
  },
  'ledger-lost-row': {
    name: 'of many rows of a page the last is lost',
    desk: steps((step, event) =>
      step(event.type === 'ledger' ? { ...event, entries: event.entries.slice(0, 2) } : event),
    ),
  },
};

function under(store: Store, change: Partial<Store>): Store {
  return new Proxy(store, {
    get: (_, name) => {
      const own: unknown = Reflect.get(change, name) ?? Reflect.get(store, name);
      return typeof own === 'function' ? own.bind(store) : own;
    },
  });
}

function pages(
  change: (page: LedgerPage | null, q: LedgerQuery) => LedgerPage | null,
): (venue: Venue) => Venue {
  return (venue) => over(venue, { ledger: async (q) => change((await venue.ledger?.(q)) ?? null, q) });
}

function steps(
  change: (step: (event: EngineEvent) => void, event: EngineEvent) => void,
): (core: DeskCore) => void {
  return ({ turn }) => {
    const step = turn.step.bind(turn);
    turn.step = (event: EngineEvent) => change(step, event);
  };
}

/** Stores ledger rows and their sums one commit after the cursor that includes them. */
function storesPlacesAlone(store: Store): Store {
  let late: Parameters<Store['commit']>[0] = [];
  return under(store, {
    commit: (rows) => {
      const isLate = (row: (typeof rows)[number]) =>
        row.kind === 'ledger' || (row.kind === 'meta' && row.name.startsWith('wallet '));
      store.commit([...late, ...rows.filter((row) => !isLate(row))]);
      late = rows.filter(isLate);
    },
  });
}
