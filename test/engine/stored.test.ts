/**
 * What is stored of an order: its record, its events and executions, its plan, the record of its key. Each is
 * compared as a whole, so that any field that gets lost on its way to the store, or over a restart, is found.
 */
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, NATIVE, OPERATOR, SPOT, START } from './support/market.ts';

const BOT: Actor = { kind: 'bot', user: 'owner', botId: 'bot00001', runId: 'run0000001' };
const BUSY = { kind: 'rejected', reason: 'OVERLOADED', code: '-1008', message: 'Busy.' } as const;

/** The record of an order that was just placed as a plain LIMIT order. */
const placed = (bench: Bench, id: string): OrderRecord => ({
  id,
  user: 'owner',
  exchange: bench.exchange,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  status: 'NEW',
  phase: 'sending',
  positionSide: 'BOTH',
  price: '50000',
  origQty: '1',
  executedQty: '0',
  quoteQty: '0',
  timeInForce: 'GTC',
  reduceOnly: false,
  closePosition: false,
  workingType: 'MARK_PRICE',
  isContract: bench.exchange === FUTURES,
  isWorking: false,
  emulated: false,
  creator: 'API',
  creatorId: 'owner000',
  metadata: '',
  orderTime: START,
  createdAt: START,
  updatedAt: START,
  submission: { sentAt: START },
  lock: { asset: 'USDT', amount: bench.exchange === FUTURES ? '2500' : '50000' },
  seq: 0,
});

const LIMIT = { price: '50000', quantity: '1' } as const;
const stored = (bench: Bench, id: string) => bench.store.orders.get(id);

describe('the record of an order', () => {
  it('is made of what was asked for', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    expect(order.id).toMatch(/^ps-[0-9a-z]+00$/);
    expect(stored(bench, order.id)).toEqual(placed(bench, order.id));
  });

  it('has who asked for it: a person, or a run, whose id its own ends with', () => {
    const bench = new Bench();
    const ours = bench.place(LIMIT, { actor: OPERATOR }).order;
    expect(stored(bench, ours.id)).toEqual({ ...placed(bench, ours.id), creator: 'UI' });
    const bots = bench.place(LIMIT, { actor: BOT }).order;
    expect(bots.id).toMatch(/^ps-[0-9a-z]+00_run0000001$/);
    expect(stored(bench, bots.id)).toEqual({
      ...placed(bench, bots.id),
      creator: 'BOT',
      creatorId: 'bot00001',
    });
  });

  it('has an iceberg, an end date that the desk keeps, an amount of money, its side', () => {
    const bench = new Bench();
    const of = (request: Parameters<Bench['place']>[0]) => {
      const { order } = bench.place(request);
      return { is: stored(bench, order.id), plain: placed(bench, order.id) };
    };
    const iceberg = of({ ...LIMIT, icebergQty: '0.3' });
    expect(iceberg.is).toEqual({ ...iceberg.plain, icebergQty: '0.3' });
    const dated = of({ ...LIMIT, timeInForce: 'GTD', goodTillDate: START + 5 });
    expect(dated.is).toEqual({
      ...dated.plain,
      timeInForce: 'GTD',
      goodTillDate: START + 5,
      emulated: true,
    });
    const paid = of({ type: 'MARKET', quoteOrderQty: '150' });
    const { price: _, ...unpriced } = paid.plain;
    expect(paid.is).toEqual({
      ...unpriced,
      type: 'MARKET',
      origQty: '0.002',
      quoteOrderQty: '150',
      lock: { asset: 'USDT', amount: '150' },
    });
    const sold = of({ ...LIMIT, side: 'SELL', price: '70000', timeInForce: 'IOC' });
    expect(sold.is).toEqual({
      ...sold.plain,
      side: 'SELL',
      price: '70000',
      timeInForce: 'IOC',
      lock: { asset: 'BTC', amount: '1' },
    });
  });

  it('has an end date as the exchange keeps it, where it does', () => {
    const bench = new Bench({ caps: { forms: formsOf({ native: NATIVE, endDate: true }) } });
    const { order } = bench.place({ ...LIMIT, timeInForce: 'GTD', goodTillDate: START + 5 });
    expect(stored(bench, order.id)).toEqual({
      ...placed(bench, order.id),
      timeInForce: 'GTD',
      goodTillDate: START + 5,
    });
  });

  it('has what is held, and how it trails', () => {
    const bench = new Bench();
    const { submission: _1, price: _2, ...held } = placed(bench, '');
    const stop = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' }).order;
    const here = { phase: 'held', emulated: true, firedHere: true } as const;
    const selling = { ...held, ...here, side: 'SELL', type: 'STOP_MARKET' } as const;
    const lock = { asset: 'BTC', amount: '1' };
    expect(stored(bench, stop.id)).toEqual({ ...selling, id: stop.id, stopPrice: '55000', lock });
    const request = { type: 'STOP_MARKET', side: 'SELL', trailingDelta: 100, quantity: '1' } as const;
    const waits = bench.place({ ...request, activationPrice: '61000' }).order;
    expect(stored(bench, waits.id)).toEqual({
      ...selling,
      id: waits.id,
      lock,
      trailing: { delta: 100, activationPrice: '61000' },
    });
    const trails = bench.place(request).order;
    expect(stored(bench, trails.id)).toEqual({
      ...selling,
      id: trails.id,
      lock,
      trailing: { delta: 100, best: '60000', armedAt: START },
    });
  });

  it('has what only contracts have', () => {
    const bench = new Bench({ futures: true });
    bench.event({ type: 'venue.settings', exchange: FUTURES, hedge: true });
    const { order } = bench.place({ ...LIMIT, positionSide: 'LONG', workingType: 'CONTRACT_PRICE' });
    expect(stored(bench, order.id)).toEqual({
      ...placed(bench, order.id),
      positionSide: 'LONG',
      workingType: 'CONTRACT_PRICE',
    });
  });

  it('that takes the place of another one is that one’s in everything but its id, its moment and its try', () => {
    const bench = new Bench();
    const request = { type: 'STOP_MARKET', side: 'SELL', trailingDelta: 100, quantity: '1' } as const;
    const { order } = bench.place(request, { actor: OPERATOR });
    Object.assign(order, { metadata: 'note' });
    bench.tick('59000');
    const { lock, ...before } = structuredClone(order);
    bench.pass(1_500);
    bench.submitted(order, BUSY);
    const next = stored(bench, bench.order(order.id).replacedBy ?? '');
    const { submission: _, ...same } = before;
    expect(next).toEqual({
      ...same,
      id: expect.not.stringMatching(order.id),
      phase: 'held',
      lock: { asset: 'BTC', amount: '1' },
      replaces: order.id,
      tries: 1,
      orderTime: START + 1_500,
      createdAt: START + 1_500,
      updatedAt: START + 1_500,
    });
    expect(lock).toEqual(next?.lock);
    // Later changes of one order's trailing state do not change the other's.
    const ended = structuredClone(bench.order(order.id).trailing);
    bench.pass(1_000);
    bench.tick('70000');
    bench.pass(1_000);
    bench.tick('70001');
    expect(bench.order(next?.id ?? '').trailing?.best).toBe('70001');
    expect(bench.order(order.id).trailing).toEqual(ended);
  });

  const adopted = (bench: Bench): OrderRecord => {
    const { submission: _1, lock: _2, ...plain } = placed(bench, 'theirs');
    const since = { orderTime: START + 7, createdAt: START + 50, updatedAt: START + 50 };
    return { ...plain, ...since, external: true, creator: 'UI', creatorId: bench.exchange, phase: 'live' };
  };
  const named = { clientId: 'theirs', symbol: 'BTCUSDT' } as const;

  it('of others has all that its state tells', () => {
    const bench = new Bench({ futures: true });
    bench.pass(50);
    bench.stream({
      ...named,
      status: 'WORKING',
      origQty: '2',
      cumQty: '0',
      seq: 9,
      time: START + 7,
      terms: {
        type: 'STOP_LIMIT',
        side: 'SELL',
        price: '54000',
        stopPrice: '55000',
        icebergQty: '0.5',
        timeInForce: 'IOC',
        positionSide: 'BOTH',
        reduceOnly: true,
        closePosition: true,
        workingType: 'CONTRACT_PRICE',
      },
    });
    expect(stored(bench, 'theirs')).toEqual({
      ...adopted(bench),
      status: 'OPENED',
      isWorking: true,
      side: 'SELL',
      type: 'STOP_LIMIT',
      price: '54000',
      stopPrice: '55000',
      icebergQty: '0.5',
      origQty: '2',
      timeInForce: 'IOC',
      reduceOnly: true,
      closePosition: true,
      workingType: 'CONTRACT_PRICE',
      seq: 9,
    });
  });

  const fill = {
    ...named,
    tradeId: 't9',
    side: 'SELL',
    price: '61000',
    qty: '0.5',
    comm: '3',
    commAsset: 'USDT',
    maker: false,
    rPnl: '4',
    posSide: 'BOTH',
    time: START + 7,
  } as const;

  it.each([
    ['that is known by an execution alone', {}, { untold: true, status: 'OPENED', isWorking: true }],
    [
      'by which its exchange has liquidated',
      { liquidation: true },
      {
        liquidation: true,
        reduceOnly: true,
        status: 'CLOSED',
        phase: 'done',
        endedAt: START + 50,
        text: 'filled',
      },
    ],
  ] as const)('of others %s has what that tells', (_name, more, shown) => {
    const bench = new Bench({ futures: true });
    bench.pass(50);
    bench.fill({ ...fill, ...more });
    const { price: _, ...unpriced } = adopted(bench);
    expect(stored(bench, 'theirs')).toEqual({
      ...unpriced,
      side: 'SELL',
      type: 'MARKET',
      origQty: '0.5',
      executedQty: '0.5',
      quoteQty: '30500',
      ...shown,
    });
    expect([...bench.store.fills.values()]).toEqual([
      { ...fill, clientId: undefined, exchange: FUTURES, orderId: 'theirs', user: 'owner' },
    ]);
  });

  it('that closes a position shows that one’s size until its exchange tells a quantity', () => {
    const bench = new Bench({ futures: true });
    bench.engine.memory.account(FUTURES).unread.add('positions');
    const request = {
      side: 'SELL',
      type: 'STOP_MARKET',
      stopPrice: '55000',
      quantity: '1',
      reduceOnly: true,
    } as const;
    const { order } = bench.place(request);
    Object.assign(order, { closePosition: true });
    bench.accepted(order, { status: 'PENDING', origQty: '0' });
    expect(stored(bench, order.id)).toMatchObject({ origQty: '1' });
    bench.stream(bench.state(order, { origQty: '0.7' }));
    expect(stored(bench, order.id)).toMatchObject({ origQty: '0.7', status: 'OPENED' });
  });

  it('keeps its quantity where a message that tells another price tells none', () => {
    const bench = new Bench();
    const order = bench.resting();
    const terms = {
      type: 'LIMIT',
      side: 'BUY',
      price: '49000',
      timeInForce: 'GTC',
      positionSide: 'BOTH',
      reduceOnly: false,
      closePosition: false,
      workingType: 'MARK_PRICE',
    } as const;
    bench.stream(bench.state(order, { origQty: '0', terms }));
    expect(stored(bench, order.id)).toMatchObject({ origQty: '1', price: '49000' });
  });
});

describe('beside the record', () => {
  it('an event has its order, user, moments, kind, words and the status after it', () => {
    const bench = new Bench();
    const { order } = bench.place(LIMIT);
    bench.pass(5);
    bench.engine.step({ type: 'time', time: START + 3 }, { ...bench.now, market: START + 3 });
    bench.accepted(order);
    const common = { orderId: order.id, user: 'owner', at: START + 5, market: START + 5, kind: 'accepted' };
    expect(bench.store.eventsOf(order.id).slice(-2)).toEqual([
      { ...common, text: 'accepted by paper-spot', status: 'NEW' },
      { ...common, text: 'on the book of paper-spot', status: 'OPENED' },
    ]);
  });

  it('an execution has everything that the exchange tells of it', () => {
    const bench = new Bench({ futures: true });
    const order = bench.resting();
    const trade = {
      tradeId: 't7',
      clientId: order.id,
      symbol: 'BTCUSDT',
      side: 'BUY',
      price: '49999',
      qty: '0.25',
      comm: '1.5',
      commAsset: 'USDT',
      maker: true,
      rPnl: '-2',
      posSide: 'BOTH',
      time: START + 4,
    } as const;
    bench.fill(trade);
    const { clientId: _, ...told } = trade;
    expect(bench.store.fillsOf(order.id)).toEqual([
      { ...told, exchange: FUTURES, orderId: order.id, user: 'owner' },
    ]);
    bench.restart();
    expect([...(bench.engine.memory.fills.get(order.id) ?? [])]).toEqual(bench.store.fillsOf(order.id));
    // Reported again, it is not another execution.
    bench.fill(trade);
    expect(bench.order(order.id).executedQty).toBe('0.25');
  });

  it('one that is inferred has no fee, and says so', () => {
    const bench = new Bench();
    const order = bench.resting();
    const state = bench.state(order, { status: 'FILLED', cumQty: '1', quoteQty: '49000' });
    bench.stream(state);
    for (let n = 0; n < 5; n++) {
      bench.queried(order, { kind: 'found', state, fills: [] });
      bench.pass(15_000);
    }
    expect(bench.store.fillsOf(order.id)).toEqual([
      {
        exchange: SPOT,
        tradeId: 'inferred-1',
        orderId: order.id,
        user: 'owner',
        symbol: 'BTCUSDT',
        side: 'BUY',
        price: '49000',
        qty: '1',
        comm: '0',
        commAsset: '',
        maker: false,
        rPnl: null,
        posSide: 'BOTH',
        time: START,
        inferred: true,
      },
    ]);
  });

  it('a split has its plan, from its beginning to its end', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.pass(9);
    bench.split(order.id, ['49000', '48000'], { actor: OPERATOR });
    const plan = bench.store.splits.get(order.id);
    expect(plan).toEqual({
      id: order.id,
      user: 'owner',
      exchange: SPOT,
      prices: ['49000', '48000'],
      stage: 'cancelling',
      children: [expect.stringMatching(/^ps-.*00$/), expect.stringMatching(/^ps-.*01$/)],
      startedAt: START + 9,
      creator: 'UI',
      creatorId: 'owner000',
    });
    bench.cancelDone(order);
    expect(bench.store.splits.get(order.id)).toEqual({ ...plan, stage: 'placing' });
    for (const id of plan?.children ?? []) bench.accepted(bench.order(id));
    expect(bench.store.splits.get(order.id)).toEqual({ ...plan, stage: 'done' });
  });

  it('the record of a key has its request, what that waits for, and the answer', () => {
    const bench = new Bench();
    const record = () => [...bench.store.idempotency.values()];
    const { order, token } = bench.place(LIMIT, { key: 'k', print: 'f' });
    const common = {
      user: 'owner',
      key: 'k',
      fingerprint: 'f',
      arrivedAt: START,
      requestId: `req-${token}`,
      effect: { kind: 'place', orderId: order.id },
    };
    expect(record()).toEqual([{ ...common, answer: null }]);
    bench.pass(9);
    bench.accepted(order);
    const { body } = bench.answers.get(token) ?? {};
    expect(record()).toEqual([{ ...common, answer: { status: 200, body } }]);
  });

  it.each(['place', 'cancel', 'split'] as const)(
    'an answer after a restart is of the request that was made before it: %s',
    (kind) => {
      const bench = new Bench();
      const ask = {
        place: () => bench.place(LIMIT, { key: 'k' }),
        cancel: () => bench.cancel(bench.resting().id, { key: 'k' }),
        split: () => bench.split(bench.resting().id, ['49000', '48000'], { key: 'k' }),
      }[kind];
      const { token } = ask();
      const [order] = [...bench.engine.memory.orders.values()];
      bench.restart();
      const found = bench.order(order?.id ?? '');
      const status = kind === 'place' ? 'WORKING' : 'CANCELLED';
      bench.queried(found, { kind: 'found', state: bench.state(found, { status }), fills: [] });
      for (const part of [...bench.engine.memory.orders.values()].slice(1)) bench.accepted(part);
      const [answered] = [...bench.store.idempotency.values()];
      const { meta } = JSON.parse(answered?.answer?.body ?? '{}');
      expect(meta).toMatchObject({ requestId: `req-${token}`, timestamp: START, idempotencyKey: 'k' });
      // Nobody waits for it any more; a repeated request gets these bytes.
      expect(bench.isAnswered(token)).toBe(false);
    },
  );

  it('an answer that refuses has the request it is of', () => {
    const bench = new Bench();
    const { token, reply } = bench.place({ ...LIMIT, price: '0.001' });
    expect(JSON.parse(reply().answer.body)).toMatchObject({ meta: { requestId: `req-${token}` } });
  });
});

describe('what is sent to the exchange', () => {
  const sent = (bench: Bench) =>
    bench.effects.flatMap((effect) => (effect.kind === 'submit' ? [{ ...effect.order, clientId: '' }] : []));
  const PLAIN = {
    clientId: '',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '1',
    price: '50000',
    timeInForce: 'GTC',
    reduceOnly: false,
    closePosition: false,
    positionSide: 'BOTH',
    workingType: 'MARK_PRICE',
  };
  const { price: _, ...UNPRICED } = PLAIN;
  const SELLS = { side: 'SELL', type: 'STOP_LIMIT', stopPrice: '55000', price: '54000' } as const;

  it.each<[string, Parameters<Bench['place']>[0], object]>([
    ['a limit', LIMIT, PLAIN],
    ['one that must take', { ...LIMIT, timeInForce: 'FOK' }, { ...PLAIN, timeInForce: 'FOK' }],
    [
      'one with an end date, which stays here',
      { ...LIMIT, timeInForce: 'GTD', goodTillDate: START + 9 },
      PLAIN,
    ],
    ['an iceberg', { ...LIMIT, icebergQty: '0.2' }, { ...PLAIN, icebergQty: '0.2' }],
    ['a market order', { type: 'MARKET', quantity: '1' }, { ...UNPRICED, type: 'MARKET' }],
    [
      'one for an amount of money, and not for a quantity',
      { type: 'MARKET', quoteOrderQty: '150' },
      { ...UNPRICED, type: 'MARKET', quantity: undefined, quoteOrderQty: '150' },
    ],
    ['a stop that waits there', { ...SELLS, quantity: '1' }, { ...PLAIN, ...SELLS }],
  ])('is %s', (_name, request, order) => {
    const bench = new Bench();
    bench.place(request);
    expect(sent(bench)).toEqual([order]);
  });

  it('is, of what was held, what it turns into', () => {
    const bench = new Bench({ caps: { forms: formsOf({ native: ['MARKET', 'LIMIT'] }) } });
    bench.place({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '1' });
    bench.place({ ...SELLS, quantity: '2' });
    bench.place({ side: 'SELL', type: 'STOP_MARKET', trailingDelta: 1000, quantity: '3' });
    bench.tick('53900');
    expect(sent(bench)).toEqual([
      { ...UNPRICED, side: 'SELL', type: 'MARKET' },
      { ...PLAIN, side: 'SELL', quantity: '2', price: '54000' },
      { ...UNPRICED, side: 'SELL', type: 'MARKET', quantity: '3' },
    ]);
  });

  it('is, of a contract, all that only contracts have', () => {
    const bench = new Bench({ futures: true });
    bench.event({ type: 'venue.settings', exchange: FUTURES, hedge: true });
    const hedged = { positionSide: 'SHORT', workingType: 'CONTRACT_PRICE' } as const;
    const sells = { ...hedged, side: 'SELL', price: '70000' } as const;
    bench.place({ ...LIMIT, ...sells });
    expect(sent(bench)).toEqual([{ ...PLAIN, ...sells }]);
    const trailing = { side: 'SELL', type: 'STOP_MARKET', trailingDelta: 50, ...hedged } as const;
    bench.place({ ...trailing, quantity: '1', activationPrice: '61000' });
    expect(sent(bench)).toEqual([{ ...UNPRICED, ...trailing, activationPrice: '61000' }]);
    bench.place({ ...trailing, quantity: '1' });
    expect(sent(bench)).toEqual([{ ...UNPRICED, ...trailing }]);
  });

  it('is, of what only closes, that it does', () => {
    const bench = new Bench({ futures: true });
    bench.event({
      type: 'venue.positions',
      exchange: FUTURES,
      changed: [
        {
          symbol: 'BTCUSDT',
          side: 'BOTH',
          amount: '1',
          entryPrice: '60000',
          breakEvenPrice: '60000',
          markPrice: '60000',
          unrealizedProfit: '0',
          marginType: 'CROSSED',
          leverage: 20,
          isolatedWallet: '0',
          liquidationPrice: null,
          maintenanceMarginRate: '0.004',
          maintenanceMargin: '0',
          realizedPnl: '0',
          updateTime: START,
        },
      ],
    });
    bench.place({ ...LIMIT, side: 'SELL', price: '70000', reduceOnly: true });
    expect(sent(bench)).toEqual([{ ...PLAIN, side: 'SELL', price: '70000', reduceOnly: true }]);
    const whole = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', closePosition: true } as const;
    bench.place(whole);
    expect(sent(bench)).toEqual([{ ...UNPRICED, ...whole }]);
  });
});

describe('a key', () => {
  it('whose request came to nothing that is kept leaves no record, in memory or in the store', () => {
    const bench = new Bench({ futures: true });
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 } as const;
    bench.ask({ type: 'setting', exchange: FUTURES, setting }, { key: 'k' });
    expect(bench.store.idempotency.size).toBe(1);
    const [sent] = bench.kinds('setting');
    const id = sent?.kind === 'setting' ? sent.id : '';
    bench.event({ type: 'setting-done', id, outcome: { kind: 'unknown', cause: 'x' } });
    expect(bench.store.idempotency.size).toBe(0);
    expect(bench.engine.memory.idempotency.size).toBe(0);
  });

  it('of a cancel of what had ended here is answered by a start, with the order as it stands', () => {
    const bench = new Bench();
    const order = bench.resting();
    bench.cancel(order.id);
    bench.cancelDone(order);
    bench.stream(bench.state(order));
    const { token } = bench.cancel(order.id, { key: 'k' });
    expect(bench.isAnswered(token)).toBe(false);
    bench.restart();
    const again = bench.cancel(order.id, { key: 'k' }).reply();
    expect(again).toMatchObject({ status: 200, order: { status: 'CANCELLED' }, answer: { replayed: true } });
  });
});
