/** OKX as a kind of exchange: its markets, environments and addresses, and how its accounts are made. */
import { originOf } from '../../domain/connection.ts';
import type { MarketData } from '../../market/market-data.ts';
import type { Net } from '../kit/net.ts';
import type { Venue } from '../venue.ts';
import type { EndpointForm, OpenGiven, VenueKind } from '../venue-kind.ts';
import type { OkxMarketKind } from './account-given.ts';
import { okxMarket } from './market/okx-market.ts';
import { OkxAccount } from './okx-account.ts';

const SOCKETS = ['public', 'private', 'business'] as const;

/**
 * OD "Production Trading Services", "Demo Trading Services": demo has the address of live and an extra
 * header.
 */
const ENDPOINTS: readonly EndpointForm[] = [
  {
    name: 'rest',
    protocol: 'http',
    addresses: { live: 'https://openapi.okx.com', demo: 'https://openapi.okx.com' },
  },
  ...SOCKETS.map(
    (one): EndpointForm => ({
      name: `${one}-stream`,
      protocol: 'ws',
      addresses: {
        live: `wss://ws.okx.com:8443/ws/v5/${one}`,
        demo: `wss://wspap.okx.com:8443/ws/v5/${one}`,
      },
    }),
  ),
];

export function okxKind(net: Net): VenueKind {
  return {
    name: 'okx',
    title: 'OKX',
    markets: ['spot', 'swap'],
    environments: { live: [['spot', 'swap']], demo: [['spot', 'swap']] },
    endpoints: ENDPOINTS,
    credentials: [
      {
        name: 'apiKey',
        label: 'API key',
        help: 'Made at OKX under API; it needs the rights to read and to trade, and not to withdraw. Demo Trading has keys of its own.',
      },
      { name: 'secret', label: 'secret', help: 'Shown once when the key is made.' },
      { name: 'passphrase', label: 'passphrase', help: 'What you have set when the key was made.' },
    ],
    sharedWallet: true,
    open: (given) => given.accounts.map((account, at) => openAccount(given, account, at, net)),
    marketData: (given) => given.accounts.map((account, at) => openMarket(given, account, at, net)),
  };
}

function kindOf({ connection }: Pick<OpenGiven, 'connection'>, at: number): OkxMarketKind {
  const kind = connection.markets[at];
  if (kind !== 'spot' && kind !== 'swap') throw new Error(`OKX has no ${kind ?? 'such market'} here`);
  return kind;
}

function restOf(addresses: OpenGiven['addresses']): string {
  const { rest } = addresses;
  if (rest === undefined) throw new Error('OKX has no address for rest here');
  return originOf(rest);
}

function openAccount(given: OpenGiven, account: OpenGiven['accounts'][number], at: number, net: Net): Venue {
  const { connection, addresses, secrets, clock, random, ways, report = () => {} } = given;
  const { environment, markets, name } = connection;
  return new OkxAccount({
    account,
    kind: kindOf(given, at),
    markets,
    connection: name,
    environment,
    addresses,
    secrets,
    clock,
    random,
    net,
    report,
    way: ways.way(restOf(addresses)),
  });
}

function openMarket(
  given: Parameters<VenueKind['marketData']>[0],
  account: OpenGiven['accounts'][number],
  at: number,
  net: Net,
): MarketData {
  const { connection, addresses, clock, random, ways, report = () => {} } = given;
  const kind = kindOf(given, at);
  return okxMarket({
    market: account.market ?? `okx-${kind}`,
    kind,
    net,
    clock,
    random,
    addresses,
    report,
    environment: connection.environment,
    way: ways.way(restOf(addresses)),
  });
}
