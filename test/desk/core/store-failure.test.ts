/**
 * A store that fails between two steps of a desk with two accounts on exchanges of others: what was sent, what
 * both of them are asked afterwards, who hears that nothing was done, and what a desk that has given up still
 * does.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '../../../src/store/store.ts';
import { deskOf, type OtherDesk, OtherVenue, place, stateOf, within } from '../other-venue.ts';

const CODES = { FULL: 13, BUSY: 5, IO: 10 } as const;

interface Two extends OtherDesk {
  readonly a: OtherVenue;
  readonly b: OtherVenue;
  /** Rows of the commits that were tried since, and whether each was stored. */
  readonly commits: boolean[];
  /** The next commits fail with this. */
  fail(code: keyof typeof CODES, times?: number): void;
}

async function started(): Promise<Two> {
  const [a, b] = [new OtherVenue('a-spot'), new OtherVenue('b-spot')];
  const desk = deskOf([a, b]);
  const { store } = desk;
  onTestFinished(() => store.close());
  await within(desk.clock, 60_000, desk.core.start());
  await desk.clock.advance(1_000);
  for (const { calls } of [a, b]) calls.length = 0;
  const commits: boolean[] = [];
  let failing: { code: keyof typeof CODES; times: number } | null = null;
  const commit = store.commit.bind(store);
  store.commit = (rows) => {
    const isStored = !failing || failing.times-- <= 0;
    commits.push(isStored);
    if (!isStored && failing)
      throw new StoreError(failing.code, 'the disk fails, says the test', {
        cause: { errcode: CODES[failing.code] },
      });
    commit(rows);
  };
  return Object.assign(desk, {
    a,
    b,
    commits,
    fail: (code: keyof typeof CODES, times = 1) => {
      failing = { code, times };
    },
  });
}

const times = ({ calls }: OtherVenue, what: string) => calls.filter((call) => call === what).length;
const orders = ({ core }: OtherDesk) => [...core.engine.memory.orders.values()];

describe('after a commit that failed', () => {
  it('everybody whose request was in it hears that nothing was done, and nothing of it leaves', async () => {
    const two = await started();
    two.fail('FULL');
    const asked = ['a-spot', 'b-spot', 'a-spot'].map((exchange) => place(two.core, exchange));
    const answers = await within(two.clock, 1_000, Promise.all(asked));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect([times(two.a, 'submit'), times(two.b, 'submit'), orders(two)]).toEqual([0, 0, []]);
    const again = await within(two.clock, 1_000, place(two.core, 'b-spot'));
    expect([again.status, times(two.a, 'submit'), times(two.b, 'submit')]).toEqual([200, 0, 1]);
  });

  it('each account is compared, and entries of each wait for that: its reports of that moment may be lost', async () => {
    const two = await started();
    const listed = [Promise.withResolvers<[]>(), Promise.withResolvers<[]>()] as const;
    two.a.onOpenOrders = () => listed[0].promise;
    two.b.onOpenOrders = () => listed[1].promise;
    two.fail('FULL');
    await within(two.clock, 1_000, place(two.core, 'a-spot'));
    expect([times(two.a, 'openOrders'), times(two.b, 'openOrders')]).toEqual([1, 1]);
    const placed = ['a-spot', 'b-spot'].map((exchange) => place(two.core, exchange));
    listed[1].resolve([]);
    await two.clock.advance(1_000);
    expect([times(two.a, 'submit'), times(two.b, 'submit')]).toEqual([0, 1]);
    listed[0].resolve([]);
    const answers = await within(two.clock, 100, Promise.all(placed));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('a fill that was told in it is found by the question about its order, and counts once', async () => {
    const two = await started();
    await within(two.clock, 1_000, place(two.core, 'a-spot'));
    const [order] = orders(two);
    const { id: clientId = '', symbol = '' } = order ?? {};
    const fill = {
      tradeId: 't1',
      clientId,
      symbol,
      side: 'BUY',
      price: '50000',
      qty: '0.004',
      comm: '0',
      commAsset: 'USDT',
      maker: true,
      rPnl: null,
      posSide: 'BOTH',
      time: two.clock.wall(),
    } as const;
    const now = { ...stateOf({ clientId, symbol, quantity: '0.01' }), cumQty: '0.004' };
    two.a.onOpenOrders = async () => [now];
    two.a.onQuery = async () => ({ kind: 'found', state: now, fills: [fill] });
    two.fail('FULL');
    two.a.sink?.fill(fill);
    await two.clock.advance(5_000);
    expect(two.core.engine.memory.orders.get(clientId)?.executedQty).toBe('0.004');
    expect(two.store.orderFills(clientId)).toMatchObject([{ tradeId: 't1', qty: '0.004' }]);
    // It is told once more, and changes nothing.
    two.a.sink?.fill(fill);
    await two.clock.advance(5_000);
    expect(two.store.load(0).orders).toMatchObject([{ id: clientId, executedQty: '0.004' }]);
  });

  it('an answer that was in it is asked for again: whoever placed the order hears what became of it', async () => {
    const two = await started();
    for (const venue of [two.a, two.b]) venue.onOpenOrders = () => new Promise(() => {});
    two.a.onSubmit = async (order) => {
      two.fail('FULL');
      return { kind: 'accepted', state: stateOf(order) };
    };
    two.a.onQuery = async () => {
      const { id: clientId = '', symbol = '' } = orders(two)[0] ?? {};
      return { kind: 'found', state: stateOf({ clientId, symbol, quantity: '0.01' }), fills: [] };
    };
    const { status, body } = await within(two.clock, 1_000, place(two.core, 'a-spot'));
    expect([status, JSON.parse(body).data.status]).toEqual([200, 'OPENED']);
    expect([times(two.a, 'submit'), times(two.a, 'query')]).toEqual([1, 1]);
    expect(two.commits).toContain(false);
    expect(two.store.load(0).orders).toMatchObject([{ exchange: 'a-spot', status: 'OPENED' }]);
  });

  it('subscribers are told balances again that they may not have been told', async () => {
    const two = await started();
    const told: unknown[] = [];
    two.core.events.listen({
      wants: (user, channel) => user === 'owner' && channel === 'balance',
      event: (event) => JSON.stringify(event).includes('a-spot') && told.push(event),
    });
    const balance = [{ asset: 'USDT', free: '777', locked: '0' }];
    two.a.onBalances = async () => balance;
    two.a.sink?.balances(balance);
    await two.clock.settle();
    expect(told).toHaveLength(1);
    two.a.sink?.balances(balance);
    await two.clock.settle();
    expect(told).toHaveLength(1);
    two.fail('FULL');
    await within(two.clock, 1_000, place(two.core, 'b-spot'));
    two.a.sink?.balances(balance);
    await two.clock.settle();
    expect(told).toHaveLength(2);
    expect(told[1]).toEqual(told[0]);
  });

  it('an answer that was on its way is of the order of the memory that was loaded again', async () => {
    const two = await started();
    const answer = Promise.withResolvers<void>();
    two.a.onSubmit = async (order) => {
      await answer.promise;
      return { kind: 'accepted', state: stateOf(order) };
    };
    const placed = place(two.core, 'a-spot');
    await two.clock.settle();
    expect(times(two.a, 'submit')).toBe(1);
    const { engine } = two.core;
    two.fail('BUSY');
    expect((await within(two.clock, 1_000, place(two.core, 'b-spot'))).status).toBe(503);
    expect(two.core.engine).not.toBe(engine);
    two.a.onQuery = () => new Promise(() => {});
    answer.resolve();
    expect((await within(two.clock, 1_000, placed)).status).toBe(200);
    expect(orders(two)).toMatchObject([{ exchange: 'a-spot', status: 'OPENED' }]);
    expect(two.store.load(0).orders).toMatchObject([{ exchange: 'a-spot', status: 'OPENED' }]);
  });
});

describe('a store that may be broken', () => {
  it.each(['FULL', 'BUSY'] as const)('with %s is written to again by the next request', async (code) => {
    const two = await started();
    two.a.onOpenOrders = () => new Promise(() => {});
    two.b.onOpenOrders = () => new Promise(() => {});
    two.fail(code);
    await within(two.clock, 1_000, place(two.core, 'a-spot'));
    expect([two.commits, two.fatal]).toEqual([[false], []]);
  });

  it('with another failure must prove at once that it writes again, and ends the desk where it does not', async () => {
    const healed = await started();
    healed.fail('IO');
    await within(healed.clock, 1_000, place(healed.core, 'a-spot'));
    expect([healed.commits.slice(0, 2), healed.fatal]).toEqual([[false, true], []]);
    expect(healed.store.load(0).log.map(({ text }) => text)).toContain('the disk fails, says the test');
    const broken = await started();
    broken.fail('IO', 2);
    void place(broken.core, 'a-spot');
    await broken.clock.settle();
    expect(broken.fatal).toEqual([
      'the store keeps failing, the last time with: the disk fails, says the test',
    ]);
  });

  it('that has ended the desk is written nothing any more, and nothing is sent, though it works again', async () => {
    const two = await started();
    two.fail('IO', 2);
    void place(two.core, 'a-spot');
    await two.clock.settle();
    expect(two.fatal).toHaveLength(1);
    two.commits.length = 0;
    for (const exchange of ['a-spot', 'b-spot']) void place(two.core, exchange);
    await two.clock.advance(20_000);
    expect([two.commits, times(two.a, 'submit'), times(two.b, 'submit')]).toEqual([[], 0, 0]);
    // It is said once why the desk ends.
    expect(two.fatal).toHaveLength(1);
  });
});

describe('an error inside the desk', () => {
  it('of a step ends it: nothing of that turn is stored or sent', async () => {
    const two = await started();
    void place(two.core, 'a-spot');
    two.core.turn.step({ type: 'venue.balances', exchange: 'nobody', changed: [] });
    await two.clock.advance(20_000);
    expect(two.fatal[0]).toContain('internal error in the order engine');
    expect([times(two.a, 'submit'), two.store.load(0).orders]).toEqual([0, []]);
  });

  it('of somebody who is told of an order keeps it from nobody else, and is in the log', async () => {
    const two = await started();
    const seen: string[] = [];
    two.core.onChange(({ kind }) => {
      if (kind === 'order') throw new Error('a console is broken');
    });
    const end = two.core.onChange(({ kind }) => seen.push(kind));
    expect((await within(two.clock, 1_000, place(two.core, 'a-spot'))).status).toBe(200);
    expect(times(two.a, 'submit')).toBe(1);
    const lines = two.core.log.map(({ text }) => text);
    expect(lines).toContain('order-event could not be told to everybody: a console is broken');
    end();
    seen.length = 0;
    await within(two.clock, 1_000, place(two.core, 'b-spot'));
    expect([seen, times(two.b, 'submit')]).toEqual([[], 1]);
  });
});

describe('a line of the log', () => {
  it('that is recorded is on disk when that is said, and it is said where it could not be', async () => {
    const two = await started();
    await within(two.clock, 100, two.core.recorded('warn', 'desk', 'stop everything'));
    expect(two.store.load(0).log.at(-1)).toMatchObject({
      level: 'warn',
      source: 'desk',
      text: 'stop everything',
    });
    two.fail('FULL');
    const failed = two.core.recorded('warn', 'desk', 'not on disk');
    await expect(within(two.clock, 100, failed)).rejects.toThrow('the disk fails');
  });

  it('waits for the next commit, and is stored by a stop in the end', async () => {
    const two = await started();
    two.core.report('info', 'desk', 'by the way', 'o1');
    await two.clock.advance(1_000);
    expect(two.commits).toEqual([]);
    await within(two.clock, 1_000, two.core.stop());
    expect(two.store.load(0).log.at(-1)).toMatchObject({ text: 'by the way', orderId: 'o1' });
  });
});

it('a wall clock that went forward is a gap for every account', async () => {
  const two = await started();
  two.clock.jump(3_600_000);
  await two.clock.advance(2_000);
  expect([times(two.a, 'openOrders'), times(two.b, 'openOrders')]).toEqual([1, 1]);
});
