/** Makes the connections of a desk before its other parts and ties them to these once they exist. */

import { OWNER } from '../../domain/actor.ts';
import type { Clock, Random } from '../../domain/clock.ts';
import type { Connection } from '../../domain/connection.ts';
import { marketOf } from '../../domain/exchange.ts';
import { guardsName, REAL_GUARDS } from '../../domain/guards.ts';
import { mayBeOpen } from '../../domain/order.ts';
import type { Row } from '../../domain/rows.ts';
import type { LoadedState, Store } from '../../store/store.ts';
import { venueKinds } from '../../venues/kinds.ts';
import type { Addresses } from '../../venues/kit/addresses.ts';
import type { VenueKind } from '../../venues/venue-kind.ts';
import { noteMeta } from '../core/account-links.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { LiveMarkets } from '../market/live/live-markets.ts';
import type { Market } from '../market/open-market.ts';
import { type ConfigFile, Connections } from './connections.ts';
import type { ConnectionVault } from './stage.ts';
import type { StoredBans } from './stored-bans.ts';

export interface ConnectionsGiven {
  readonly clock: Clock;
  readonly random: Random;
  /** The connections of the configuration. */
  readonly configured: readonly Connection[];
  /** Default: the built-in ones. */
  readonly kinds?: readonly VenueKind[];
  readonly vault: ConnectionVault;
  /** One instance for the desk. */
  readonly ways: Addresses;
  /** Stored bans of those addresses. */
  readonly bans: StoredBans;
  /** The configuration file; left out: there is none. */
  readonly config?: ConfigFile;
}

export function openConnections({
  kinds = venueKinds(process.env),
  config = NO_FILE,
  ...given
}: ConnectionsGiven): Connections {
  return new Connections({ ...given, kinds, config });
}

/**
 * Sets the usual guards on accounts that somebody has added to a connection, before anything is sent there.
 * Returns the state after that.
 */
export function guardAdded(
  store: Pick<Store, 'commit'>,
  state: LoadedState,
  connections: Connections,
): LoadedState {
  const rows = connections
    .added(state.meta)
    .filter((id) => state.meta.get(guardsName(id)) == null)
    .map((id): Row => ({ kind: 'meta', name: guardsName(id), value: REAL_GUARDS }));
  if (rows.length === 0) return state;
  store.commit(rows);
  const meta = new Map(state.meta);
  noteMeta(meta, rows);
  return { ...state, meta };
}

export function tieConnections(
  connections: Connections,
  { core, market, live }: { readonly core: DeskCore; readonly market: Market; readonly live: LiveMarkets },
): void {
  connections.bans.store = (row) => core.turn.store([row], true);
  connections.tie({
    accounts: () => core.accounts,
    market: (data) => live.add(data),
    leaveMarket: async (market) => {
      if (!isTradedOn(core, market)) await live.remove(market);
    },
    meta: () => core.meta,
    store: (rows) => {
      core.turn.store(rows, true);
      return core.turn.read(() => {});
    },
    refused: () => offTheClock(market),
    standing: (accounts) => standingOn(core, accounts),
    changed: () => {
      core.mark({ kind: 'accounts' });
      core.mark({ kind: 'vault' });
    },
    report: (level, text) => core.report(level, 'exchange', text),
  });
}

/**
 * Returns why no real account is possible here: its time is the clock's, and a desk has one time
 * (exchanges.md 2).
 */
function offTheClock({ driver }: Market): string | null {
  if (!driver.live)
    return 'real accounts trade by the clock, and the prices of this desk do not run with it: start one without --speed and --feed csv:';
  if (driver.held)
    return 'real accounts trade by the clock, and the prices of this desk are held: play them first';
  return null;
}

/** Whether an account trades on a market: paper accounts mirror live ones. */
function isTradedOn({ engine }: DeskCore, market: string): boolean {
  return [...engine.memory.accounts.values()].some(
    ({ account, absent }) => !absent && marketOf(account) === market,
  );
}

/** Returns text like `2 open orders and 1 running bot`; null: there are none. */
function standingOn({ engine, bots }: DeskCore, accounts: readonly string[]): string | null {
  const orders = [...engine.memory.orders.values()].filter(
    (order) => accounts.includes(order.exchange) && mayBeOpen(order),
  ).length;
  const running = [...(bots?.book.of(OWNER) ?? [])].filter(
    (bot) => accounts.includes(bot.exchange) && bots?.book.running(bot),
  ).length;
  const parts = [
    ...(orders > 0 ? [`${orders} open ${orders === 1 ? 'order' : 'orders'}`] : []),
    ...(running > 0 ? [`${running} running ${running === 1 ? 'bot' : 'bots'}`] : []),
  ];
  if (parts.length === 0) return null;
  return `it has ${parts.join(' and ')}; ${running > 0 ? 'stop the bots and cancel the orders' : 'cancel them'} first`;
}

const NO_FILE: ConfigFile = {
  append: () => Promise.reject(new Error('this desk has no configuration file')),
  remove: () => Promise.reject(new Error('this desk has no configuration file')),
};
