/** The state of the scripted desk: accounts, wallets and keys, combined with the other parts. */
import type { AccountView, DeskState } from '../../../src/desk/console/protocol.ts';
import { type AccessKey, UNUSED_KEY, utcDay } from '../../../src/domain/access-key.ts';
import type { Balance } from '../../../src/schemas/portfolio.ts';

import { instrument, NOON, PRICES, wave } from './some-market.ts';
import { someOrders } from './some-orders.ts';

/** Balances that could be converted into BNB. */
export const DUST = [
  { asset: 'ADA', free: '7.5', value: '5.484', toAsset: 'BNB', toAmount: '0.00877' },
  { asset: 'DOGE', free: '0.4', value: '0.064848', toAsset: 'BNB', toAmount: '0.0001037' },
];

export const PAPER_SETTINGS = {
  makerRate: '0.001',
  takerRate: '0.001',
  latencyMs: 0,
  jitterMs: 0,
  slippageBps: 0,
};

/** Balances of both accounts: large, small, locked, reserved by bots, without a price. */
export function somePortfolios(): DeskState['portfolios'] {
  const balance = (asset: string, free: string, more: Partial<Balance> = {}): Balance => ({
    asset,
    name: asset,
    free,
    wallet: free,
    locked: '0',
    total: free,
    lockedByBot: null,
    ...more,
  });
  return {
    'paper-spot': {
      total: { usd: '83178.33', btc: '1.35836617' },
      partial: true,
      balances: [
        balance('ADA', '7.5', { usd: '5.48' }),
        balance('BTC', '0.62345678', {
          total: '0.75',
          wallet: '0.75',
          locked: '0.12654322',
          usd: '45925.58',
        }),
        balance('DOGE', '0.4', { usd: '0.06' }),
        balance('USDT', '35247.21', {
          total: '37247.21',
          locked: '2000',
          lockedByBot: '12500',
          usd: '37247.21',
        }),
        balance('XYZ', '1000000'),
      ],
    },
    'paper-futures': {
      total: { usd: '100756.48', btc: '1.64543090' },
      balances: [balance('USDT', '95574.34', { total: '100000', locked: '4425.66', usd: '100000.00' })],
    },
  };
}

/** A paper account that is up and was compared with the exchange four minutes ago. */
export function account(id: string, change: Partial<AccountView> = {}): AccountView {
  const futures = id.endsWith('futures');
  return {
    id,
    name: 'Paper spot',
    kind: 'spot',
    link: 'up',
    since: NOON - 3_600_000,
    latencyMs: 2,
    clockOffsetMs: 0,
    budgets: [],
    reconciled: { at: NOON - 240_000, whole: true },
    paper: {
      makerRate: futures ? '0.0002' : '0.001',
      takerRate: futures ? '0.0005' : '0.001',
      latencyMs: 0,
      jitterMs: 0,
      slippageBps: 0,
      faults: {},
      faultsToCome: 0,
    },
    ...change,
  };
}

export function deskState(change: Partial<DeskState> = {}): DeskState {
  return {
    desk: {
      version: '0.1.0',
      user: 'owner',
      paper: true,
      apiUrl: 'http://127.0.0.1:7420/api',
      wsUrl: 'ws://127.0.0.1:7420/ws',
      dataDir: '/home/owner/.outcry',
      startedAt: NOON - 3_600_000,
    },
    clock: { wall: NOON, market: NOON, feed: 'synthetic', live: true, speed: 1, held: false, ended: false },
    bots: {},
    alerts: [],
    mutes: { bots: [], targets: [] },
    accounts: [
      account('paper-spot', { latencyMs: 2 }),
      account('paper-futures', { kind: 'futures', name: 'Paper futures', latencyMs: 3 }),
    ],
    instruments: PRICES.flatMap(([symbol, , , tick]) => [
      instrument('paper-spot', symbol, tick),
      instrument('paper-futures', symbol, tick),
    ]),
    prices: Object.fromEntries(
      PRICES.map(([symbol, last, open24h], at) => [
        `paper ${symbol}`,
        { market: 'paper', symbol, last, open24h, time: NOON, spark: wave(at) },
      ]),
    ),
    orders: someOrders(),
    portfolios: {},
    futures: { 'paper-futures': { positions: [], hedgeMode: false, leverage: {} } },
    equity: { usd: '201482.10', btc: '3.29044', partial: false, spark: wave(2), dayStartUsd: '199050.00' },
    wallets: {},
    keys: [
      {
        id: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
        user: 'owner',
        label: 'grid-bot',
        tier: 'trade',
        ipList: ['10.0.0.0/8'],
        allowedExchanges: null,
        createdAt: NOON - 86_400_000 * 12,
        ...UNUSED_KEY,
        file: 'grid-bot.pem',
        lastUsedAt: NOON - 65_000,
        lastUsedFrom: '10.1.4.22',
        counts: { day: utcDay(NOON), today: 1_204, total: 98_231 },
      },
      {
        id: 'ZgLKe0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs',
        user: 'owner',
        label: 'dashboard',
        tier: 'read',
        ipList: null,
        allowedExchanges: ['paper-spot'],
        createdAt: NOON - 86_400_000 * 3,
        ...UNUSED_KEY,
      },
      {
        id: 'old0e0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs',
        user: 'owner',
        label: 'old laptop',
        tier: 'full',
        ipList: null,
        allowedExchanges: null,
        createdAt: NOON - 86_400_000 * 90,
        ...UNUSED_KEY,
        revokedAt: NOON - 86_400_000 * 2,
        lastUsedAt: NOON - 86_400_000 * 3,
        lastUsedFrom: '192.168.1.7',
        counts: { day: utcDay(NOON) - 3, today: 12, total: 40 },
      },
    ],
    vault: { state: 'none', connections: [], retryAt: null },
    maintenance: null,
    log: [
      { at: NOON - 900_000, level: 'info', source: 'desk', text: 'desk open on 127.0.0.1:7420' },
      { at: NOON - 400_000, level: 'info', source: 'api', text: 'key A6EHv_PO placed SELL 4.2 ETHUSDT' },
      { at: NOON - 200_000, level: 'info', source: 'order', text: 'ETHUSDT filled 1.3 at 3,205.00' },
      {
        at: NOON - 5_000,
        level: 'warn',
        source: 'exchange',
        text: 'paper-spot: no answer to XRPUSDT BUY 8,000',
      },
      {
        at: NOON - 4_000,
        level: 'error',
        source: 'order',
        text: 'XRPUSDT outcome unknown, asking the exchange',
      },
    ],
    ...change,
  };
}

/** Keys of all kinds: with all limits, with one, with none; refused, old, revoked. */
export function someKeys(): DeskState['keys'] {
  const [bot, dashboard, old] = deskState().keys as [AccessKey, AccessKey, AccessKey];
  return [
    {
      ...bot,
      id: 'QmT1e0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs',
      label: 'execution engine, London',
      tier: 'full',
      ipList: [
        '203.0.113.7/32',
        '198.51.100.0/24',
        '10.0.0.0/8',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '100.64.0.0/10',
        '192.0.2.0/24',
        '2001:db8::/32',
        'fd00::/8',
        '2a01:4f8:c17:b8f::2/128',
      ],
      allowedExchanges: ['paper-futures', 'paper-spot'],
      createdAt: NOON - 86_400_000 * 30,
      lastUsedAt: NOON - 1_000,
      lastUsedFrom: '2a01:4f8:c17:b8f::2',
      counts: { day: utcDay(NOON), today: 81_204, total: 12_498_231 },
      lastRefusal: { code: 'RATE_LIMITED', at: NOON - 30_000, from: '2a01:4f8:c17:b8f::2' },
    },
    bot,
    {
      ...bot,
      id: '7hG3Wn_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
      label: 'stolen?',
      ipList: ['10.0.0.0/8', '192.0.2.17/32'],
      allowedExchanges: ['paper-spot'],
      createdAt: NOON - 86_400_000 * 20,
      counts: { day: utcDay(NOON) - 1, today: 77, total: 500 },
      lastUsedAt: NOON - 86_400_000,
      lastRefusal: { code: 'IP_NOT_WHITELISTED', at: NOON - 3_600_000, from: '203.0.113.99' },
    },
    dashboard,
    {
      ...dashboard,
      id: 'oNe5e0WfOPhIRr0Obp4r5mJjPjXtN6cH_0q6u8PJ4Xs',
      label: 'λ-報告',
      allowedExchanges: null,
    },
    old,
  ];
}
