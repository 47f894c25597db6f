/**
 * The lanes of one address: who leaves first, who may overtake, and what becomes of a request that waits:
 * late, taken back, refused, or forgotten by the exchange.
 */
import { describe, expect, it } from 'vitest';
import { LANES, type Lane } from '../../../src/domain/lane.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { Budget, type BudgetRow, type Cost } from '../../../src/venues/kit/budget.ts';
import { Lanes, type Request } from '../../../src/venues/kit/lanes.ts';
import { canSendPaced } from '../../../src/venues/kit/paced.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ORDERS, orders, WEIGHT, weight } from './some-rows.ts';

class Case {
  readonly clock = new VirtualClock();
  readonly budget = new Budget(this.clock.monotonic());
  readonly lanes = new Lanes(this.budget, this.clock);
  /** What happened, in order: `name` left, `name late`, `name withdrawn`. */
  readonly told: string[] = [];
  readonly takeBack = new Map<string, () => void>();

  send(name: string, lane: Lane, costs: readonly Cost[] = [orders()], more: Partial<Request<void>> = {}) {
    const sent = this.lanes.send({
      lane,
      costs,
      notAfter: Infinity,
      run: async () => void this.told.push(name),
      onWaits: (take) => this.takeBack.set(name, take),
      ...more,
    });
    void sent.then(({ kind }) => kind !== 'sent' && this.told.push(`${name} ${kind}`));
    return sent;
  }

  get now(): number {
    return this.clock.monotonic();
  }

  ban(ms: number): void {
    this.budget.ban(ms, this.now);
  }

  news(): string[] {
    return this.told.splice(0);
  }
}

describe('requests that wait', () => {
  it('leave by their lanes, and within one in the order in which they came', async () => {
    const c = new Case();
    c.ban(1_000);
    for (const lane of LANES.toReversed()) for (const n of [1, 2]) c.send(`${lane} ${n}`, lane, []);
    expect([c.lanes.count(), c.lanes.count('exit')]).toEqual([12, 2]);
    await c.clock.advance(1_000);
    expect(c.news()).toEqual(
      ['protective', 'cancel', 'renewal', 'exit', 'entry', 'read'].flatMap((lane) => [
        `${lane} 1`,
        `${lane} 2`,
      ]),
    );
    expect(c.lanes.count()).toBe(0);
  });

  it('are overtaken by what uses nothing that they need, and by nothing else', async () => {
    const c = new Case();
    c.send('four', 'entry', [orders(4)]);
    c.send('large', 'entry', [orders(3), weight(10)]);
    c.send('small', 'entry', [orders(1)]);
    c.send('of another', 'entry', [orders(1, ORDERS, '8')]);
    c.send('much weight', 'read', [weight(30)]);
    c.send('too much weight', 'read', [weight(1)]);
    c.send('more urgent', 'exit', [orders(1)]);
    c.send('free', 'read', [orders(0), weight(0)]);
    expect(c.news()).toEqual(['four', 'of another', 'much weight', 'more urgent', 'free']);
    await c.clock.advance(2_001);
    expect(c.news()).toEqual(['large', 'small']);
    await c.clock.advance(4_040);
    expect(c.news()).toEqual(['too much weight']);
  });

  it('and yield hold nobody back, wherever they wait', async () => {
    const c = new Case();
    c.send('four', 'read', [orders(4)]);
    c.send('yields', 'read', [orders(2)], { yields: true });
    c.send('behind', 'read', [orders(1)]);
    expect(c.news()).toEqual(['four', 'behind']);
    expect(c.lanes.waitMs({ lane: 'read', costs: [orders(5)] })).toBeGreaterThan(0);
    await c.clock.advance(2_001);
    expect(c.news()).toEqual(['yields']);
  });

  it('are late at their time and not before it, and what they held back leaves then', async () => {
    const c = new Case();
    c.send('four', 'entry', [orders(4)]);
    c.send('large', 'entry', [orders(3)], { notAfter: c.now + 500 });
    c.send('behind', 'entry', [orders(1)]);
    await c.clock.advance(499);
    expect(c.news()).toEqual(['four']);
    await c.clock.advance(1);
    expect(c.news()).toEqual(['behind', 'large late']);
    // One whose turn comes at its last moment leaves.
    c.send('last moment', 'entry', [orders(3)], { notAfter: c.now + 1_502 });
    await c.clock.advance(1_600);
    expect(c.news()).toEqual(['last moment']);
    expect(c.clock.pendingTimers).toBe(0);
  });

  it('with no time to wait are late at once, and leave where they need not wait', async () => {
    const c = new Case();
    c.send('at once', 'entry', [orders(5)], { notAfter: c.now });
    c.send('too much', 'entry', [orders(1)], { notAfter: c.now });
    c.send('of the past', 'cancel', [orders(1)], { notAfter: c.now - 1 });
    await c.clock.advance(0);
    expect([c.news(), c.takeBack.size]).toEqual([['at once', 'too much late', 'of the past late'], 0]);
  });

  it('are a thousand questions at most; nothing else is turned away', async () => {
    const c = new Case();
    c.ban(10_000);
    for (let n = 0; n < 1_000; n++) c.send(`read ${n}`, 'read', []);
    await c.clock.advance(0);
    expect(c.news()).toEqual([]);
    c.send('one more', 'read', []);
    for (let n = 0; n < 1_001; n++) c.send(`entry ${n}`, 'entry', []);
    await c.clock.advance(0);
    expect([c.news(), c.lanes.count('read'), c.lanes.count('entry')]).toEqual([
      ['one more late'],
      1_000,
      1_001,
    ]);
  });

  it('can be taken back, once, and not when they have left', async () => {
    const c = new Case();
    c.send('four', 'entry', [orders(4)]);
    c.send('large', 'entry', [orders(3)], { notAfter: c.now + 5_000 });
    c.send('second', 'entry', [orders(3)]);
    c.send('behind', 'entry', [orders(1)]);
    c.takeBack.get('large')?.();
    c.takeBack.get('large')?.();
    await c.clock.advance(0);
    expect(c.news()).toEqual(['four', 'large withdrawn']);
    c.takeBack.get('second')?.();
    await c.clock.advance(0);
    expect(c.news()).toEqual(['behind', 'second withdrawn']);
    c.send('third', 'entry', [orders(5)]);
    await c.clock.advance(2_001);
    c.takeBack.get('third')?.();
    await c.clock.advance(10_000);
    expect([c.news(), c.clock.pendingTimers]).toEqual([['third'], 0]);
  });
});

describe('a request that leaves', () => {
  it('says so before it is sent, with the moment; how it ends is told, a failure too', async () => {
    const c = new Case();
    const start = c.now;
    c.ban(700);
    const steps: unknown[] = [];
    const sent = c.lanes.send({
      lane: 'entry',
      costs: [orders()],
      notAfter: Infinity,
      onLeaves: () => steps.push('leaves'),
      run: async (leftAt) => {
        steps.push(leftAt - start);
        throw new Error('cut');
      },
    });
    await c.clock.advance(699);
    expect(steps).toEqual([]);
    const failed = expect(sent).rejects.toThrow('cut');
    await c.clock.advance(1);
    await failed;
    expect(steps).toEqual(['leaves', 700]);
    // It counts as answered from then on.
    expect(c.budget.window(orders(), c.now).used(c.now)).toBe(1);
    await c.clock.advance(2_040);
    expect(c.budget.window(orders(), c.now).used(c.now)).toBe(0);
  });

  it('counts once, from when its answer is here, whoever says so first', async () => {
    for (const how of ['by the answer', 'by its end', 'by nobody'] as const) {
      const c = new Case();
      let over: () => void = () => {};
      c.send('one', 'entry', [orders(5)], {
        run: (_leftAt, ended) =>
          new Promise((resolve) => {
            over = () => {
              if (how === 'by its end') resolve();
              else {
                ended();
                // What is read from an answer may take its time.
                c.clock.after(3_000, resolve);
              }
            };
          }),
      });
      c.send('two', 'entry', [orders(1)]);
      await c.clock.advance(10_000);
      expect([how, c.lanes.count()]).toEqual([how, 1]);
      if (how !== 'by nobody') over();
      const left = how === 'by nobody' ? 50_000 + 2_040 : 2_040;
      await c.clock.advance(left - 41);
      expect([how, c.news()]).toEqual([how, []]);
      await c.clock.advance(1_100);
      expect([how, c.news()]).toEqual([how, ['two']]);
    }
  });

  it('at an answer lets go who waits for what the answer gives back', async () => {
    const c = new Case();
    const start = c.now;
    const row: BudgetRow = { ...ORDERS, atStart: 'full' };
    let answer: () => void = () => {};
    c.send('waits', 'entry', [orders(1, row)]);
    c.send('asks', 'read', [weight(1)], {
      run: (leftAt) =>
        new Promise<void>((resolve) => {
          answer = () => {
            c.budget.reportUsed(row, '7', 4, leftAt, c.now);
            resolve();
          };
        }),
    });
    await c.clock.advance(300);
    expect(c.news()).toEqual([]);
    answer();
    await c.clock.advance(0);
    expect([c.news(), c.now - start]).toEqual([['waits'], 300]);
  });
});

describe('the wait that is foretold', () => {
  it('is of all that waits before it in its lane and in those before, of the same limit', async () => {
    const c = new Case();
    c.send('five', 'entry', [orders(5)]);
    await c.clock.advance(0);
    const wait = (lane: Lane, amount = 1, of = '7') =>
      c.lanes.waitMs({ lane, costs: [orders(amount, ORDERS, of)] });
    expect([wait('entry'), wait('entry', 5), wait('entry', 1, '8'), wait('entry', 0)]).toEqual([
      2_001, 2_001, 0, 0,
    ]);
    for (let n = 0; n < 4; n++) c.send(`entry ${n}`, 'entry');
    expect([wait('entry'), wait('entry', 2), wait('exit', 5), wait('read')]).toEqual([
      2_001, 4_001, 2_001, 2_001,
    ]);
    c.send('last', 'entry');
    expect([wait('entry'), wait('read'), wait('exit')]).toEqual([4_001, 4_001, 2_001]);
    c.ban(3_000);
    expect([wait('exit'), wait('entry', 1, '8'), wait('read')]).toEqual([3_000, 3_000, 4_001]);
  });

  it('is too long beyond two seconds for what asks before it sends', () => {
    const clock = new VirtualClock();
    const way = new Addresses(clock).way('https://a');
    const can = (ms: number) => {
      way.budget.ban(ms, clock.monotonic());
      return canSendPaced(way, 'entry', [orders()]);
    };
    expect([can(1), can(2_000), can(2_001)]).toEqual([null, null, { retryAfterMs: 2_001 }]);
  });
});

describe('what is shown of the budgets', () => {
  it('is what is used of each, the most used first, and never more than there is; a ban uses up the address', () => {
    const c = new Case();
    const full: BudgetRow = { ...ORDERS, name: 'orders 1 d', windowMs: 86_400_000, limit: 100 };
    c.budget.leaves([weight(10), orders(3), orders(1, ORDERS, '8'), orders(60, full, '')], c.now);
    const view = () => c.budget.view(c.now).map(({ name, used, limit }) => `${name} ${used}/${limit}`);
    expect(view()).toEqual([
      'orders 1 d 60/100',
      'orders 2 s of 7 3/5',
      'weight 6 s 10/40',
      'orders 2 s of 8 1/5',
    ]);
    c.budget.limitIs(full, 50);
    c.budget.limitIs(WEIGHT, 20);
    expect(view()).toEqual([
      'orders 1 d 50/50',
      'orders 2 s of 7 3/5',
      'weight 6 s 10/20',
      'orders 2 s of 8 1/5',
    ]);
    c.ban(5);
    expect(view()).toContain('weight 6 s 20/20');
    expect(view()).toContain('orders 2 s of 8 1/5');
    expect(c.budget.view(c.now)[0]?.windowMs).toBe(86_400_000);
  });

  it('is what the exchange says that it allows, one request too, of that limit alone', () => {
    const c = new Case();
    const other: BudgetRow = { ...ORDERS, name: 'orders 1 d', atStart: 'full', limit: 100 };
    const one: BudgetRow = { ...ORDERS, atStart: 'full' };
    const used = () => [one, other].map((row) => c.budget.window(orders(1, row), c.now).used(c.now));
    expect(used()).toEqual([5, 100]);
    c.budget.limitIs(one, 1);
    expect([used(), c.budget.limitOf(one), c.budget.limitOf(other)]).toEqual([[1, 100], 1, 100]);
  });

  it('forgets the limits of instruments that nobody trades, when there are many, and no other', async () => {
    const c = new Case();
    const use = (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        c.budget.leaves([orders(1, ORDERS, `${n}`)], c.now);
        c.budget.ended([orders(1, ORDERS, `${n}`)], c.now);
      }
    };
    c.budget.leaves([orders(2, ORDERS, 'on its way')], c.now);
    c.budget.breach(ORDERS, 'stopped', 60_000, c.now);
    use(0, 197);
    await c.clock.advance(2_100);
    use(197, 198);
    expect(c.budget.view(c.now)).toHaveLength(200);
    use(198, 199);
    expect(c.budget.view(c.now).map(({ name }) => name)).toEqual(
      ['on its way', '197', '198', 'stopped'].map((of) => `orders 2 s of ${of}`),
    );
    expect(c.budget.stoppedMs(orders(1, ORDERS, 'stopped'), c.now)).toBe(57_900);
  });
});

describe('a stop of orders', () => {
  it('lasts as the exchange says, a window where it does not, and a day at most', () => {
    for (const [afterMs, ms] of [
      [null, 2_000],
      [5, 5],
      [0, 1],
      [2 * 86_400_000, 86_400_000],
    ] as const) {
      const c = new Case();
      c.budget.breach(ORDERS, '7', afterMs, c.now);
      expect([
        c.budget.stoppedMs(orders(), c.now),
        c.budget.stoppedMs(orders(1, ORDERS, '8'), c.now),
      ]).toEqual([ms, 0]);
      expect(c.budget.bannedMs(c.now)).toBe(0);
    }
  });
});

it('a limit that begins anew with the exchange’s clock slides again once our clocks drift apart, either way', () => {
  for (const [jump, ms] of [
    [99, 1_100],
    [-99, 1_100],
    [100, 2_001],
    [-100, 2_001],
    [-60_000, 2_001],
  ] as const) {
    const c = new Case();
    const row: BudgetRow = { ...ORDERS, resets: 'clock' };
    // Of the exchange's two seconds one is over.
    c.lanes.clockIs(c.clock.wall() + 1_000, 0);
    c.budget.leaves([orders(5, row)], c.now);
    c.budget.ended([orders(5, row)], c.now);
    c.clock.jump(jump);
    expect([jump, c.lanes.waitMs({ lane: 'entry', costs: [orders(1, row)] })]).toEqual([jump, ms]);
  }
});

it('a ban is stored under its own address, and read back there', () => {
  const clock = new VirtualClock();
  const stored = new Map<string, number>([['https://b', clock.wall() + 5_000]]);
  const addresses = new Addresses(clock, {
    until: (origin) => stored.get(origin) ?? null,
    began: (origin, until) => stored.set(origin, until),
  });
  const [a, b, c] = ['https://a', 'https://b', 'https://c'].map((origin) => addresses.way(origin));
  a?.budget.ban(60_000, clock.monotonic());
  expect([...stored]).toEqual([
    ['https://b', clock.wall() + 5_000],
    ['https://a', clock.wall() + 60_000],
  ]);
  expect([a, b, c].map((way) => way?.budget.bannedMs(clock.monotonic()))).toEqual([60_000, 5_000, 0]);
  // A second connection to the address is under the same ban.
  expect(addresses.way('https://a').budget.bannedMs(clock.monotonic())).toBe(60_000);
});

it('a way that is closed lets nothing of its own end, and the others of its address go on', async () => {
  const clock = new VirtualClock();
  const addresses = new Addresses(clock);
  const [one, two] = ['https://a', 'https://a'].map((origin) => addresses.way(origin));
  const ended: string[] = [];
  void one?.pause(100).then(() => ended.push('pause of one'));
  void two?.pause(100).then(() => ended.push('pause of two'));
  // Questions of both wait for the same limit.
  two?.budget.leaves([weight(40)], clock.monotonic());
  two?.budget.ended([weight(40)], clock.monotonic());
  for (const [name, way] of [
    ['one', one],
    ['two', two],
  ] as const)
    void way?.send({
      lane: 'read',
      costs: [weight(1)],
      notAfter: Infinity,
      run: async () => void ended.push(`question of ${name}`),
    });
  one?.close();
  void one
    ?.send({ lane: 'cancel', costs: [], notAfter: Infinity, run: async () => void ended.push('sent by one') })
    .then(() => ended.push('answer of one'));
  void two?.send({
    lane: 'cancel',
    costs: [],
    notAfter: Infinity,
    run: async () => void ended.push('sent by two'),
  });
  await clock.advance(99);
  expect(ended).toEqual(['sent by two']);
  await clock.advance(1);
  expect(ended).toEqual(['sent by two', 'pause of two']);
  await clock.advance(6_000);
  expect(ended.slice(2)).toEqual(['question of two']);
});
