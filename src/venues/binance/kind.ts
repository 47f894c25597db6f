/** Binance as a kind of exchange: its markets, environments and addresses, and how its accounts are made. */
import { type MarketKind, originOf } from '../../domain/connection.ts';
import type { MarketData } from '../../market/market-data.ts';
import type { Net } from '../kit/net.ts';
import type { Venue } from '../venue.ts';
import type { OpenGiven, VenueKind } from '../venue-kind.ts';
import type { AccountGiven } from './account-given.ts';
import { FuturesAccount } from './futures/futures-account.ts';
import { binanceMarket } from './market/binance-market.ts';
import { SpotAccount } from './spot/spot-account.ts';

/** How the accounts of a market are made; a market that is missing here is not offered. */
const ACCOUNTS: Partial<Record<MarketKind, (given: AccountGiven) => Venue>> = {
  spot: (given) => new SpotAccount(given),
  futures: (given) => new FuturesAccount(given),
};

/** Endpoint of a market's requests; its budgets belong to the origin of that endpoint. */
const REST: Partial<Record<MarketKind, string>> = { spot: 'spot-rest', futures: 'futures-rest' };

export function binanceKind(net: Net): VenueKind {
  return {
    name: 'binance',
    title: 'Binance',
    markets: ['spot', 'futures'].filter((one): one is MarketKind => one in ACCOUNTS),
    environments: {
      live: offered([['spot', 'futures']]),
      testnet: offered([['spot']]),
      // A key of Demo Trading is good for one of its markets only.
      demo: offered([['spot'], ['futures']]),
    },
    endpoints: [
      {
        // The wallet says what a key may do; it has the address of spot.
        name: 'spot-rest',
        protocol: 'http' as const,
        addresses: {
          live: 'https://api.binance.com',
          testnet: 'https://testnet.binance.vision',
          demo: 'https://demo-api.binance.com',
        },
      },
      {
        name: 'spot-stream',
        protocol: 'ws' as const,
        markets: ['spot' as const],
        addresses: {
          live: 'wss://stream.binance.com:9443',
          testnet: 'wss://stream.testnet.binance.vision',
          demo: 'wss://demo-stream.binance.com',
        },
      },
      {
        name: 'spot-api',
        protocol: 'ws' as const,
        markets: ['spot' as const],
        addresses: {
          live: 'wss://ws-api.binance.com/ws-api/v3',
          testnet: 'wss://ws-api.testnet.binance.vision/ws-api/v3',
          demo: 'wss://demo-ws-api.binance.com/ws-api/v3',
        },
      },
      {
        name: 'futures-rest',
        protocol: 'http' as const,
        markets: ['futures' as const],
        addresses: { live: 'https://fapi.binance.com', demo: 'https://demo-fapi.binance.com' },
      },
      ...(['public', 'market', 'private'] as const).map((lane) => ({
        name: `futures-${lane}`,
        protocol: 'ws' as const,
        markets: ['futures' as const],
        addresses: {
          live: `wss://fstream.binance.com/${lane}`,
          demo: `wss://demo-fstream.binance.com/${lane}`,
        },
      })),
    ],
    credentials: [
      {
        name: 'apiKey',
        label: 'API key',
        help: 'Made at Binance under Account, API Management; it needs reading and trading, and neither withdrawals nor transfers.',
      },
      {
        name: 'secret',
        label: 'secret',
        help: 'Shown once when an HMAC key is made; of an Ed25519 key its private half, which begins with BEGIN PRIVATE KEY.',
      },
    ],
    makesKey: true,
    sharedWallet: false,
    open: (given) => given.accounts.map((account, at) => openAccount(given, account, at, net)),
    marketData: (given) => given.accounts.flatMap((account) => openMarket(given, account, net)),
  };
}

type MarketGiven = Parameters<VenueKind['marketData']>[0];

function openAccount(
  { connection, addresses, secrets, clock, random, ways, report = () => {} }: OpenGiven,
  account: OpenGiven['accounts'][number],
  at: number,
  net: Net,
): Venue {
  const market = connection.markets[at];
  const make = market && ACCOUNTS[market];
  const rest = addresses[(market && REST[market]) ?? ''];
  if (!make || rest === undefined) throw new Error(`Binance has no ${market ?? 'such market'} here`);
  const way = ways.way(originOf(rest));
  const { environment } = connection;
  const walletWay = () => ways.way(originOf(addresses['spot-rest'] ?? rest));
  return make({ account, environment, addresses, secrets, clock, random, net, way, walletWay, report });
}

/** The market whose prices an account trades at. */
function openMarket(
  { addresses, clock, random, ways, report = () => {} }: MarketGiven,
  { market, kind }: OpenGiven['accounts'][number],
  net: Net,
): readonly MarketData[] {
  const rest = addresses[REST[kind] ?? ''];
  if (market === undefined || rest === undefined) return [];
  const way = ways.way(originOf(rest));
  return [binanceMarket({ market, kind, net, clock, random, way, addresses, report })];
}

/** Leaves only built-in markets in each set; sets that become empty are dropped. */
function offered(sets: readonly (readonly MarketKind[])[]): readonly (readonly MarketKind[])[] {
  return sets.map((set) => set.filter((one) => one in ACCOUNTS)).filter((set) => set.length > 0);
}
