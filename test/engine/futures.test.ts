/**
 * What a futures account adds to the engine: checks and their texts, settings before an order, orders made
 * by the exchange itself.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../src/domain/actor.ts';
import type { ExchangeFill } from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { ExchangePosition, Setting, SettingOutcome } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import { positionsNow } from '../../src/engine/margins.ts';
import { positionOf, protection } from '../../src/engine/positions.ts';
import type { Answer, Effect, EngineEvent } from '../../src/engine/step.ts';
import { orderViewOf } from '../../src/engine/views.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { Bench } from './support/bench.ts';
import { FUTURES_ACCOUNT, FUTURES_BTC, FUTURES_CAPS, START } from './support/market.ts';
import { RowStore } from './support/row-store.ts';

const EXCHANGE = 'paper-futures';
const NOW = { wall: 1_760_000_000_000, market: 1_760_000_000_000, mono: 0 };
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

/** Returns the text of the refusal; fails when the command was accepted. */
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
  engine.memory.addAccount({ id: EXCHANGE, name: 'Paper futures', kind: 'futures' }, FUTURES_CAPS, [BTC]);
  step({
    type: 'venue.balances',
    exchange: EXCHANGE,
    changed: [{ asset: 'USDT', free: '100000', locked: '0' }],
    all: true,
  });
  step({ type: 'venue.positions', exchange: EXCHANGE, changed: [], all: true });
  step({
    type: 'venue.settings',
    exchange: EXCHANGE,
    hedge: false,
    leverage: [{ symbol: 'BTCUSDT', side: 'BOTH', leverage: 20, marginType: 'CROSSED', realizedPnl: '0' }],
  });
  step({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  step({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60010' });
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
    const [order] = engine.memory.orders.values();
    expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'MARGIN_TYPE' });
  });

  // proves: S54
  describe('while it is on its way', () => {
    const waiting = (more: Partial<CreateOrder> = {}, key?: string) => {
      const bench = new Bench({ futures: true });
      const request = { type: 'MARKET', quantity: '0.1', marginType: 'ISOLATED', ...more } as const;
      const placed = bench.place(request, key === undefined ? {} : { key });
      const [setting] = of(bench.effects, 'setting');
      const made = () =>
        bench.event({ type: 'setting-done', id: setting?.id ?? '', outcome: { kind: 'done' } });
      return { bench, made, ...placed };
    };

    it('the order is cancelled at once: it is never sent, and both requests are told the same', () => {
      const { bench, made, order, reply } = waiting();
      expect(orderViewOf(order).waiting).toBe(true);
      const cancel = bench.cancel(order.id);
      for (const answer of [cancel.reply(), reply()])
        expect(answer).toMatchObject({ status: 200, order: { id: order.id, status: 'CANCELLED' } });
      expect(bench.locked('USDT')).toBe(0n);
      expect(of(made(), 'submit')).toEqual([]);
      expect(bench.order(order.id)).toMatchObject({ status: 'CANCELLED', text: 'cancelled by key A6EHv_PO' });
    });

    it('an end date that passes ends the order at once, too', () => {
      const goodTillDate = START + 1_000;
      const { bench, made, reply } = waiting({
        type: 'LIMIT',
        price: '61000',
        timeInForce: 'GTD',
        goodTillDate,
      });
      bench.wall = goodTillDate;
      bench.tick('60000');
      expect(reply().order.status).toBe('CANCELLED');
      expect(of(made(), 'submit')).toEqual([]);
    });

    it('the order cannot be at the exchange, so a desk that starts again does not ask for it', () => {
      const { bench, made, order, token } = waiting({}, 'k');
      bench.restart();
      expect(bench.kinds('query')).toEqual([]);
      const text = 'not sent: the desk stopped before what had to be set first was known to be set';
      expect(bench.order(order.id)).toMatchObject({ status: 'ERROR', text });
      expect(bench.locked('USDT')).toBe(0n);
      expect(made()).toEqual([]);
      expect(bench.isAnswered(token)).toBe(false);
      const again = bench
        .place({ type: 'MARKET', quantity: '0.1', marginType: 'ISOLATED' }, { key: 'k' })
        .reply();
      expect(again).toMatchObject({ status: 400, message: text, answer: { replayed: true } });
    });

    it('a commit that fails afterwards ends the order: it never left, and the request is told so', () => {
      const { bench, made, order, reply } = waiting();
      const before = bench.engine;
      const stored = bench.store.load(0);
      const unsent = made();
      expect(of(unsent, 'submit')).toHaveLength(1);
      bench.store = RowStore.of(stored);
      bench.engine = bench.reload();
      expect(bench.engine.carryOver(before, unsent)).toEqual([]);
      bench.start();
      expect(reply().status).toBe(400);
      expect(bench.order(order.id).status).toBe('ERROR');
    });
  });

  it('that an order of another account waits for is nothing to this one: what is set here already is not set again', () => {
    const other = { ...FUTURES_ACCOUNT, id: 'other-futures', name: 'Other futures' };
    const bench = new Bench({ futures: true, more: [other] });
    const { id: exchange } = other;
    const changed = [{ asset: 'USDT', free: '100000', locked: '0' }];
    bench.event({ type: 'venue.balances', exchange, changed, all: true });
    bench.event({ type: 'venue.settings', exchange, hedge: false, leverage: [] });
    bench.event({ type: 'venue.positions', exchange, changed: [], all: true });
    const request = { type: 'MARKET', quantity: '0.1' } as const;
    bench.place({ exchange, price: '60000', quantity: '0.1', marginType: 'ISOLATED' });
    expect(of(bench.effects, 'setting')).toHaveLength(1);
    bench.place({ ...request, marginType: 'CROSSED' });
    expect(of(bench.effects, 'setting')).toEqual([]);
    expect(of(bench.effects, 'submit')).toHaveLength(1);
  });

  it('is waited for by a second order too: the first, which waits for the same, is no obstacle', () => {
    const [first] = of(place({ marginType: 'ISOLATED' }), 'setting');
    const [second] = of(place({ marginType: 'ISOLATED' }), 'setting');
    expect(refusal(place({ marginType: 'CROSSED' }))).toContain(
      'marginType of BTCUSDT is ISOLATED and cannot change to CROSSED while it has a position or orders',
    );
    // The first request is refused; the second one is carried out.
    const failed = { kind: 'rejected', code: '-1', message: 'busy' } as const;
    expect(of(done(first?.id ?? '', failed), 'submit')).toHaveLength(0);
    expect(of(done(second?.id ?? '', { kind: 'done' }), 'submit')).toHaveLength(1);
    // The setting is as wanted now: nothing needs to be set any more.
    const third = place({ marginType: 'ISOLATED' });
    expect(of(third, 'setting')).toHaveLength(0);
    expect(of(third, 'submit')).toHaveLength(1);
  });

  // proves: S32
  it('is refused while there is a position', () => {
    hold(position());
    expect(refusal(place({ marginType: 'ISOLATED' }))).toContain(
      'cannot change to ISOLATED while it has a position',
    );
  });
});

describe('a setting that is made', () => {
  const set = (setting: Setting) => {
    const [asked] = of(ask({ type: 'setting', exchange: EXCHANGE, setting }), 'setting');
    return step({ type: 'setting-done', id: asked?.id ?? '', outcome: { kind: 'done' } });
  };

  it('is so for the next request, before anything is read: hedge mode, leverage of symbol and position', () => {
    hold(position());
    set({ kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 });
    const { futures } = engine.memory.account(EXCHANGE);
    expect(futures?.leverage.of('BTCUSDT')?.leverage).toBe(5);
    expect(positionsNow(engine.memory.account(EXCHANGE))).toMatchObject([{ leverage: 5 }]);
    expect(of(set({ kind: 'hedgeMode', on: true }), 'position-event')).toHaveLength(1);
    expect(of(place({ positionSide: 'LONG' }), 'submit')).toHaveLength(1);
    set({ kind: 'hedgeMode', on: false });
    expect(refusal(place({ positionSide: 'LONG' }))).toContain('needs hedge mode');
  });

  it.each([
    { kind: 'rejected', code: '-1', message: 'no' },
    { kind: 'unknown', cause: 'no answer' },
  ] as const)('is not so when the exchange does not say so: $kind', (outcome) => {
    const setting = { kind: 'hedgeMode', on: true } as const;
    const [asked] = of(ask({ type: 'setting', exchange: EXCHANGE, setting }), 'setting');
    step({ type: 'setting-done', id: asked?.id ?? '', outcome });
    expect(engine.memory.account(EXCHANGE).futures?.hedge).toBe(false);
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

const FILL: ExchangeFill = {
  tradeId: 't1',
  clientId: 'liq-1',
  liquidation: true,
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

// proves: S30, rule many-fills
it('keeps an order that the exchange made itself as external, with every fill', () => {
  step({ type: 'venue.fill', exchange: EXCHANGE, fill: FILL });
  step({ type: 'venue.fill', exchange: EXCHANGE, fill: { ...FILL, tradeId: 't2', qty: '0.3' } });
  expect(engine.memory.orders.get('liq-1')).toMatchObject({
    external: true,
    creator: 'UI',
    status: 'CLOSED',
    origQty: '0.5',
    executedQty: '0.5',
  });
});

describe('a trailing stop at the exchange', () => {
  const TRAILING = { type: 'STOP_MARKET', side: 'SELL', quantity: '0.1', trailingDelta: 500 } as const;

  // proves: S30
  it('says since when it follows the price: with an activation price from the moment the exchange tells', () => {
    const bench = new Bench({ futures: true });
    const { order } = bench.place({ ...TRAILING, activationPrice: '61000' });
    bench.accepted(order, { status: 'PENDING' });
    expect(orderViewOf(order).trailing).toEqual({ delta: 500, time: 0 });
    bench.wall += 5_000;
    const armed = bench.state(order, { status: 'PENDING', armedAt: bench.wall });
    bench.stream(armed);
    expect(of(bench.effects, 'order-event')).toMatchObject([
      { event: 'ORDER_UPDATE', order: { status: 'NEW', trailing: { armedAt: START + 5_000 } } },
    ]);
    bench.stream(armed);
    expect(bench.effects).toEqual([]);
    bench.restart();
    expect(orderViewOf(bench.order(order.id)).trailing?.time).toBe(START + 5_000);
  });

  it('says so even when the first thing that is heard of it is its trigger', () => {
    const bench = new Bench({ futures: true });
    const { order } = bench.place({ ...TRAILING, activationPrice: '61000' });
    bench.accepted(order, { status: 'PENDING' });
    bench.stream(bench.state(order, { status: 'WORKING', armedAt: START + 1 }));
    expect(orderViewOf(order)).toMatchObject({ status: 'OPENED', trailing: { time: START + 1 } });
  });
});

describe('a position', () => {
  // proves: field position unrealizedProfit
  it('shows its profit at the mark price of now, and its direction in both modes', () => {
    hold(position({ amount: '-0.5' }));
    step({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '59000' });
    const account = engine.memory.account(EXCHANGE);
    const [held] = positionsNow(account);
    if (!held) throw new Error('no position');
    expect(positionOf(account, held).unrealizedProfit).toBe('500');
  });

  it('says how much of it a resting stop covers', () => {
    hold(position());
    const [sent] = of(
      place({ type: 'STOP_MARKET', side: 'SELL', quantity: '0.2', stopPrice: '58000', reduceOnly: true }),
      'submit',
    );
    const clientId = sent?.order.clientId ?? '';
    const account = engine.memory.account(EXCHANGE);
    expect(protection(engine.memory, account, position())).toEqual({ cover: '0', since: null, held: '0' });
    const state = {
      clientId,
      symbol: 'BTCUSDT',
      status: 'PENDING',
      origQty: '0.2',
      cumQty: '0',
      seq: 1,
      time: NOW.market,
    } as const;
    step({ type: 'submitted', exchange: EXCHANGE, orderId: clientId, outcome: { kind: 'accepted', state } });
    expect(protection(engine.memory, account, position())).toEqual({
      cover: '0.2',
      since: NOW.wall,
      held: '0',
    });
    // Its executed part no longer covers anything.
    const filled = { ...state, status: 'WORKING', cumQty: '0.05', seq: 2 } as const;
    step({ type: 'venue.order', exchange: EXCHANGE, state: filled });
    const fill = { ...FILL, clientId, qty: '0.05' };
    step({ type: 'venue.fill', exchange: EXCHANGE, fill });
    expect(engine.memory.orders.get(clientId)).toMatchObject({ status: 'OPENED', executedQty: '0.05' });
    expect(protection(engine.memory, account, position()).cover).toBe('0.15');
  });

  it('does not count a stop whose trigger is met and of which nothing has come, until something does', () => {
    hold(position());
    const stop = {
      type: 'STOP_MARKET',
      side: 'SELL',
      quantity: '0.2',
      stopPrice: '58000',
      reduceOnly: true,
    } as const;
    const clientId = of(place(stop), 'submit')[0]?.order.clientId ?? '';
    const told = { clientId, symbol: 'BTCUSDT', status: 'PENDING', origQty: '0.2', cumQty: '0' } as const;
    const tell = (more: object) =>
      step({
        type: 'venue.order',
        exchange: EXCHANGE,
        state: { ...told, seq: 1, time: NOW.market, ...more },
      });
    const cover = () => protection(engine.memory, engine.memory.account(EXCHANGE), position()).cover;
    tell({});
    expect(cover()).toBe('0.2');
    const [said] = of(tell({ stuck: true }), 'log');
    expect(said).toMatchObject({ level: 'error', text: expect.stringContaining('made nothing of it') });
    expect([cover(), of(tell({ stuck: true }), 'log')]).toEqual(['0', []]);
    tell({ status: 'WORKING', seq: 2 });
    expect(cover()).toBe('0.2');
    // An older answer does not undo it.
    tell({ stuck: true });
    expect(cover()).toBe('0.2');
  });
});

// proves: S59
it('what was never read refuses what may open, by name, and is known from then on', () => {
  engine = new Engine();
  engine.memory.addAccount({ id: EXCHANGE, name: 'Paper futures', kind: 'futures' }, FUTURES_CAPS, [BTC]);
  expect(refusal(place())).toBe(
    'the balances and positions and settings of paper-futures could not be read yet; try again',
  );
  step({ type: 'venue.balances', exchange: EXCHANGE, changed: [], all: true });
  step({ type: 'venue.settings', exchange: EXCHANGE, hedge: false, leverage: [] });
  expect(refusal(place())).toBe('the positions of paper-futures could not be read yet; try again');
  // A position in the stream does not mean that all positions are known.
  hold(position());
  expect(refusal(place())).toContain('positions');
  step({ type: 'venue.positions', exchange: EXCHANGE, changed: [], all: true });
  step({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  expect(of(place(), 'submit')).toHaveLength(1);
});

describe('a margin type that an order sets first', () => {
  const ETH: Instrument = { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' };
  const account = (positions: readonly Partial<ExchangePosition>[] = []) => {
    const bench = new Bench({ futures: true, instruments: [FUTURES_BTC, ETH] });
    const changed = positions.map((more) => ({ ...position(), ...more }));
    bench.event({ type: 'venue.positions', exchange: EXCHANGE, changed, all: true });
    return bench;
  };
  const order = { price: '50000', quantity: '1', marginType: 'ISOLATED' } as const;

  it.each([
    ['a position on another contract', [{ symbol: 'ETHUSDT' }], true],
    ['a position on this one', [{}], false],
  ] as const)('may be set with %s: %s', (_name, positions, may) => {
    const bench = account(positions);
    bench.place(order);
    expect(bench.kinds('setting')).toHaveLength(may ? 1 : 0);
  });

  it('may be set beside orders on other contracts, ended ones on this one, and settings of other kinds', () => {
    const bench = account();
    bench.event({ type: 'price', market: 'paper', symbol: 'ETHUSDT', price: '50000' });
    bench.resting({ symbol: 'ETHUSDT' });
    const ended = bench.resting();
    bench.fill(bench.trade(ended, '1', { commAsset: 'USDT' }));
    const leverage = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 } as const;
    bench.ask({ type: 'setting', exchange: EXCHANGE, setting: leverage });
    bench.place({ ...order, symbol: 'ETHUSDT' });
    expect(bench.kinds('setting')).toEqual([]);
    const { order: waits } = bench.place(order);
    expect(bench.kinds('setting')).toMatchObject([{ setting: { kind: 'marginType', symbol: 'BTCUSDT' } }]);
    expect(waits.phase).toBe('waiting');
    bench.event({ type: 'setting-done', id: `set-${waits.id}`, outcome: { kind: 'done' } });
    bench.accepted(waits);
    // It is set now, and the contract is busy: the same value is no change, another one is refused.
    bench.place(order);
    expect(bench.kinds('submit')).toHaveLength(1);
    expect(bench.place({ ...order, marginType: 'CROSSED' }).reply().status).toBe(400);
  });
});
