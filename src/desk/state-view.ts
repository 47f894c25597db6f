/** What a terminal mirrors (`protocol.ts`), read from the running parts: whole, or what is marked as changed. Pure reads. */
import { OWNER } from '../domain/actor.ts';
import { portfolioOf } from '../engine/balances.ts';
import { orderViewOf } from '../engine/views.ts';
import type { FeedDriver } from '../market/driver.ts';
import type { Feed } from '../market/feed.ts';
import type { DeskCore } from './desk-core.ts';
import { futuresViewOf } from './futures-view.ts';
import type { MarketView } from './market-view.ts';
import type { AccountView, ClockView, DeskDelta, DeskInfo, DeskState, PriceView } from './protocol.ts';
import type { DirtyMarks } from './running.ts';

export interface StateSources {
  readonly core: DeskCore;
  readonly driver: FeedDriver;
  readonly feed: Feed;
  readonly view: MarketView;
  readonly info: DeskInfo;
  readonly speed: number | 'max';
  readonly wall: () => number;
}

export function stateOf(s: StateSources): DeskState {
  const { memory } = s.core.engine;
  const prices: Record<string, PriceView> = {};
  for (const symbol of s.view.symbols()) {
    const price = s.view.price(symbol);
    if (price) prices[symbol] = price;
  }
  return {
    desk: s.info,
    clock: clockOf(s),
    accounts: accountsOf(s),
    instruments: [...memory.accounts.values()].flatMap(({ instruments }) => [...instruments.values()]),
    prices,
    orders: Object.fromEntries(
      [...memory.orders.values()]
        .filter(({ user }) => user === OWNER)
        .map((order) => [order.id, orderViewOf(order)]),
    ),
    portfolios: Object.fromEntries([...memory.accounts.keys()].map((id) => [id, portfolio(s, id)])),
    futures: Object.fromEntries(
      [...memory.accounts.values()]
        .filter(({ futures }) => futures !== null)
        .map((account) => [account.account.id, futuresViewOf(memory, account)]),
    ),
    equity: s.view.equity(memory),
    keys: s.core.keys.list(OWNER),
    log: [...s.core.log],
  };
}

export function deltaOf(s: StateSources, marks: DirtyMarks): DeskDelta {
  const { memory } = s.core.engine;
  return {
    ...(marks.clock ? { clock: clockOf(s) } : {}),
    ...(marks.accounts ? { accounts: accountsOf(s) } : {}),
    ...(marks.equity ? { equity: s.view.equity(memory) } : {}),
    ...(marks.keys ? { keys: s.core.keys.list(OWNER) } : {}),
    ...(marks.log.length > 0 ? { log: marks.log } : {}),
    ...collect('prices', marks.prices, (symbol) => s.view.price(symbol) ?? undefined),
    ...collect('portfolios', marks.portfolios, (id) => portfolio(s, id)),
    ...collect('futures', marks.positions, (id) => futuresViewOf(memory, memory.account(id))),
    ...collect('orders', marks.orders, (id) => {
      const order = memory.orders.get(id);
      return order && order.user === OWNER ? orderViewOf(order) : null;
    }),
  };
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
    speed: s.speed,
    held: s.driver.held,
    ended: s.driver.ended,
  };
}

function accountsOf(s: StateSources): AccountView[] {
  return [...s.core.links.values()].map(({ venue, state, latencyMs }) => ({
    ...venue.account,
    link: state,
    latencyMs,
  }));
}

function portfolio(s: StateSources, exchange: string) {
  const { memory } = s.core.engine;
  return portfolioOf(memory, memory.account(exchange), { full: false, totalOnly: false });
}
