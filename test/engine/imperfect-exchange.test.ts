/**
 * What a real exchange does and an ideal one would not: each test is an assumption that the engine must not
 * make.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeOrderTerms, QueryOutcome } from '../../src/domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../../src/domain/order.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import { availability } from '../../src/engine/balances.ts';
import type { Effect } from '../../src/engine/step.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, FUTURES_CAPS, NATIVE, SPOT } from './support/market.ts';

const of = <K extends Effect['kind']>(effects: Effect[], kind: K) =>
  effects.filter((e): e is Extract<Effect, { kind: K }> => e.kind === kind);

describe('a contract', () => {
  const leverage = (side: 'LONG' | 'SHORT', times: number) => ({
    symbol: 'BTCUSDT',
    side,
    leverage: times,
    marginType: 'CROSSED' as const,
    realizedPnl: '0',
  });
  const position = (side: 'LONG' | 'SHORT', times: number): ExchangePosition => ({
    symbol: 'BTCUSDT',
    side,
    amount: '1',
    entryPrice: '60000',
    breakEvenPrice: '60000',
    markPrice: '60000',
    unrealizedProfit: '0',
    marginType: 'CROSSED',
    leverage: times,
    isolatedWallet: '0',
    liquidationPrice: null,
    maintenanceMarginRate: '0.004',
    maintenanceMargin: '240',
    realizedPnl: '0',
    updateTime: 1,
  });

  it('has a leverage of its own on each side in hedge mode, and one again afterwards', () => {
    const b = new Bench({ futures: true });
    const told = (hedge: boolean, ...list: ReturnType<typeof leverage>[]) =>
      b.event({ type: 'venue.settings', exchange: FUTURES, hedge, leverage: list });
    told(true, leverage('LONG', 50), leverage('SHORT', 3));
    const at = { price: '60000', quantity: '1' };
    expect(b.place({ ...at, positionSide: 'LONG' }).order.lock?.amount).toBe('1200');
    expect(b.place({ ...at, side: 'SELL', positionSide: 'SHORT' }).order.lock?.amount).toBe('20000');
    b.event({
      type: 'venue.settings',
      exchange: FUTURES,
      hedge: false,
      leverage: [{ ...leverage('LONG', 10), side: 'BOTH' }],
    });
    expect(b.place(at).order.lock?.amount).toBe('6000');
    told(true, leverage('SHORT', 4));
    // What is reported for one side alone applies to the other as well.
    expect(b.place({ ...at, positionSide: 'LONG' }).order.lock?.amount).toBe('15000');
  });

  it('margins its positions and its orders by the leverage of their side', () => {
    const wallet = [{ asset: 'USDT', free: '100000', locked: '0' }];
    const free = (long: number, short: number, orders: readonly ('LONG' | 'SHORT')[] = []) => {
      const b = new Bench({ futures: true, balances: wallet });
      const list = [leverage('LONG', long), leverage('SHORT', short)];
      b.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
      b.event({ type: 'venue.settings', exchange: FUTURES, hedge: true, leverage: list });
      b.event({
        type: 'venue.positions',
        exchange: FUTURES,
        changed: [position('LONG', long), position('SHORT', short)],
        all: true,
      });
      for (const positionSide of orders) {
        const side = positionSide === 'LONG' ? 'BUY' : 'SELL';
        const { order } = b.place({ side, positionSide, price: '60000', quantity: '0.1' });
        b.accepted(order);
      }
      return b.engine.memory.account(FUTURES);
    };
    const available = (...args: Parameters<typeof free>) => availability(free(...args), 'USDT').available;
    expect(available(10, 10)).toBe(dec('88000'));
    expect(available(50, 4)).toBe(dec('83800'));
    expect(available(50, 4, ['LONG'])).toBe(dec('83680'));
    expect(available(50, 4, ['LONG', 'SHORT'])).toBe(dec('82180'));
  });
});

describe('a held stop on a contract', () => {
  const held = (workingType: 'MARK_PRICE' | 'CONTRACT_PRICE', marks = true) => {
    const b = new Bench({ futures: true, caps: { ...FUTURES_CAPS, forms: formsOf({ native: NATIVE }) } });
    if (marks) b.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
    b.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '0.5', workingType });
    return b;
  };
  const mark = (b: Bench, price: string) =>
    b.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price });

  it('looks at the price that it names', () => {
    const b = held('MARK_PRICE');
    expect(of(b.tick('54000'), 'submit')).toHaveLength(0);
    expect(of(mark(b, '55000.01'), 'submit')).toHaveLength(0);
    expect(of(mark(b, '55000'), 'submit')).toHaveLength(1);
    const c = held('CONTRACT_PRICE');
    expect(of(mark(c, '54000'), 'submit')).toHaveLength(0);
    expect(of(c.tick('55000'), 'submit')).toHaveLength(1);
  });

  it('looks at the last price where there is no mark', () => {
    const b = held('MARK_PRICE', false);
    expect(of(b.tick('55000'), 'submit')).toHaveLength(1);
  });

  it('looks at its own price again when the line is up', () => {
    const b = held('MARK_PRICE');
    b.event({ type: 'link', exchange: FUTURES, up: false, gap: true });
    mark(b, '54000');
    b.tick('60000');
    expect(of(b.event({ type: 'link', exchange: FUTURES, up: true, gap: true }), 'submit')).toHaveLength(1);
  });
});

const terms = (price: string, more: Partial<ExchangeOrderTerms> = {}): ExchangeOrderTerms => ({
  side: 'BUY',
  type: 'LIMIT',
  price,
  timeInForce: 'GTC',
  reduceOnly: false,
  closePosition: false,
  positionSide: 'BOTH',
  workingType: 'MARK_PRICE',
  ...more,
});

/**
 * Lets time pass and gives every query the same answer, until no query is made any more or `most` were made.
 */
function answerAll(b: Bench, order: OrderRecord, answer: () => QueryOutcome, most = 1_000) {
  const from = b.wall;
  let questions = 0;
  const logs: string[] = [];
  while (questions < most && !TERMINAL.has(order.status)) {
    b.passToWake();
    if (of(b.wake(), 'query').length === 0) continue;
    questions += 1;
    logs.push(...of(b.queried(order, answer()), 'log').map(({ level }) => level));
  }
  return { questions, logs, ms: b.wall - from };
}

describe('a live order that its exchange does not know', () => {
  const absent = () => ({ kind: 'absent' }) as const;

  it('is asked for until that is certain, and ends with what it is known to have executed', () => {
    const b = new Bench();
    const order = b.resting();
    b.fill(b.trade(order, '0.3'));
    b.event({ type: 'reconciled', exchange: SPOT, open: [] });
    b.queried(order, absent());
    expect(order.status).toBe('OPENED');
    const { questions, logs, ms } = answerAll(b, order, absent);
    expect(order).toMatchObject({ status: 'CANCELLED', executedQty: '0.3' });
    expect(order.text).toBe('no longer known to paper-spot; 0.3 executed as far as known');
    expect([questions, ms, logs]).toEqual([2, 60_000, ['error']]);
  });

  it.each([
    // A step of 0.001 is worth 60: less than that cannot be spent.
    { spends: '1000', qty: '0.016', status: 'CLOSED' },
    { spends: '1019.9', qty: '0.016', status: 'CLOSED' },
    { spends: '1020', qty: '0.016', status: 'CANCELLED' },
  ])('over an amount of $spends has executed all of it with $qty: $status', ({ spends, qty, status }) => {
    const b = new Bench();
    const { order } = b.place({ type: 'MARKET', quantity: undefined, quoteOrderQty: spends });
    b.accepted(order);
    b.fill(b.trade(order, qty));
    b.event({ type: 'reconciled', exchange: SPOT, open: [] });
    b.queried(order, absent());
    answerAll(b, order, absent);
    expect(order).toMatchObject({ status, executedQty: qty });
    if (status === 'CLOSED') expect(order.origQty).toBe(qty);
  });

  it('over an amount has the size of its end, though a message of before comes again with a later time', () => {
    const b = new Bench();
    const { order } = b.place({ type: 'MARKET', quantity: undefined, quoteOrderQty: '1000' });
    b.accepted(order, { origQty: '0' });
    b.fill(b.trade(order, '0.017'));
    const end = b.state(order, { status: 'FILLED', origQty: '0.017', cumQty: '0.017' });
    b.stream(b.state(order, { origQty: '0', cumQty: '0.017', seq: end.seq + 3 }));
    b.stream(end);
    expect(order).toMatchObject({ status: 'CLOSED', origQty: '0.017', executedQty: '0.017' });
  });

  it('ends its cancel, too, and who asked for it is told once it has', () => {
    const b = new Bench();
    const order = b.resting();
    const asked = b.cancel(order.id, { key: 'k' });
    b.cancelled(order, { kind: 'gone', state: null });
    expect(answerAll(b, order, absent).questions).toBeLessThan(20);
    expect(order.status).toBe('CANCELLED');
    expect(asked.reply().status).toBe(200);
  });

  it('has lived all the time when one sign of it comes between the answers', () => {
    const b = new Bench();
    const order = b.resting();
    const ask = () => b.queried(order, absent());
    for (const sign of [
      () => b.stream(b.state(order)),
      () => b.fill(b.trade(order, '0.1')),
      () => b.event({ type: 'reconciled', exchange: SPOT, open: [b.state(order, { cumQty: '0.1' })] }),
    ]) {
      ask();
      b.pass(59_000);
      ask();
      sign();
      b.pass(59_000);
      ask();
      b.pass(1);
      ask();
      expect(order.status).toBe('OPENED');
    }
  });

  it('ends with the executions that its exchange had counted, even those that nobody has told', () => {
    const b = new Bench();
    const order = b.resting();
    b.stream(b.state(order, { cumQty: '0.4' }));
    answerAll(b, order, absent);
    expect(order).toMatchObject({ status: 'CANCELLED', executedQty: '0.4', quoteQty: '20000' });
  });

  it('is no lost send: that has a rule of its own', () => {
    const b = new Bench();
    const { order } = b.place({ price: '50000', quantity: '1' });
    b.lost(order);
    for (let n = 0; n < 5; n++) b.queried(order, absent());
    expect(order.phase).toBe('unresolved');
  });
});

describe('an execution that is counted and not told', () => {
  it('is asked for a second after a state that counts it, and not when it comes before', () => {
    const b = new Bench();
    const order = b.resting();
    b.stream(b.state(order, { cumQty: '0.6' }));
    b.pass(999);
    expect(of(b.wake(), 'query')).toHaveLength(0);
    b.pass(1);
    expect(of(b.wake(), 'query')).toHaveLength(1);
    b.queried(order, {
      kind: 'found',
      state: b.state(order, { cumQty: '0.6' }),
      fills: [b.trade(order, '0.6')],
    });
    expect(order.executedQty).toBe('0.6');
    b.stream(b.state(order, { cumQty: '0.9' }));
    b.fill(b.trade(order, '0.3'));
    b.pass(60_000);
    expect(of(b.wake(), 'query')).toHaveLength(0);
    expect(order.status).toBe('OPENED');
  });

  const filled = (b: Bench, order: OrderRecord, quoteQty?: string) => () =>
    ({
      kind: 'found',
      state: b.state(order, { status: 'FILLED', cumQty: '1', ...(quoteQty ? { quoteQty } : {}) }),
      fills: [],
    }) as const;

  it.each([
    ['at what the exchange says was paid for it', '49350', '49350'],
    ['at its limit where the exchange does not say', undefined, '49500'],
  ])('is inferred at last, %s, and the order ends', (_, quoteQty, paid) => {
    const b = new Bench();
    const order = b.resting();
    b.fill(b.trade(order, '0.25', { price: '48000' }));
    const answer = filled(b, order, quoteQty);
    b.stream(answer().state);
    const { ms, questions } = answerAll(b, order, answer);
    expect(order.status).toBe('CLOSED');
    expect(order.executedQty).toBe('1');
    expect(dec(order.quoteQty)).toBe(dec(paid));
    expect(ms).toBeGreaterThanOrEqual(60_000);
    expect(questions).toBeLessThan(20);
    const [first, inferred] = b.store.fillsOf(order.id);
    expect([first?.inferred, inferred?.inferred, inferred?.qty]).toEqual([undefined, true, '0.75']);
  });

  it('that is told after it was inferred is not counted twice, after a restart as well', () => {
    const b = new Bench();
    const order = b.resting();
    const answer = filled(b, order);
    b.stream(answer().state);
    answerAll(b, order, answer);
    for (const restart of [false, true]) {
      if (restart) b.restart();
      b.fill(b.trade(order, '1', { price: '49000' }));
      expect(b.order(order.id)).toMatchObject({ executedQty: '1', quoteQty: '50000' });
      expect(b.store.fillsOf(order.id)).toHaveLength(1);
    }
  });
});

describe('the state of an order', () => {
  it('of the same number is taken when it has gone further, and not when it has not', () => {
    const b = new Bench();
    const { order } = b.place({
      type: 'STOP_LIMIT',
      side: 'SELL',
      price: '49000',
      stopPrice: '50000',
      quantity: '1',
    });
    b.submitted(order, { kind: 'accepted', state: b.state(order, { status: 'PENDING', seq: 7 }) });
    b.stream(b.state(order, { status: 'WORKING', seq: 7 }));
    expect(order.status).toBe('OPENED');
    b.stream(b.state(order, { status: 'WORKING', seq: 7, origQty: '5' }));
    expect(order.origQty).toBe('1');
  });

  it('that counts more executions is newer whatever its number', () => {
    const b = new Bench();
    const order = b.resting();
    b.stream(b.state(order, { seq: 1, cumQty: '0.5' }));
    b.pass(1_000);
    expect(of(b.wake(), 'query')).toHaveLength(1);
  });

  it('has another quantity or price: it was amended by others', () => {
    const b = new Bench();
    const order = b.resting();
    b.stream(b.state(order, { origQty: '2', terms: terms('49000') }));
    expect(order).toMatchObject({ origQty: '2', price: '49000', status: 'OPENED' });
    expect(b.kinds('order-event')).toHaveLength(1);
    b.fill(b.trade(order, '1'));
    expect(order.status).toBe('OPENED');
    // An older state from before does not undo it.
    b.stream(b.state(order, { seq: 1, origQty: '1', terms: terms('50000') }));
    expect(order).toMatchObject({ origQty: '2', price: '49000' });
    b.restart();
    expect(b.order(order.id)).toMatchObject({ origQty: '2', price: '49000' });
    b.fill(b.trade(order, '1'));
    expect(b.order(order.id).status).toBe('CLOSED');
  });

  it('moves what is locked for it until the exchange tells of that itself', () => {
    const b = new Bench({ balances: [{ asset: 'USDT', free: '100000', locked: '0' }] });
    const order = b.resting();
    const free = () => availability(b.engine.memory.account(SPOT), 'USDT').available;
    expect(free()).toBe(dec('50000'));
    b.stream(b.state(order, { origQty: '1.5' }));
    expect(free()).toBe(dec('25000'));
    b.stream(b.state(order, { origQty: '1.5', terms: terms('40000') }));
    expect(free()).toBe(dec('40000'));
  });

  it('of less than was asked for is what a split divides', () => {
    const b = new Bench();
    const order = b.resting({ quantity: '2' });
    b.stream(b.state(order, { origQty: '1' }));
    b.split(order.id, ['50000', '49000']);
    const ended = b.state(order, { status: 'CANCELLED', origQty: '1' });
    const parts = of(b.cancelled(order, { kind: 'done', state: ended }), 'submit');
    expect(parts.map(({ order: { quantity } }) => quantity)).toEqual(['0.5', '0.5']);
  });
});

describe('a split where an execution may come to light after the cancel that it crossed', () => {
  const SETTLE_MS = 2_000;
  const split = (more: ConstructorParameters<typeof Bench>[0] = {}) => {
    const b = new Bench({ caps: { settleMs: SETTLE_MS }, ...more });
    const order = b.resting();
    const asked = b.split(order.id, ['49000', '48000'], { key: 'split' });
    const ended = b.state(order, { status: 'CANCELLED' });
    const effects = b.cancelled(order, { kind: 'done', state: ended });
    return { b, order, asked, ended, effects };
  };
  const sent = (effects: Effect[]) => of(effects, 'submit').map(({ order }) => order.quantity);
  const answer = (b: Bench, order: OrderRecord, outcome: QueryOutcome) => {
    let asked: Effect[] = [];
    for (let wakes = 0; wakes < 5 && asked.length === 0; wakes++) {
      b.passToWake();
      asked = of(b.wake(), 'query');
    }
    expect(asked).toHaveLength(1);
    return b.queried(order, outcome);
  };

  it('divides what is left when that time is over, after it has asked again', () => {
    const { b, order, ended, effects, asked } = split();
    expect(sent(effects)).toEqual([]);
    expect(order.status).toBe('OPENED');
    b.fill(b.trade(order, '0.4'));
    b.pass(SETTLE_MS - 1);
    expect(of(b.wake(), 'query')).toEqual([]);
    const found: QueryOutcome = {
      kind: 'found',
      state: { ...ended, cumQty: '0.5' },
      fills: [b.trade(order, '0.1')],
    };
    expect(sent(answer(b, order, found))).toEqual(['0.25', '0.25']);
    expect(order).toMatchObject({ status: 'CANCELLED', executedQty: '0.5' });
    expect(b.isAnswered(asked.token)).toBe(false);
  });

  it('takes no answer that was asked for before, and none that failed', () => {
    const { b, order, ended } = split();
    expect(sent(b.queried(order, { kind: 'found', state: ended, fills: [] }))).toEqual([]);
    b.pass(SETTLE_MS);
    expect(sent(b.queried(order, { kind: 'found', state: ended, fills: [] }, b.mono - 1))).toEqual([]);
    expect(sent(answer(b, order, { kind: 'unknown', cause: 'HTTP 502' }))).toEqual([]);
    expect(sent(answer(b, order, { kind: 'absent' }))).toEqual(['0.5', '0.5']);
  });

  it('is over when somebody cancels meanwhile: nothing further is placed', () => {
    const { b, order, ended, asked } = split();
    b.cancel(order.id);
    expect(asked.reply()).toMatchObject({ status: 409 });
    b.passToWake();
    b.wake();
    expect(sent(b.queried(order, { kind: 'found', state: ended, fills: [] }))).toEqual([]);
    expect(order.status).toBe('CANCELLED');
  });

  it('goes on after a restart, from the first question', () => {
    const { b, order, ended } = split();
    b.restart();
    expect(b.kinds('query')).toHaveLength(1);
    expect(sent(b.queried(b.order(order.id), { kind: 'found', state: ended, fills: [] }))).toEqual([]);
    const found: QueryOutcome = { kind: 'found', state: ended, fills: [] };
    expect(sent(answer(b, b.order(order.id), found))).toEqual(['0.5', '0.5']);
    expect(b.order(order.id).status).toBe('CANCELLED');
  });

  it('keeps what the parts need from everybody else', () => {
    const { b, order, ended } = split({ balances: [{ asset: 'USDT', free: '50000', locked: '0' }] });
    const changed = [{ asset: 'USDT', free: '50000', locked: '0', time: b.wall + 1 }];
    b.event({ type: 'venue.balances', exchange: SPOT, changed });
    const free = () => availability(b.engine.memory.account(SPOT), 'USDT').available;
    expect(free()).toBe(dec('1500'));
    expect(sent(answer(b, order, { kind: 'found', state: ended, fills: [] }))).toEqual(['0.5', '0.5']);
    expect(free()).toBe(dec('1500'));
  });
});

it('gives back what it had set aside for dearer parts, and for the parts themselves, when it comes to nothing', () => {
  const b = new Bench({ caps: { settleMs: 2_000 } });
  const order = b.resting();
  b.split(order.id, ['51000', '52000']);
  const locked = () => str(b.locked('USDT'));
  expect(locked()).toBe('1500');
  const ended = b.state(order, { status: 'CANCELLED' });
  b.cancelled(order, { kind: 'done', state: ended });
  // Its exchange has freed what the order held there: now everything that the parts need.
  expect(locked()).toBe('51500');
  b.fill(b.trade(order, '0.4'));
  expect(locked()).toBe('30900');
  b.cancel(order.id);
  expect(locked()).toBe('0');
  b.pass(2_000);
  b.wake();
  b.queried(order, { kind: 'found', state: { ...ended, cumQty: '0.4' }, fills: [] });
  expect(order.status).toBe('CANCELLED');
  expect(locked()).toBe('0');
});
