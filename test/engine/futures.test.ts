/** What a futures account adds to the engine: checks in words, settings before an order, orders that the exchange makes itself. */
import { beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../src/domain/actor.ts';
import type { ExchangeCaps, ExchangeFill } from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { ExchangePosition, Setting, SettingOutcome } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import { positionOf, protection } from '../../src/engine/positions.ts';
import type { Answer, Effect, EngineEvent } from '../../src/engine/step.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';

const EXCHANGE = 'paper-futures';
const NOW = { wall: 1_760_000_000_000, market: 1_760_000_000_000 };
const CAPS: ExchangeCaps = {
  nativeTypes: [
    'MARKET',
    'LIMIT',
    'LIMIT_MAKER',
    'STOP_MARKET',
    'STOP_LIMIT',
    'TAKE_PROFIT_MARKET',
    'TAKE_PROFIT_LIMIT',
  ],
  gtd: false,
  trailing: true,
  iceberg: false,
  validityWindowMs: 5_000,
  idPrefix: 'pf',
};
const BTC: Instrument = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  kind: 'futures',
  tickSize: '0.1',
  minPrice: '0.1',
  maxPrice: '1000000',
  stepSize: '0.001',
  minQty: '0.001',
  maxQty: '1000',
  marketMaxQty: '100',
  minNotional: '100',
  maxNotional: '0',
  percentDown: '0.01',
  percentUp: '100',
  trailingMinBps: 10,
  trailingMaxBps: 1_000,
  maxOrders: 200,
  maxIcebergParts: 1,
};
const MARKET = {
  exchange: EXCHANGE,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'MARKET',
  quantity: '0.1',
} as const satisfies CreateOrder;

let engine: Engine;
let token: number;

function step(event: EngineEvent): Effect[] {
  return engine.step(event, NOW).effects;
}

function ask(command: Extract<EngineEvent, { type: 'command' }>['command'], key?: string): Effect[] {
  token += 1;
  return step({
    type: 'command',
    token,
    actor: { kind: 'operator', user: OWNER },
    command,
    context: {
      requestId: `r${token}`,
      ...(key === undefined ? {} : { idempotency: { key, fingerprint: 'f' } }),
    },
    entropy: token.toString(32).padStart(11, '0'),
  });
}

const place = (change: Partial<CreateOrder> = {}) =>
  ask({ type: 'place', request: { ...MARKET, ...change } });
const of = <K extends Effect['kind']>(effects: Effect[], kind: K) =>
  effects.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind);

/** The refusal's words; fails when the command was taken. */
function refusal(effects: Effect[]): string {
  const [answered] = of(effects, 'answer');
  const outcome = answered?.answer.outcome;
  if (!outcome || outcome.ok) throw new Error('not refused');
  return outcome.error.message;
}

function position(change: Partial<ExchangePosition> = {}): ExchangePosition {
  return {
    symbol: 'BTCUSDT',
    side: 'BOTH',
    amount: '0.5',
    entryPrice: '60000',
    breakEvenPrice: '60030',
    markPrice: '60000',
    unrealizedProfit: '0',
    marginType: 'CROSSED',
    leverage: 20,
    isolatedWallet: '0',
    liquidationPrice: '57000',
    maintenanceMarginRate: '0.004',
    maintenanceMargin: '120',
    realizedPnl: '0',
    updateTime: NOW.market,
    ...change,
  };
}

const hold = (...changed: ExchangePosition[]) =>
  step({ type: 'venue.positions', exchange: EXCHANGE, changed });
const hedge = () => step({ type: 'venue.settings', exchange: EXCHANGE, hedge: true });

beforeEach(() => {
  engine = new Engine();
  token = 0;
  engine.memory.addAccount({ id: EXCHANGE, name: 'Paper futures', kind: 'futures' }, CAPS, [BTC]);
  step({
    type: 'venue.balances',
    exchange: EXCHANGE,
    changed: [{ asset: 'USDT', free: '100000', locked: '0' }],
  });
  step({
    type: 'venue.settings',
    exchange: EXCHANGE,
    hedge: false,
    leverage: [{ symbol: 'BTCUSDT', side: 'BOTH', leverage: 20, marginType: 'CROSSED', realizedPnl: '0' }],
  });
  step({ type: 'price', symbol: 'BTCUSDT', price: '60000' });
  step({ type: 'mark', exchange: EXCHANGE, symbol: 'BTCUSDT', price: '60010' });
});

describe('an order on futures', () => {
  it('locks the margin of what it opens, nothing of what it closes', () => {
    place();
    expect([...engine.memory.orders.values()].at(-1)?.lock).toEqual({ asset: 'USDT', amount: '300' });
    hold(position());
    place({ side: 'SELL', quantity: '0.6' });
    expect([...engine.memory.orders.values()].at(-1)?.lock).toEqual({ asset: 'USDT', amount: '300' });
    place({ side: 'SELL', quantity: '0.5', reduceOnly: true });
    expect([...engine.memory.orders.values()].at(-1)?.lock).toEqual({ asset: 'USDT', amount: '0' });
  });

  // proves: field create-order reduceOnly, field create-order closePosition
  // proves: field create-order positionSide, field create-order workingType, S24, S32
  it.each([
    [{ reduceOnly: true }, 'reduceOnly: there is no BTCUSDT position that a BUY would reduce'],
    [{ side: 'SELL', closePosition: true, quantity: '0' }, 'closePosition: there is no BTCUSDT position'],
    [{ positionSide: 'LONG' }, 'positionSide LONG needs hedge mode'],
    [{ quantity: '0.001' }, 'below the minimum of 100'],
    [{ type: 'LIMIT', price: '60000', icebergQty: '0.01' }, 'paper-futures has no iceberg orders'],
    [{ marketType: 'spot' }, 'marketType spot contradicts paper-futures'],
    [{ type: 'STOP_MARKET', stopPrice: '60005' }, 'the last price is 60010'],
  ] as const)('is refused in words: %j', (change, words) => {
    expect(refusal(place(change as Partial<CreateOrder>))).toContain(words);
  });

  // proves: field create-order workingType
  it('looks at the last price where workingType says so', () => {
    const sent = of(
      place({ type: 'STOP_MARKET', stopPrice: '60005', workingType: 'CONTRACT_PRICE' }),
      'submit',
    );
    expect(sent).toHaveLength(1);
  });

  // proves: order-type close position, field create-order closePosition
  it('closes the whole position, exempt from the minimum', () => {
    hold(position({ amount: '0.001' }));
    const [sent] = of(place({ side: 'SELL', closePosition: true, quantity: '0' }), 'submit');
    expect(sent?.order).toMatchObject({
      side: 'SELL',
      type: 'MARKET',
      quantity: '0.001',
      closePosition: true,
    });
  });

  // proves: rule hedge-mode-needs-side, field create-order positionSide
  it('needs its position side in hedge mode, and closes by it', () => {
    hedge();
    expect(refusal(place())).toContain('positionSide must be LONG or SHORT');
    hold(position({ side: 'SHORT', amount: '0.2' }));
    const [sent] = of(place({ positionSide: 'SHORT', side: 'BUY', quantity: '0.001' }), 'submit');
    expect(sent?.order.positionSide).toBe('SHORT');
  });

  it('sends a trailing stop as such where the exchange has them', () => {
    const [sent] = of(
      place({ type: 'STOP_MARKET', side: 'SELL', trailingDelta: 100, activationPrice: '61000' }),
      'submit',
    );
    expect(sent?.order).toMatchObject({ type: 'STOP_MARKET', trailingDelta: 100, activationPrice: '61000' });
  });
});

describe('a margin type that is not set yet', () => {
  const done = (id: string, outcome: SettingOutcome) => step({ type: 'setting-done', id, outcome });

  // proves: field create-order marginType, S32
  it('is set first, then the order is sent', () => {
    const effects = place({ marginType: 'ISOLATED' });
    expect(of(effects, 'submit')).toHaveLength(0);
    const [setting] = of(effects, 'setting');
    expect(setting?.setting).toEqual({ kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' });
    expect(of(done(setting?.id ?? '', { kind: 'done' }), 'submit')).toHaveLength(1);
  });

  it('that cannot be set ends the order, which is never sent', () => {
    const [setting] = of(place({ marginType: 'ISOLATED' }), 'setting');
    const effects = done(setting?.id ?? '', { kind: 'unknown', cause: 'no answer' });
    expect(of(effects, 'submit')).toHaveLength(0);
    expect(refusal(effects)).toContain('not sent: margin type of BTCUSDT to ISOLATED failed');
    expect([...engine.memory.orders.values()][0]?.status).toBe('ERROR');
  });

  // proves: S32
  it('is refused while there is a position', () => {
    hold(position());
    expect(refusal(place({ marginType: 'ISOLATED' }))).toContain(
      'cannot change to ISOLATED while it has a position',
    );
  });
});

describe('a setting', () => {
  const leverage: Setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 10 };
  const change = (setting: Setting, key?: string) =>
    ask({ type: 'setting', exchange: EXCHANGE, setting }, key);
  const answerOf = (effects: Effect[]): Answer | undefined => of(effects, 'answer')[0]?.answer;

  // proves: endpoint POST /portfolio/position/leverage
  it('is made by the exchange and answered with what it said', () => {
    const [asked] = of(change(leverage), 'setting');
    const id = asked?.id ?? '';
    expect(answerOf(step({ type: 'setting-done', id, outcome: { kind: 'done' } }))?.outcome).toEqual({
      ok: true,
      data: null,
    });
  });

  it('under a key is in progress until then, replayed after, and forgotten when its outcome is unknown', () => {
    const key = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    const [first] = of(change(leverage, key), 'setting');
    expect(answerOf(change(leverage, key))?.status).toBe(409);
    const lost = step({
      type: 'setting-done',
      id: first?.id ?? '',
      outcome: { kind: 'unknown', cause: 'line' },
    });
    expect(answerOf(lost)?.status).toBe(503);
    const [second] = of(change(leverage, key), 'setting');
    const body = answerOf(
      step({ type: 'setting-done', id: second?.id ?? '', outcome: { kind: 'done' } }),
    )?.body;
    expect(answerOf(change(leverage, key))).toMatchObject({ body, replayed: true });
  });

  it('that the account does not have is refused', () => {
    expect(refusal(change({ kind: 'dust', assets: ['BTC'] }))).toBe('paper-futures has no dust conversion');
    expect(refusal(change({ kind: 'leverage', symbol: 'DOGE', leverage: 2 }))).toContain(
      '"DOGE" is not traded',
    );
  });
});

// proves: S30, rule many-fills
it('keeps an order that the exchange made itself as external, with every fill', () => {
  const fill: ExchangeFill = {
    tradeId: 't1',
    clientId: 'liq-1',
    symbol: 'BTCUSDT',
    side: 'SELL',
    price: '57000',
    qty: '0.2',
    comm: '1',
    commAsset: 'USDT',
    maker: false,
    rPnl: '-600',
    posSide: 'BOTH',
    time: NOW.market,
  };
  step({ type: 'venue.fill', exchange: EXCHANGE, fill });
  step({ type: 'venue.fill', exchange: EXCHANGE, fill: { ...fill, tradeId: 't2', qty: '0.3' } });
  expect(engine.memory.orders.get('liq-1')).toMatchObject({
    external: true,
    creator: 'UI',
    status: 'CLOSED',
    origQty: '0.5',
    executedQty: '0.5',
  });
});

describe('a position', () => {
  // proves: field position unrealizedProfit
  it('shows its profit at the mark price of now, and its direction in both modes', () => {
    hold(position({ amount: '-0.5' }));
    step({ type: 'mark', exchange: EXCHANGE, symbol: 'BTCUSDT', price: '59000' });
    const account = engine.memory.account(EXCHANGE);
    const [held] = account.futures?.positions.values() ?? [];
    if (!account.futures || !held) throw new Error('no position');
    expect(positionOf(account, account.futures, held).unrealizedProfit).toBe('500');
  });

  it('says how much of it a resting stop covers', () => {
    hold(position());
    const [sent] = of(
      place({ type: 'STOP_MARKET', side: 'SELL', quantity: '0.2', stopPrice: '58000', reduceOnly: true }),
      'submit',
    );
    const clientId = sent?.order.clientId ?? '';
    const account = engine.memory.account(EXCHANGE);
    expect(protection(engine.memory, account, position())).toEqual({ cover: '0', since: null });
    const state = {
      clientId,
      symbol: 'BTCUSDT',
      status: 'PENDING',
      origQty: '0.2',
      cumQty: '0',
      seq: 1,
      time: NOW.market,
    } as const;
    step({ type: 'submitted', orderId: clientId, outcome: { kind: 'accepted', state } });
    expect(protection(engine.memory, account, position())).toEqual({ cover: '0.2', since: NOW.wall });
  });
});
