/**
 * What becomes of each request of the engine to an account: what is sent while it is away, which answers
 * count when the store or the exchange's own lists cannot be read, and what counts that comes late.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeFill, ExchangeOrderState, QueryOutcome } from '../../../src/domain/exchange.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { LinkRig } from './link-rig.ts';

const AWAY = 'no route, says the test';

/** Collects the inputs of these types instead of making them. */
function collected(rig: LinkRig, ...types: EngineEvent['type'][]): EngineEvent[] {
  const told: EngineEvent[] = [];
  const { turn } = rig.core;
  const step = turn.step.bind(turn);
  turn.step = (event) => {
    if (types.includes(event.type)) told.push(event);
    else step(event);
  };
  return told;
}

function working(clientId: string, more: Partial<ExchangeOrderState> = {}): ExchangeOrderState {
  const base = {
    symbol: 'BTCUSDT',
    status: 'WORKING',
    origQty: '0.01',
    cumQty: '0',
    seq: 5,
    time: 0,
  } as const;
  return { ...base, clientId, ...more };
}

function execution(clientId: string, qty: string, time: number): ExchangeFill {
  return {
    tradeId: `t${time}`,
    clientId,
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '50000',
    qty,
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time,
  };
}

describe('while an account is away', () => {
  it('an order certainly never leaves, what else is asked has no known outcome, and nothing is sent', async () => {
    const rig = new LinkRig('futures', 1);
    rig.venue.open = () => Promise.reject(new Error(AWAY));
    Object.assign(rig.venue, {
      cancelAll: async () => {
        rig.venue.calls.push('cancelAll');
        return { kind: 'unknown', cause: 'reset' };
      },
    });
    await rig.until(rig.core.start());
    const told = collected(rig, 'submitted', 'cancelled', 'queried', 'setting-done');
    const names = { clientId: 'a', symbol: 'BTCUSDT', venueIds: ['7'] };
    const order = { ...names, exchange: 'said-futures', orderId: 'a' };
    const { requests } = rig.link;
    const limit = { type: 'LIMIT', side: 'BUY', price: '1', quantity: '1', timeInForce: 'GTC' } as const;
    requests.submit({ clientId: 'a', symbol: 'BTCUSDT', ...limit }, { lane: 'entry', waitMs: null });
    requests.cancel(order);
    requests.query(order);
    requests.cancelAll('BTCUSDT', [order, { ...order, orderId: 'b', clientId: 'b' }]);
    requests.setting('s1', { kind: 'hedgeMode', on: true });
    await rig.clock.settle();
    const unknown = { kind: 'unknown', cause: `not connected: ${AWAY}` };
    const message = `said-futures is not connected: ${AWAY}`;
    expect(told.map((event) => ('outcome' in event ? [event.type, event.outcome] : event))).toEqual([
      ['submitted', { kind: 'rejected', reason: 'UNREACHED', code: 'AWAY', message }],
      ['cancelled', unknown],
      ['queried', unknown],
      ['cancelled', unknown],
      ['cancelled', unknown],
      ['setting-done', unknown],
    ]);
    expect(rig.venue.calls).toEqual([]);
  });
});

describe('while the connection of an account is broken', () => {
  it('an entry is refused from the first moment on, a cancel leaves, and both do once it is back and compared', async () => {
    const rig = await LinkRig.started();
    await rig.until(rig.place());
    rig.venue.sink?.stream('down');
    const up = () => rig.core.engine.memory.account('said-spot').link;
    expect([rig.link.state, up()]).toEqual(['down', expect.objectContaining({ up: false, gap: true })]);
    const refused = await rig.until(rig.place({ price: '49000' }), { limitMs: 0 });
    expect([refused.status, rig.venue.asked('submit')]).toEqual([503, 1]);
    const [{ id = '' } = {}] = rig.orders;
    void rig.core.execute(OPERATOR, { type: 'cancel', exchange: 'said-spot', id }, { requestId: 'r' });
    await rig.clock.settle();
    expect(rig.venue.asked('cancel')).toBe(1);
    rig.venue.openOrdersAre = async () => [working(id)];
    rig.venue.sink?.stream('up');
    await rig.clock.settle();
    expect([rig.link.state, up()]).toEqual(['up', expect.objectContaining({ up: true, gap: false })]);
    expect((await rig.until(rig.place({ price: '48000' }))).status).toBe(200);
    const said = rig.core.log.map(({ level, text }) => `${level}: ${text}`);
    expect(said.filter((text) => /said-spot is (up|down)$/.test(text))).toEqual([
      'warn: said-spot is down',
      'info: said-spot is up',
    ]);
  });
});

describe('a question about an order', () => {
  const asks = async (outcome: QueryOutcome) => {
    const rig = await LinkRig.started();
    rig.venue.query = async () => outcome;
    const told = collected(rig, 'queried');
    const ask = async () => {
      rig.link.requests.query({
        exchange: 'said-spot',
        orderId: 'v 77',
        clientId: '',
        symbol: 'BTCUSDT',
        venueIds: ['77'],
      });
      await rig.clock.settle();
      return told.splice(0).map((event) => ('outcome' in event ? event.outcome : event));
    };
    return { rig, ask };
  };

  it('has no known outcome while the order that it has found cannot be looked for in the store', async () => {
    const found = { kind: 'found', state: working('web_1', { venueIds: ['77'] }), fills: [] } as const;
    const { rig, ask } = await asks(found);
    const { orderAt } = rig.store;
    rig.store.orderAt = () => {
      throw new Error('the disk is gone');
    };
    expect(await ask()).toEqual([{ kind: 'unknown', cause: 'the order could not be read from the store' }]);
    rig.store.orderAt = orderAt;
    expect(await ask()).toEqual([found]);
  });

  it('that is answered with "not found" asks for no executions at first', async () => {
    const { rig, ask } = await asks({ kind: 'absent' });
    expect(await ask()).toEqual([{ kind: 'absent' }]);
    expect(rig.venue.asked('fills')).toBe(0);
  });
});

describe('an order that its exchange does not know any more', () => {
  /** Two orders, one of which is not listed any more since one second. */
  async function forgotten() {
    const rig = await LinkRig.started();
    for (const price of ['50000', '49000']) await rig.until(rig.place({ price }));
    const [gone, stays] = rig.orders;
    rig.venue.openOrdersAre = async () => [working(stays?.id ?? '')];
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(1_000);
    const order = (one = gone) => rig.core.engine.memory.orders.get(one?.id ?? '');
    return { rig, gone: gone?.id ?? '', order, stays: () => order(stays) };
  }

  it('stays open while its executions cannot be read, however often it is not found, and ends with them', async () => {
    const { rig, gone, order, stays } = await forgotten();
    rig.venue.fillsAre = async () => null;
    await rig.clock.advance(600_000);
    expect(order()?.status).toBe('OPENED');
    const at = rig.clock.wall();
    rig.venue.fillsAre = async () => [execution(gone, '0.004', at), execution(gone, '0.006', at + 1)];
    await rig.clock.advance(120_000);
    expect(order()).toMatchObject({ status: 'CLOSED', executedQty: '0.01' });
    expect(stays()).toMatchObject({ status: 'OPENED', executedQty: '0' });
  });

  it('is asked three times anew after an execution of it was found, and ends with the part that was executed', async () => {
    const { rig, gone, order } = await forgotten();
    const at = rig.clock.wall();
    rig.venue.fillsAre = async () => [execution(gone, '0.004', at)];
    await rig.clock.advance(58_900);
    expect(order()).toMatchObject({ status: 'OPENED', executedQty: '0' });
    await rig.clock.advance(2_000);
    expect(order()).toMatchObject({ status: 'OPENED', executedQty: '0.004' });
    await rig.clock.advance(600_000);
    expect(order()).toMatchObject({ executedQty: '0.004', phase: 'done' });
  });

  it('was there all the time when it is found before that: it is asked three times anew', async () => {
    const { rig, gone, order } = await forgotten();
    await rig.clock.advance(40_000);
    rig.venue.query = async () => ({ kind: 'found', state: working(gone, { seq: 6 }), fills: [] });
    await rig.clock.advance(25_000);
    rig.venue.query = async () => ({ kind: 'absent' });
    rig.venue.sink?.stream('gap');
    await rig.clock.advance(55_000);
    expect(order()?.status).toBe('OPENED');
    await rig.clock.advance(10_000);
    expect(order()?.status).not.toBe('OPENED');
  });
});

describe('an answer that comes after its time', () => {
  it('counts: an order that was accepted late is open, and its executions are its own', async () => {
    const rig = await LinkRig.started();
    const { submitted } = rig.venue;
    rig.venue.submitted = async (order) => {
      await new Promise<void>((resolve) => rig.clock.after(12_000, resolve));
      return submitted(order);
    };
    rig.venue.query = rig.unanswered;
    void rig.place();
    await rig.clock.advance(10_000);
    expect(rig.orders[0]).toMatchObject({ status: 'NEW', phase: 'unresolved' });
    expect(rig.core.turn.quiet(['said-spot'])).toBeInstanceOf(Promise);
    await rig.clock.advance(2_000);
    expect(rig.orders[0]).toMatchObject({ status: 'OPENED' });
    // Every question that was begun has ended once, and none twice.
    await rig.clock.advance(20_000);
    expect(rig.core.turn.quiet(['said-spot'])).toBeUndefined();
    rig.venue.submitted = rig.unanswered;
    void rig.place();
    await rig.clock.settle();
    expect(rig.core.turn.quiet(['said-spot'])).toBeInstanceOf(Promise);
  });
});

describe('a setting', () => {
  it('is confirmed by what the exchange says afterwards, and whoever waits for the account waits for that', async () => {
    const rig = await LinkRig.started('futures');
    const { futures } = rig.venue;
    if (!futures) throw new Error('no futures');
    const hedge = Promise.withResolvers<boolean>();
    futures.hedgeMode = () => hedge.promise;
    const setting = { kind: 'hedgeMode', on: true } as const;
    const command = { type: 'setting', exchange: 'said-futures', setting } as const;
    const answer = await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }));
    expect(answer.status).toBe(200);
    expect(rig.core.turn.quiet(['said-futures'])).toBeInstanceOf(Promise);
    hedge.resolve(false);
    await rig.clock.settle();
    expect(rig.core.turn.quiet(['said-futures'])).toBeUndefined();
    expect(rig.core.engine.memory.account('said-futures').futures?.hedge).toBe(false);
  });

  it.each([
    ['is not answered', () => new Promise<never>(() => {}), 10_000],
    ['fails in the adapter', () => Promise.reject(new Error('broken')), 0],
    ['is refused', async () => ({ kind: 'rejected', code: '1', message: 'no' }) as const, 0],
  ] as const)('that %s is not reported as made, and is answered in time', async (_, answer, ms) => {
    const rig = await LinkRig.started('futures');
    Object.assign(rig.venue.futures ?? {}, { setLeverage: answer });
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 } as const;
    const command = { type: 'setting', exchange: 'said-futures', setting } as const;
    const from = rig.clock.monotonic();
    const { outcome } = await rig.until(rig.core.execute(OPERATOR, command, { requestId: 'r' }));
    expect([outcome?.ok, rig.clock.monotonic() - from]).toEqual([false, ms]);
  });

  it('of a wallet without contracts asks for nothing more', async () => {
    const rig = await LinkRig.started();
    const told = collected(rig, 'setting-done');
    const convert = async () => ({ kind: 'done' }) as const;
    Object.assign(rig.venue, { conversion: { list: async () => null, waitMs: () => 0, convert } });
    await rig.until(rig.core.accounts.replace(rig.venue));
    rig.venue.calls = [];
    rig.link.requests.setting('d1', { kind: 'dust', assets: ['AAA'], toAsset: 'USDT' });
    await rig.clock.settle();
    expect(told).toEqual([{ type: 'setting-done', id: 'd1', outcome: { kind: 'done' } }]);
    expect([rig.venue.calls, rig.core.turn.quiet()]).toEqual([[], undefined]);
  });
});
