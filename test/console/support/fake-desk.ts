/**
 * A desk made of plain data for tests and the demo: a scripted state, every call recorded, answers that can be set.
 * Knows nothing of engines; deterministic.
 */

import { KeyRegistry } from '../../../src/access/key-registry.ts';
import { applyDelta } from '../../../src/console/state/apply-delta.ts';
import type {
  AccountView,
  DeskClient,
  DeskDelta,
  DeskState,
  FuturesView,
  Method,
  Params,
  PositionView,
  Result,
} from '../../../src/desk/console/protocol.ts';
import { type AccessKey, UNUSED_KEY, utcDay } from '../../../src/domain/access-key.ts';
import { ok } from '../../../src/domain/errors.ts';
import { NO_GUARDS } from '../../../src/domain/guards.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { LeverageBracket } from '../../../src/domain/position.ts';
import type { Balance } from '../../../src/schemas/portfolio.ts';
import { SOME_OPERATORS, SOME_SESSIONS, SOME_SSH } from './some-people.ts';
import { somePnl } from './some-pnl.ts';

/** 2026-03-02 14:07:31 UTC. */
export const NOON = Date.UTC(2026, 2, 2, 14, 7, 31);

const PRICES: readonly [string, string, string, string][] = [
  ['ADAUSDT', '0.7312', '0.7508', '0.0001'],
  ['AVAXUSDT', '31.42', '30.11', '0.01'],
  ['BCHUSDT', '412.80', '409.10', '0.1'],
  ['BNBUSDT', '612.34', '598.00', '0.01'],
  ['BTCUSDT', '61234.10', '60410.55', '0.01'],
  ['DOGEUSDT', '0.16212', '0.16840', '0.00001'],
  ['DOTUSDT', '6.874', '6.911', '0.001'],
  ['ETHUSDT', '3120.44', '3188.02', '0.01'],
  ['LINKUSDT', '17.93', '17.20', '0.01'],
  ['LTCUSDT', '88.41', '88.41', '0.01'],
  ['NEARUSDT', '5.212', '5.001', '0.001'],
  ['SOLUSDT', '148.77', '141.02', '0.01'],
  ['TRXUSDT', '0.13420', '0.13310', '0.00001'],
  ['UNIUSDT', '9.114', '9.320', '0.001'],
  ['XRPUSDT', '0.6120', '0.6004', '0.0001'],
];

export function wave(seed: number, count = 60): number[] {
  return Array.from(
    { length: count },
    (_, at) => 100 + Math.sin(seed + at / 6) * 4 + Math.cos(seed * 3 + at / 2.3),
  );
}

function instrument(exchange: string, symbol: string, tickSize: string): Instrument {
  return {
    exchange,
    symbol,
    base: symbol.slice(0, -4),
    quote: 'USDT',
    kind: exchange.endsWith('futures') ? 'futures' : 'spot',
    tickSize,
    minPrice: tickSize,
    maxPrice: '1000000',
    stepSize: '0.00001',
    minQty: '0.00001',
    maxQty: '9000',
    marketMaxQty: '100',
    minNotional: '5',
    maxNotional: '9000000',
    percentDown: '0.2',
    percentUp: '5',
    trailingMinBps: 10,
    trailingMaxBps: 2000,
    maxOrders: 200,
    maxIcebergParts: 100,
  };
}

export function order(id: string, change: Partial<OrderView> = {}): OrderView {
  return {
    id,
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    status: 'OPENED',
    positionSide: 'BOTH',
    price: '60500.00',
    stopPrice: null,
    fillPrice: null,
    origQty: '0.5',
    executedQty: '0',
    reduceOnly: false,
    closePosition: false,
    trailing: null,
    isContract: false,
    isWorking: true,
    creator: 'UI',
    creatorId: 'operator',
    metadata: '',
    specific: {},
    orderTime: NOON - 60_000,
    timeInForce: 'GTC',
    createdAt: NOON - 60_000,
    updatedAt: NOON - 60_000,
    cancelPending: false,
    ...change,
  };
}

export function someOrders(): Record<string, OrderView> {
  const list = [
    order('oc-7f3k2m9q1a2b', {}),
    order('oc-7f3k2m9q1a2c', {
      symbol: 'ETHUSDT',
      side: 'SELL',
      price: '3205.00',
      origQty: '4.2',
      executedQty: '1.3',
      fillPrice: '3205.00',
      orderTime: NOON - 400_000,
      creator: 'API',
      creatorId: 'A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg',
    }),
    order('oc-7f3k2m9q1a2d', {
      symbol: 'SOLUSDT',
      side: 'SELL',
      type: 'STOP_MARKET',
      status: 'NEW',
      price: undefined,
      stopPrice: '139.50',
      origQty: '25',
      exchange: 'paper-futures',
      isContract: true,
      isWorking: false,
      reduceOnly: true,
      orderTime: NOON - 900_000,
      text: 'held by the engine until 139.50',
    }),
    order('oc-7f3k2m9q1a2e', {
      symbol: 'XRPUSDT',
      status: 'NEW',
      isWorking: false,
      price: '0.5990',
      origQty: '8000',
      orderTime: NOON - 4_000,
      unresolved: {
        since: NOON - 4_000,
        cause: 'timeout after 5 s',
        asked: 2,
        nextAskAt: NOON + 1_000,
        settlesAt: NOON + 9_000,
      },
    }),
    order('oc-7f3k2m9q1a2f', {
      symbol: 'BNBUSDT',
      type: 'MARKET',
      status: 'CLOSED',
      price: undefined,
      fillPrice: '611.02',
      origQty: '3',
      executedQty: '3',
      isWorking: false,
      orderTime: NOON - 1_200_000,
    }),
    order('oc-7f3k2m9q1a2g', {
      symbol: 'ADAUSDT',
      status: 'CANCELLED',
      price: '0.7000',
      origQty: '1500',
      isWorking: false,
      orderTime: NOON - 2_200_000,
      text: 'cancelled by operator',
    }),
  ];
  return Object.fromEntries(list.map((entry) => [entry.id, entry]));
}

/** What could be converted into BNB. */
export const DUST = [
  { asset: 'ADA', free: '7.5', value: '5.484', toAsset: 'BNB', toAmount: '0.00877' },
  { asset: 'DOGE', free: '0.4', value: '0.064848', toAsset: 'BNB', toAmount: '0.0001037' },
];

const PAPER_SETTINGS = {
  makerRate: '0.001',
  takerRate: '0.001',
  latencyMs: 0,
  jitterMs: 0,
  slippageBps: 0,
};

/** Balances of both accounts: large, small, locked, kept by bots, without a price. */
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

/** Keys of all kinds: limited in every way, in one, in none; refused, of long ago, revoked. */
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

/** A position of paper-futures: a long without a stop unless told. */
export function position(symbol: string, change: Partial<PositionView> = {}): PositionView {
  return {
    key: `key-${symbol}-${change.side ?? 'BOTH'}`,
    exchange: 'paper-futures',
    symbol,
    side: 'BOTH',
    amount: '0.5',
    entryPrice: '60000.123456',
    breakEvenPrice: '60030.12',
    markPrice: '61234.10',
    unrealizedProfit: '616.99',
    returnPercent: '20.57',
    marginType: 'CROSSED',
    leverage: 10,
    margin: '3061.71',
    liquidationPrice: '54210.55',
    liquidationDistance: '-11.47',
    protectedQty: '0',
    protectedSince: null,
    ...change,
  };
}

/** A long without a stop, a short that one covers in part, a long that one covers whole. */
export function somePositions(): Record<string, FuturesView> {
  return {
    'paper-futures': {
      hedgeMode: false,
      leverage: {
        BTCUSDT: { leverage: 10, marginType: 'CROSSED' },
        ETHUSDT: { leverage: 20, marginType: 'ISOLATED' },
        SOLUSDT: { leverage: 5, marginType: 'CROSSED' },
      },
      positions: [
        position('BTCUSDT'),
        position('ETHUSDT', {
          amount: '-4',
          entryPrice: '3100.5',
          breakEvenPrice: '3098.9',
          markPrice: '3120.44',
          unrealizedProfit: '-79.76',
          returnPercent: '-12.86',
          marginType: 'ISOLATED',
          leverage: 20,
          margin: '620.10',
          liquidationPrice: '3230.1',
          liquidationDistance: '3.51',
          protectedQty: '1.6',
          protectedSince: NOON - 600_000,
        }),
        position('SOLUSDT', {
          amount: '25',
          entryPrice: '140',
          breakEvenPrice: '140.1',
          markPrice: '148.77',
          unrealizedProfit: '219.25',
          returnPercent: '31.32',
          leverage: 5,
          margin: '743.85',
          liquidationPrice: null,
          liquidationDistance: null,
          protectedQty: '25',
          protectedSince: NOON - 900_000,
        }),
      ],
    },
  };
}

export const BRACKETS: readonly LeverageBracket[] = [
  tier(125, '0', '50000', '0.004', '0'),
  tier(50, '50000', '600000', '0.01', '300'),
  tier(20, '600000', '3000000', '0.02', '6300'),
];

function tier(
  initialLeverage: number,
  notionalFloor: string,
  notionalCap: string,
  maintenanceMarginRate: string,
  cumulative: string,
): LeverageBracket {
  return { initialLeverage, notionalFloor, notionalCap, maintenanceMarginRate, cumulative };
}

export type Answers = { [M in Method]?: (params: Params<M>) => Result<M> | Promise<Result<M>> };

/** Methods that change something. */
export const ACTING: ReadonlySet<Method> = new Set<Method>([
  'orders.place',
  'orders.cancel',
  'orders.cancelAll',
  'orders.split',
  'orders.amend',
  'bots.manage',
  'futures.set',
  'bots.create',
  'bots.manage',
  'bots.patch',
  'bots.start',
  'bots.stop',
  'bots.delete',
  'bots.message',
  'bots.batch',
  'keys.generate',
  'keys.register',
  'keys.revoke',
  'desk.maintenance',
  'feed.control',
  'feed.speed',
  'guards.set',
  'connections.add',
  'connections.remove',
  'connections.confirm',
  'guards.lift',
  'vault.init',
  'vault.unlock',
  'vault.lock',
  'vault.change',
  'paper.configure',
  'paper.balance',
  'paper.reset',
  'paper.fault',
  'paper.faults',
  'desk.stop',
]);

export class FakeDesk implements DeskClient {
  readonly calls: { method: Method; params: unknown }[] = [];
  readonly answers: Answers;
  state: DeskState;
  acks = 0;
  closed = false;
  /** Keys that it was told of. */
  touches = 0;
  private readonly listeners: Parameters<DeskClient['onState']>[0][] = [];
  private readonly closers: ((reason: string) => void)[] = [];

  constructor(state: DeskState = deskState(), answers: Answers = {}) {
    this.state = state;
    this.answers = answers;
  }

  get acting(): Method[] {
    return this.calls.map((call) => call.method).filter((method) => ACTING.has(method));
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    this.calls.push({ method, params });
    const answer = this.answers[method] ?? (this.usual()[method] as Answers[M]);
    if (!answer) throw new Error(`no answer to ${method}`);
    return await answer(params);
  }

  onState(listener: Parameters<DeskClient['onState']>[0]): void {
    this.listeners.push(listener);
    listener({ snapshot: this.state }, () => this.acks++);
  }

  onClosed(listener: (reason: string) => void): void {
    this.closers.push(listener);
  }

  touched(): void {
    this.touches++;
  }

  close(): void {
    this.closed = true;
  }

  #vault(state: 'open' | 'locked') {
    this.push({ vault: { ...this.state.vault, state } });
    return ok(null);
  }

  push(delta: DeskDelta): void {
    this.state = applyDelta(this.state, delta);
    for (const listener of this.listeners) listener({ delta }, () => this.acks++);
  }

  /** A whole state, as after a lock. */
  show(state: DeskState): void {
    this.state = state;
    for (const listener of this.listeners) listener({ snapshot: state }, () => this.acks++);
  }

  lose(reason: string): void {
    for (const listener of this.closers) listener(reason);
  }

  private usual(): Answers {
    return {
      'market.look': () => ok(null),
      'market.lookAway': () => {
        this.push({ look: null });
        return null;
      },
      'memory.read': () => null,
      'memory.write': () => ok(null),
      'operators.list': () => SOME_OPERATORS,
      'sessions.list': () => SOME_SESSIONS,
      'ssh.view': () => SOME_SSH,
      'pnl.read': (query) => ok(somePnl(query, NOON)),
      'orders.check': (draft) => ({
        problems:
          draft.quantity || draft.quoteOrderQty || draft.closePosition
            ? []
            : [{ field: 'quantity', message: 'is needed' }],
        last: this.state.prices[`paper ${draft.symbol ?? ''}`]?.last ?? null,
        mark:
          draft.exchange === 'paper-futures'
            ? (this.state.prices[`paper ${draft.symbol ?? ''}`]?.last ?? null)
            : null,
        notional: (draft.quantity && draft.price) || draft.closePosition ? '30250' : null,
        fee: draft.quantity || draft.closePosition ? '30.25' : null,
        feeAsset: draft.quantity || draft.closePosition ? 'USDT' : null,
        distance: draft.price ? '-1.20' : null,
        available: '100000',
        availableAsset: 'USDT',
        margin: null,
        after: null,
        next: 'It rests on the book until it is filled or cancelled.',
      }),
      'orders.place': (create) => {
        const { goodTillDate: _till, marginType: _margin, ...rest } = create;
        const placed = order(`oc-new${this.calls.length}`, {
          exchange: rest.exchange,
          // The real one refuses an order without a symbol.
          symbol: rest.symbol ?? '',
          side: rest.side,
          type: rest.type,
          price: rest.price,
          origQty: rest.quantity ?? '0',
          orderTime: NOON,
        });
        this.push({ orders: { [placed.id]: placed } });
        return ok(placed);
      },
      'orders.cancel': ({ id }) => {
        const found = this.state.orders[id] ?? order(id);
        const done: OrderView = { ...found, status: 'CANCELLED', unresolved: undefined };
        this.push({ orders: { [id]: done } });
        return ok(done);
      },
      'orders.cancelAll': ({ ids = [] }) =>
        ids.map((id) => ({
          id,
          outcome: ok({ ...(this.state.orders[id] ?? order(id)), status: 'CANCELLED' as const }),
        })),
      'orders.amendCheck': ({ quantity = '0.5', price = '60500.00' }) => ({
        problems: [],
        remaining: quantity,
        notional: String(Number(quantity) * Number(price)),
      }),
      'orders.amend': ({ id, exchange: _of, quantity, ...change }) => {
        const found = this.state.orders[id] ?? order(id);
        const done: OrderView = { ...found, ...change, origQty: quantity ?? found.origQty };
        this.push({ orders: { [id]: done } });
        return ok(done);
      },
      'orders.splitPreview': ({ prices }) => ({
        problems: [],
        remaining: '0.5',
        parts: prices.map((price) => ({ price, quantity: '0.1', notional: '6120.00' })),
      }),
      'orders.split': ({ prices }) => ok(prices.map((price, at) => order(`oc-part${at}`, { price }))),
      'orders.detail': ({ id }) => ({
        order: this.state.orders[id] ?? order(id),
        events: [
          event(id, 'created', 'asked by operator: BUY 0.5 BTCUSDT LIMIT 60,500.00'),
          event(id, 'sent', 'sent to paper-spot'),
          event(id, 'accepted', 'paper-spot took it in 2 ms'),
        ],
        fills: [
          {
            exchange: 'paper-spot',
            tradeId: 't1',
            orderId: id,
            user: 'owner',
            symbol: 'BTCUSDT',
            side: 'BUY',
            price: '60500.00',
            qty: '0.12',
            comm: '0.00012',
            commAsset: 'BTC',
            maker: true,
            rPnl: null,
            posSide: 'BOTH',
            time: NOON - 30_000,
          },
        ],
      }),
      'orders.closed': ({ before }) => ({
        orders: Array.from({ length: 100 }, (_, at) =>
          order(`oc-old${before ?? ''}${String(at).padStart(3, '0')}`, {
            status: 'CLOSED',
            executedQty: '0.5',
            orderTime: NOON - 86_400_000 - at * 60_000,
          }),
        ),
        next: before ? null : 'page2',
      }),
      'alerts.mute': ({ kind, id, on }) => {
        const list = kind === 'bot' ? 'bots' : 'targets';
        const others = this.state.mutes[list].filter((name) => name !== id);
        const mutes = { ...this.state.mutes, [list]: on ? [...others, id] : others };
        this.push({ mutes });
        return ok(mutes);
      },
      'trades.list': () => [],
      'market.candles': () => [],
      'bots.ladder': () => ({ ok: false, text: 'not laid out here' }),
      'bots.replay': () => ({ done: 'impossible', text: 'not played here' }),
      'bots.replayProgress': () => null,
      'bots.replayEnd': () => null,
      'futures.set': () => ok(null),
      'futures.brackets': () => BRACKETS,
      'futures.marginMode': () => ({ mode: 1 }),
      'keys.check': ({ publicKey, ...settings }) =>
        new KeyRegistry(this.state.keys).problems(
          settings,
          this.state.accounts.map(({ id }) => id),
          publicKey,
        ),
      'keys.generate': ({ label, tier }) => {
        const key = { ...deskState().keys[0], label, tier } as AccessKey;
        return ok({
          key,
          path: `/home/owner/.outcry/keys/${label}.pem`,
          example: {
            message: `${NOON}GET/v2/ping`,
            signature: 'Hb3b2L0pZt1y'.repeat(8).slice(0, 86),
            command: `outcry ping --key /home/owner/.outcry/keys/${label}.pem`,
          },
        });
      },
      'keys.example': ({ id }) => {
        const file = this.state.keys.find((key) => key.id === id)?.file ?? null;
        return {
          message: `${NOON}GET/v2/ping`,
          signature: file === null ? null : 'Hb3b2L0pZt1y'.repeat(8).slice(0, 86),
          command: `outcry ping --key ${file === null ? 'FILE.pem' : `/home/owner/.outcry/keys/${file}`}`,
        };
      },
      'desk.panic': () => ok(null),
      'desk.maintenance': ({ on, message }) => {
        const maintenance = on ? `under maintenance: ${message || 'no reason given'}` : null;
        this.push({ maintenance });
        return ok({ maintenance });
      },
      'connections.list': () => ({ kinds: [], connections: [], vault: 'none', refused: null }),
      'vault.init': () => this.#vault('open'),
      'vault.unlock': () => this.#vault('open'),
      'vault.lock': () => this.#vault('locked'),
      'vault.change': () => ok({ copies: ['outcry.db.v7.bak'] }),
      'keys.register': ({ label, tier, publicKey }) =>
        ok({ ...(deskState().keys[1] as AccessKey), id: publicKey, label, tier }),
      'keys.revoke': ({ id }) => {
        const keys = this.state.keys.map((key) => (key.id === id ? { ...key, revokedAt: NOON } : key));
        this.push({ keys });
        return ok({ key: keys.find((key) => key.id === id) as AccessKey, closedSockets: 1 });
      },
      'feed.control': ({ action }) => {
        const clock = { ...this.state.clock, held: action !== 'play' };
        this.push({ clock });
        return ok(clock);
      },
      'portfolio.dust': () => ok({ assets: DUST, waitMs: 0 }),
      'portfolio.export': () => ok({ path: '/home/owner/.outcry/exports/p.csv', rows: 5, whole: true }),
      'orders.export': () => ok({ path: '/home/owner/.outcry/exports/o.csv', rows: 1, whole: true }),
      'trades.export': () => ok({ path: '/home/owner/.outcry/exports/t.csv', rows: 2, whole: false }),
      'exchange.confirmRights': () => ok(null),
      'exchange.takeOver': () => ok(null),
      'exchange.reconcile': () => ok({ at: NOON, whole: true }),
      'guards.read': () => ok({ set: NO_GUARDS, meters: null }),
      'guards.set': ({ change }) => ok({ ...NO_GUARDS, ...change }),
      'guards.lift': () => ok({ reachedAt: null, known: false, why: 'it is asked' }),
      'paper.configure': () => ok(PAPER_SETTINGS),
      'paper.balance': () => ok(null),
      'paper.reset': () => ok(null),
      'paper.fault': () => ok(null),
      'paper.faults': () => ok(null),
      'feed.speed': ({ speed }) => {
        const clock = { ...this.state.clock, speed };
        this.push({ clock });
        return ok(clock);
      },
      'desk.stop': () => null,
    };
  }
}

function event(orderId: string, kind: 'created' | 'sent' | 'accepted', text: string) {
  return {
    orderId,
    user: 'owner',
    at: NOON - 60_000,
    market: NOON - 60_000,
    kind,
    text,
    status: 'OPENED' as const,
  };
}
