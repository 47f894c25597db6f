/** Bybit as a kind of exchange: its markets, environments and addresses, and how its accounts are made. */
import { originOf } from '../../domain/connection.ts';
import type { MarketData } from '../../market/market-data.ts';
import type { Net } from '../kit/net.ts';
import type { VenueKind } from '../venue-kind.ts';
import { BybitAccount } from './account.ts';
import { categoryOf } from './category.ts';
import { bybitMarket } from './market/bybit-market.ts';

const BOTH = [['spot', 'futures']] as const;

export function bybitKind(net: Net): VenueKind {
  return {
    name: 'bybit',
    title: 'Bybit',
    markets: ['spot', 'futures'],
    environments: { live: BOTH, testnet: BOTH, demo: BOTH },
    endpoints: [
      {
        name: 'rest',
        protocol: 'http',
        addresses: {
          live: 'https://api.bybit.com',
          testnet: 'https://api-testnet.bybit.com',
          demo: 'https://api-demo.bybit.com',
        },
      },
      {
        // The public prices of demo are those of the live exchange (DOC demo).
        name: 'spot-stream',
        protocol: 'ws',
        markets: ['spot'],
        addresses: {
          live: 'wss://stream.bybit.com/v5/public/spot',
          testnet: 'wss://stream-testnet.bybit.com/v5/public/spot',
          demo: 'wss://stream.bybit.com/v5/public/spot',
        },
      },
      {
        name: 'linear-stream',
        protocol: 'ws',
        markets: ['futures'],
        addresses: {
          live: 'wss://stream.bybit.com/v5/public/linear',
          testnet: 'wss://stream-testnet.bybit.com/v5/public/linear',
          demo: 'wss://stream.bybit.com/v5/public/linear',
        },
      },
      {
        name: 'private-stream',
        protocol: 'ws',
        addresses: {
          live: 'wss://stream.bybit.com/v5/private',
          testnet: 'wss://stream-testnet.bybit.com/v5/private',
          demo: 'wss://stream-demo.bybit.com/v5/private',
        },
      },
    ],
    credentials: [
      {
        name: 'apiKey',
        label: 'API key',
        help: 'Made at Bybit under API, system-generated; it needs Unified Trading (orders and positions, spot), and neither withdrawals nor transfers.',
      },
      { name: 'secret', label: 'secret', help: 'Shown once when the key is made.' },
    ],
    sharedWallet: true,
    open: ({ connection, addresses, accounts, secrets, clock, random, ways, report = () => {} }) =>
      accounts.map((account) => {
        const way = ways.way(originOf(addresses.rest ?? ''));
        const { environment } = connection;
        return new BybitAccount({
          account,
          environment,
          addresses,
          secrets,
          clock,
          random,
          net,
          way,
          report,
        });
      }),
    marketData: ({ addresses, accounts, clock, random, ways, report = () => {} }) =>
      accounts.flatMap((account): MarketData[] => {
        const category = categoryOf(account);
        const { rest } = addresses;
        if (account.market === undefined || rest === undefined) return [];
        const way = ways.way(originOf(rest));
        const options = { market: account.market, net, clock, random, way, addresses, report };
        return [bybitMarket(category, options)];
      }),
  };
}
