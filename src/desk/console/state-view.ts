/**
 * What a terminal mirrors (`protocol.ts`), read from the running parts: all of it, or what is marked as
 * changed. Pure reads.
 */
import type { Vault } from '../../access/vault/vault.ts';
import { OWNER } from '../../domain/actor.ts';
import type { AlertRecord } from '../../domain/bot.ts';
import { holderOf } from '../../domain/exchange.ts';
import { type Instrument, instrumentKey } from '../../domain/instrument.ts';
import type { LogLine } from '../../domain/rows.ts';
import { portfolioOf } from '../../engine/balances.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { closedWhy, unconfirmed } from '../../engine/permissions.ts';
import { orderViewOf } from '../../engine/views.ts';
import type { MarketDriver } from '../../market/driver.ts';
import type { Feed } from '../../market/feed.ts';
import type { AlertMuteSet } from '../alerts/alert-mutes.ts';
import type { DeskCore } from '../core/desk-core.ts';
import type { MarketView } from '../market/market-view.ts';
import type { DirtyMarks } from '../running.ts';
import { botView } from './console-bots.ts';
import { guardsViewOf } from './console-guards.ts';
import { shutOf } from './console-identity.ts';
import { vaultViewOf } from './console-vault.ts';
import { futuresViewOf } from './futures-view.ts';
import { mirroredAlert, mirroredBot, shortened } from './mirrored.ts';
import type {
  AccountConnection,
  AccountView,
  BotView,
  ClockView,
  DeskDelta,
  DeskInfo,
  DeskState,
  PaperView,
  PriceView,
} from './protocol.ts';

export interface StateSources {
  readonly core: DeskCore;
  readonly driver: MarketDriver;
  readonly feed: Feed;
  readonly view: MarketView;
  readonly info: DeskInfo;
  readonly wall: () => number;
  /** Settings of an embedded exchange; null for any other account. */
  readonly paper: (exchange: string) => PaperView | null;
  /** The connection of an account; null when it is one of this process. */
  readonly connection: (exchange: string) => AccountConnection | null;
  /** The operator's alerts, newest last. */
  readonly alerts: () => readonly AlertRecord[];
  readonly mutes: () => AlertMuteSet;
  readonly vault: Vault;
  /** Connections whose stops do not fire after a restart until the vault is unlocked. */
  readonly unattended: () => readonly string[];
}

export function stateOf(s: StateSources): DeskState {
  const { memory } = s.core.engine;
  const own = memory.accountsOf(OWNER);
  const prices: Record<string, PriceView> = {};
  for (const key of s.view.keys()) {
    const price = priceView(s, key);
    if (price) prices[key] = price;
  }
  return {
    desk: s.info,
    clock: clockOf(s),
    accounts: accountsOf(s),
    instruments: own.flatMap(({ instruments }) => [...instruments.values()]),
    prices,
    orders: Object.fromEntries(
      [...memory.orders.values()]
        .filter(({ user }) => user === OWNER)
        .map((order) => [order.id, orderViewOf(order)]),
    ),
    portfolios: Object.fromEntries(
      own.filter(isRead).map(({ account: { id } }) => [id, portfolio(s, id)] as const),
    ),
    futures: Object.fromEntries(
      own.filter(hasPositions).map((account) => [account.account.id, futuresViewOf(memory, account)]),
    ),
    bots: Object.fromEntries(
      (s.core.bots?.book.of(OWNER) ?? []).flatMap(({ id }) => {
        const bot = mirroredView(s, id);
        return bot ? [[id, bot]] : [];
      }),
    ),
    alerts: s.alerts().map(mirroredAlert),
    mutes: s.mutes(),
    equity: s.view.equity(memory),
    wallets: s.view.wallets,
    keys: s.core.keys.list(OWNER),
    vault: vaultViewOf(s.vault, s.wall(), s.unattended()),
    maintenance: s.core.maintenance,
    log: s.core.log.map(mirroredLine),
  };
}

export function deltaOf(s: StateSources, marks: DirtyMarks): DeskDelta {
  const { memory } = s.core.engine;
  const isOwn = (exchange: string) => memory.holder(exchange) === OWNER;
  return {
    ...(marks.clock ? { clock: clockOf(s) } : {}),
    ...(marks.accounts ? { accounts: accountsOf(s) } : {}),
    ...(marks.equity ? { equity: s.view.equity(memory) } : {}),
    ...(marks.wallets ? { wallets: s.view.wallets } : {}),
    ...(marks.keys ? { keys: s.core.keys.list(OWNER) } : {}),
    ...(marks.vault ? { vault: vaultViewOf(s.vault, s.wall(), s.unattended()) } : {}),
    ...(marks.maintenance ? { maintenance: s.core.maintenance } : {}),
    ...(marks.log.length > 0 ? { log: marks.log.map(mirroredLine) } : {}),
    ...(marks.instruments.size > 0 ? { instruments: instrumentsOf(s, marks.instruments) } : {}),
    ...collect('bots', marks.bots, (id) => mirroredView(s, id)),
    ...(marks.alerts ? { alerts: s.alerts().map(mirroredAlert), mutes: s.mutes() } : {}),
    ...collect('prices', marks.prices, (key) => priceView(s, key)),
    ...collect('portfolios', marks.portfolios, (id) =>
      isOwn(id) && isRead(memory.account(id)) ? portfolio(s, id) : undefined,
    ),
    ...collect('futures', marks.positions, (id) =>
      isOwn(id) && hasPositions(memory.account(id)) ? futuresViewOf(memory, memory.account(id)) : undefined,
    ),
    ...collect('orders', marks.orders, (id) => {
      const order = memory.orders.get(id);
      return order && order.user === OWNER ? orderViewOf(order) : null;
    }),
  };
}

function instrumentsOf(s: StateSources, keys: ReadonlySet<string>): Instrument[] {
  const own = s.core.engine.memory.accountsOf(OWNER);
  const all = own.flatMap(({ instruments }) => [...instruments.values()]);
  return all.filter((one) => keys.has(instrumentKey(one)));
}

function priceView(s: StateSources, key: string): PriceView | undefined {
  const price = s.view.priceAt(key);
  const why = price && s.core.engine.memory.market(price.market).staleWhy(price.symbol);
  return why ? { ...price, stale: why } : price;
}

function mirroredView(s: StateSources, id: string): BotView | null {
  const bot = botView(s.core, id);
  return bot && mirroredBot(bot);
}

function mirroredLine(line: LogLine): LogLine {
  const text = shortened(line.text);
  return text === line.text ? line : { ...line, text };
}

/** Whether the account has been read: before that it has no figures, which does not mean that it is empty. */
function isRead({ unread }: AccountMemory): boolean {
  return unread.size === 0;
}

function hasPositions(account: AccountMemory): boolean {
  return account.futures !== null && isRead(account);
}

function collect<K extends string, V>(
  name: K,
  ids: ReadonlySet<string>,
  read: (id: string) => V | undefined,
) {
  if (ids.size === 0) return {};
  const entries: [string, V][] = [];
  for (const id of ids) {
    const value = read(id);
    if (value !== undefined) entries.push([id, value]);
  }
  return { [name]: Object.fromEntries(entries) };
}

function clockOf(s: StateSources): ClockView {
  return {
    wall: s.wall(),
    market: s.driver.marketTime,
    feed: s.feed.label,
    live: s.feed.live,
    speed: s.driver.speed,
    held: s.driver.held,
    ended: s.driver.ended,
    ...(s.core.clockJump ? { jump: s.core.clockJump } : {}),
  };
}

function accountsOf(s: StateSources): AccountView[] {
  const own = [...s.core.links.values()].filter(({ venue }) => holderOf(venue.account) === OWNER);
  return own.map(({ venue, state, away, hasGap, since, requests, reconciled }) => ({
    ...venue.account,
    link: state,
    ...(away === null ? {} : { away }),
    ...(hasGap ? { gap: true as const } : {}),
    since,
    latencyMs: requests.latencyMs,
    clockOffsetMs: venue.health?.().clockOffsetMs ?? null,
    budgets: venue.health?.().budgets ?? [],
    reconciled,
    ...unexplainedOf(s, venue.account.id),
    ...identityOf(s, venue.account.id),
    ...permissionsOf(s, venue.account.id),
    ...guardsOf(s, venue.account.id),
    ...deadManOf(s, venue.account.id),
    ...connectionOf(s, venue.account.id),
    paper: s.paper(venue.account.id),
  }));
}

function unexplainedOf(s: StateSources, exchange: string): Pick<AccountView, 'unexplained'> {
  const found = s.core.engine.memory.account(exchange).wallet.ledger?.place?.unexplained ?? 0;
  return found > 0 ? { unexplained: found } : {};
}

function identityOf({ core }: StateSources, exchange: string): Pick<AccountView, 'identity' | 'shut'> {
  const identity = core.links.get(exchange)?.gate?.identity;
  const shut = shutOf(core, exchange);
  return { ...(identity ? { identity } : {}), ...(shut ? { shut } : {}) };
}

function permissionsOf(
  s: StateSources,
  exchange: string,
): Pick<AccountView, 'closed' | 'unconfirmed' | 'permissions'> {
  const account = s.core.engine.memory.account(exchange);
  const closed = closedWhy(account);
  const rights = unconfirmed(account);
  const told = account.permissions?.told;
  return {
    ...(closed === null ? {} : { closed }),
    ...(rights.length === 0 ? {} : { unconfirmed: rights }),
    ...(told ? { permissions: told } : {}),
  };
}

function deadManOf({ core }: StateSources, exchange: string): Pick<AccountView, 'deadMan'> {
  const deadMan = core.accounts.deadMen.get(exchange)?.view;
  return deadMan ? { deadMan } : {};
}

function connectionOf({ connection }: StateSources, exchange: string): Pick<AccountView, 'connection'> {
  const found = connection(exchange);
  return found ? { connection: found } : {};
}

function guardsOf({ core }: StateSources, exchange: string): Pick<AccountView, 'guards'> {
  const guards = guardsViewOf(core, exchange);
  return guards.meters ? { guards } : {};
}

function portfolio(s: StateSources, exchange: string) {
  const { memory } = s.core.engine;
  return portfolioOf(memory.account(exchange), { full: false, totalOnly: false });
}
