/**
 * Paper accounts at the prices of live markets (`--feed binance`): which market each of them mirrors, and
 * which feed its prices come from. An account remembers its source: its holdings were bought at those prices,
 * and are not carried over to others.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Connection, MarketKind } from '../../domain/connection.ts';
import type { ExchangeAccount } from '../../domain/exchange.ts';
import { liveFeedOf } from '../../domain/live-feed.ts';
import { mayBeOpen } from '../../domain/order.ts';
import type { Row } from '../../domain/rows.ts';
import type { MarketData } from '../../market/market-data.ts';
import { pushedFeed } from '../../market/pushed.ts';
import { MARKETS } from '../../market/symbols.ts';
import type { LoadedState, Store } from '../../store/store.ts';
import type { Addresses } from '../../venues/kit/addresses.ts';
import { PAPER_FUTURES, PAPER_MARKET, PAPER_SPOT } from '../../venues/paper/accounts.ts';
import { paperTables } from '../../venues/paper/changes.ts';
import type { Mirror } from '../../venues/paper/mirror.ts';
import { accountsOf, addressesOf, type VenueKind } from '../../venues/venue-kind.ts';
import { instrumentsRow, keptInstruments } from '../core/known-accounts.ts';
import type { LiveMarkets } from '../market/live/live-markets.ts';
import type { openFeed } from '../market/market-cursor.ts';
import type { CompiledDeskOptions } from '../options.ts';
import { DeskStartError } from '../start-error.ts';

export interface MirrorsGiven {
  readonly options: Pick<CompiledDeskOptions, 'feed' | 'speed' | 'hold'> & {
    readonly feeds?: CompiledDeskOptions['feeds'];
  };
  readonly kinds: readonly VenueKind[];
  readonly clock: Clock;
  readonly random: Random;
  /** One instance for the desk: its connections to the same addresses use it too. */
  readonly ways: Addresses;
  readonly report: (text: string) => void;
}

/** The markets that paper accounts mirror. */
export interface Mirrors {
  readonly feed: string;
  readonly markets: readonly MarketData[];
  /** The paper accounts that are open. */
  readonly accounts: readonly ExchangeAccount[];
  /** Returns the market that an account mirrors; undefined: it mirrors none. */
  marketOf(account: string): MarketData | undefined;
  /** Opens the feed of the paper market, which then has no ticks of its own. */
  readonly openFeed: typeof openFeed;
}

/**
 * Opens the mirrors. Null: the paper market has prices of its own. Throws a DeskStartError for an unknown
 * exchange or market.
 */
export function openMirrors(given: MirrorsGiven): Mirrors | null {
  const { feed, speed, hold, feeds = {} } = given.options;
  const live = liveFeedOf(feed);
  if (live === null) return null;
  if (speed !== 1 || hold)
    throw new DeskStartError(`--feed ${feed} runs with the clock; leave out --speed and --hold`, 2);
  const kind = given.kinds.find(({ name }) => name === live.venue);
  if (!kind) throw new DeskStartError(`--feed ${feed}: ${live.venue} is not built in`, 2);
  const markets = kind.markets.filter((one) => live.part === null || partOf(one) === live.part);
  if (markets.length === 0)
    throw new DeskStartError(`--feed ${feed}: ${kind.title} has no ${live.part} market here`, 2);
  const connection: Connection = {
    name: live.venue,
    venue: live.venue,
    markets,
    environment: 'live',
    endpoints: feeds[live.venue] ?? {},
  };
  const found = addressesOf(kind, connection);
  if ('problem' in found) throw new DeskStartError(`[feeds.${live.venue}] ${found.problem}`, 2);
  const { clock, random, ways, report } = given;
  const accounts = accountsOf(kind, connection);
  const data = kind.marketData({
    connection,
    accounts,
    clock,
    random,
    ways,
    report,
    addresses: found.addresses,
  });
  const paper = markets.map((one) => (partOf(one) === 'spot' ? PAPER_SPOT : PAPER_FUTURES));
  const byAccount = new Map(
    paper.map((account, at) => [account.id, data.find(({ market }) => market === accounts[at]?.market)]),
  );
  return {
    feed,
    markets: data,
    accounts: paper,
    marketOf: (account) => byAccount.get(account),
    openFeed: (_options, _store, now) => ({ feed: pushedFeed(feed, now), samplePrices: () => [] }),
  };
}

function partOf(market: MarketKind): 'spot' | 'futures' {
  return market === 'spot' ? 'spot' : 'futures';
}

/** Returns the connection of a paper account to the market that it mirrors. */
export function mirrorOf(
  data: MarketData,
  account: string,
  meta: ReadonlyMap<string, unknown>,
  live: () => LiveMarkets,
): Mirror {
  const { market } = data;
  return {
    market,
    instruments: async () => (await data.instruments?.(account)) ?? null,
    // Symbols that the paper market always has are watched here, too: a new desk then shows some prices.
    opened(list) {
      const traded = new Set(list.map(({ symbol }) => symbol));
      for (const { symbol } of MARKETS) if (traded.has(symbol)) live().of(market)?.want(symbol, true);
    },
    before: keptInstruments(meta, account),
    isFresh: (symbol) => live().of(market)?.isFresh(symbol) ?? false,
    isBroken: (symbol) => live().of(market)?.isBroken(symbol) ?? true,
    want: (symbol) => live().of(market)?.want(symbol),
    funding: async (symbol, from, to) => (await data.funding?.(symbol, from, to)) ?? null,
  };
}

/** Stored as meta `paper-sources`: paper account -> the source of its prices. */
type Sources = Readonly<Record<string, { readonly market: string; readonly feed: string }>>;

const ROW = 'paper-sources';
const OWN = { market: PAPER_MARKET, feed: '' } as const;

/**
 * Stores the source of these accounts' prices before anything is traded at them. Returns the state after
 * that. Throws a DeskStartError where an account holds something at other prices.
 */
export function claimSources(
  store: Pick<Store, 'commit' | 'loadPaperAccount'>,
  state: LoadedState,
  accounts: readonly ExchangeAccount[],
  mirrors: Mirrors | null,
): LoadedState {
  const before = (state.meta.get(ROW) as Sources | undefined) ?? {};
  const now: Record<string, Sources[string]> = { ...before };
  const rows: Row[] = [];
  for (const account of accounts) {
    const was = before[account.id] ?? OWN;
    const market = mirrors?.marketOf(account.id)?.market ?? PAPER_MARKET;
    if (was.market === market) continue;
    const held = heldBy(store, state, account);
    if (held !== null)
      throw new DeskStartError(
        `${account.id} trades at ${was.market === PAPER_MARKET ? 'generated or replayed prices' : `the prices of ${was.market}`} and has ${held}: start ${was.feed === '' ? `without --feed ${mirrors?.feed}` : `with --feed ${was.feed}`} and end them first, or choose another folder with --data-dir`,
        2,
      );
    now[account.id] = { market, feed: mirrors?.feed ?? '' };
    // Instruments of the former source are not traded here.
    rows.push(instrumentsRow(account.id, []));
  }
  if (rows.length === 0) return state;
  rows.push({ kind: 'meta', name: ROW, value: now });
  store.commit(rows);
  const meta = new Map(state.meta);
  for (const row of rows) if (row.kind === 'meta') meta.set(row.name, row.value);
  return { ...state, meta };
}

/** Returns text like `2 open orders and a position`; null: nothing is held. */
function heldBy(
  store: Pick<Store, 'loadPaperAccount'>,
  { orders, runs }: LoadedState,
  { id, kind }: ExchangeAccount,
): string | null {
  const counts = [
    [orders.filter((order) => order.exchange === id && mayBeOpen(order)).length, 'open order'],
    [store.loadPaperAccount(kind).get(paperTables(kind).position)?.size ?? 0, 'position'],
    [runs.filter((run) => run.exchange === id && run.endedAt === null).length, 'running bot'],
  ] as const;
  const words = counts
    .filter(([count]) => count > 0)
    .map(([count, of]) => `${count} ${of}${count > 1 ? 's' : ''}`);
  return words.length === 0 ? null : words.join(', ');
}
