/**
 * What accounts of all exchanges have in common: calls go to the parts that make them, timers run until the
 * account is shut, and the exchange's clock is measured when that is due.
 */
import { describe, expect, it } from 'vitest';
import type { AccountGiven } from '../../../src/venues/kit/account-given.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { Caller, type CallResult } from '../../../src/venues/kit/caller.ts';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import { ConnectedAccount, NO_TURN } from '../../../src/venues/kit/connected-account.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import type { Dispatch, VenueSink } from '../../../src/venues/venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { answered, HandNet } from './hand-net.ts';
import { ORDERS, orders, weight } from './some-rows.ts';

const TIME: RequestForm = {
  name: 'the time',
  endpoint: 'rest',
  method: 'GET',
  path: '/time',
  parameters: [],
  security: 'none',
  weight: '',
  costs: () => [weight(1)],
  source: 'a test',
};

class Account extends ConnectedAccount {
  readonly clock = new VirtualClock();
  readonly net = new HandNet();
  readonly reports: string[] = [];
  readonly called: unknown[][] = [];
  readonly ticked: string[] = [];
  protected readonly given = {
    account: { id: 'mine', name: 'mine', kind: 'spot' },
    clock: this.clock,
    way: new Addresses(this.clock).way('https://a'),
    report: (text: string) => this.reports.push(text),
  } as unknown as AccountGiven;
  protected readonly offset = new ClockOffset(this.clock);
  protected readonly caller = new Caller({
    net: this.net,
    clock: this.clock,
    way: this.given.way,
    offset: this.offset,
    secrets: { get: () => Buffer.from('') },
    dialect: { write: ({ path }) => ({ path, headers: {} }), heard: () => {} },
    addresses: { rest: 'https://a' },
    forms: [TIME],
    uid: () => '',
  });
  protected readonly calls = {
    submit: this.#record('submit'),
    cancel: this.#record('cancel'),
    cancelAll: this.#record('cancelAll'),
    amend: this.#record('amend'),
  } as never;
  protected readonly orders = { query: this.#record('query'), open: this.#record('open') } as never;
  protected readonly executions = { page: this.#record('page') } as never;

  open(): void {
    this.sink = {} as VenueSink;
    this.every(7_000, () => this.ticked.push('seven'));
    this.watchClock();
    this.every(3_000, () => this.ticked.push('three'));
  }

  /** Shuts the account, as before another opening. */
  end(): void {
    this.shut();
  }

  get state() {
    return { isOpen: this.sink !== null, isRunning: this.isRunning };
  }

  now(): number {
    return this.offset.now();
  }

  askTime(): Promise<void> {
    return this.measure();
  }

  use(): void {
    this.given.way.budget.leaves([weight(4), orders(2)], this.clock.monotonic());
  }

  /** How long an order would wait for a limit that begins anew with the exchange's clock and is used up now. */
  waitMs(): number {
    const cost = orders(5, { ...ORDERS, name: 'orders of a full 2 s', resets: 'clock' });
    const { way } = this.given;
    if (way.budget.window(cost, way.now).used(way.now) === 0) {
      way.budget.leaves([cost], way.now);
      way.budget.ended([cost], way.now);
    }
    return way.waitMs({ lane: 'exit', costs: [cost] });
  }

  ban(ms: number): void {
    this.given.way.budget.ban(ms, this.clock.monotonic());
  }

  protected measure(): Promise<void> {
    return this.measureBy(
      TIME,
      (called) => (called.kind === 'answer' && called.status === 200 ? Number(called.text) : null),
      (called: CallResult) => (called.kind === 'answer' ? `HTTP ${called.status}` : called.cause),
    );
  }

  #record(name: string) {
    return async (...given: unknown[]) => {
      this.called.push([name, ...given]);
      return name;
    };
  }
}

describe('a call', () => {
  it('goes to the part that makes it, with all that it was given', async () => {
    const a = new Account();
    const ref = { clientId: 'c', symbol: 'A' };
    const dispatch = { lane: 'exit' } as unknown as Dispatch;
    const order = { clientId: 'o' } as never;
    const change = { price: '2' };
    const answers = [
      await a.submit(order, dispatch),
      await a.cancel(ref, dispatch),
      await a.cancelAll('A', dispatch),
      await a.amend(ref, change, dispatch),
      await a.query(ref),
      await a.openOrders(),
      await a.fills({ symbol: 'A', after: '5', since: 6 }),
    ];
    expect(answers).toEqual(['submit', 'cancel', 'cancelAll', 'amend', 'query', 'open', 'page']);
    expect(a.called).toEqual([
      ['submit', order, dispatch],
      ['cancel', ref, dispatch],
      ['cancelAll', 'A', dispatch],
      ['amend', ref, change, dispatch],
      ['query', ref],
      ['open'],
      ['page', { symbol: 'A', after: '5', since: 6 }],
    ]);
  });

  it('without terms has no deadline, and the lane of entries', async () => {
    const a = new Account();
    const ref = { clientId: 'c', symbol: 'A' };
    for (const made of [a.submit({} as never), a.cancel(ref), a.cancelAll('A'), a.amend(ref, {})]) await made;
    for (const given of a.called) {
      const dispatch = given.at(-1) as Dispatch;
      expect(dispatch).toMatchObject({ lane: 'entry', notAfter: Infinity, waitUntil: Infinity });
      expect(dispatch.leaves()).toEqual({ notAfter: Infinity });
      dispatch.onWaits(() => {});
    }
  });
});

describe('the timers of an account', () => {
  it('run each at its own pace until it is shut, and again when it is opened again', async () => {
    const a = new Account();
    expect(a.state).toEqual({ isOpen: false, isRunning: false });
    a.open();
    await a.clock.advance(9_500);
    expect([a.ticked.splice(0), a.state]).toEqual([
      ['three', 'three', 'seven', 'three'],
      { isOpen: true, isRunning: true },
    ]);
    a.end();
    expect([a.clock.pendingTimers, a.state]).toEqual([0, { isOpen: false, isRunning: false }]);
    await a.clock.advance(60_000);
    a.open();
    await a.clock.advance(7_000);
    expect(a.ticked).toEqual(['three', 'three', 'seven']);
    await a.close();
    expect([a.clock.pendingTimers, a.state.isOpen]).toEqual([0, false]);
  });
});

describe('the clock of the exchange', () => {
  const failed = (cause: string) =>
    `mine: the clock of the exchange cannot be measured, the last measurement goes on: ${cause}`;

  it('is asked for every ten seconds until it is known, one question at a time, and then when it is due', async () => {
    const a = new Account();
    a.open();
    await a.clock.advance(9_999);
    expect(a.net.requests).toHaveLength(0);
    await a.clock.advance(1);
    expect(a.net.requests).toHaveLength(1);
    await a.clock.advance(20_000);
    expect(a.net.requests).toHaveLength(1);
    a.net.requests[0]?.answer(answered(500, ''));
    await a.clock.advance(9_999);
    expect([a.net.requests.length, a.reports]).toEqual([1, [failed('HTTP 500')]]);
    await a.clock.advance(1);
    a.net.requests[1]?.answer({ kind: 'lost', cause: 'cut' });
    await a.clock.advance(10_000);
    a.net.requests[2]?.answer(answered(200, '-5'));
    await a.clock.advance(10_000);
    // Each further failure is none of the news.
    expect(a.reports).toEqual([failed('HTTP 500')]);
    await a.clock.advance(400);
    a.net.requests[3]?.answer(answered(200, String(a.clock.wall() + 5_000)));
    await a.clock.advance(0);
    expect(a.reports.slice(1)).toEqual(['mine: the clock of the exchange is measured again']);
    expect([a.now() - a.clock.wall(), a.health().clockOffsetMs]).toEqual([5_200, 5_200]);
    await a.clock.advance(30 * 60_000);
    expect(a.net.requests).toHaveLength(4);
    await a.clock.advance(10_000);
    expect(a.net.requests).toHaveLength(5);
    a.net.requests[4]?.answer({ kind: 'lost', cause: 'x'.repeat(500) });
    await a.clock.advance(0);
    expect(a.reports.slice(2)).toEqual([failed('x'.repeat(300))]);
  });

  it('that answers after the account is shut is nothing to report, and does not stop the next question', async () => {
    const a = new Account();
    a.open();
    await a.clock.advance(10_000);
    a.end();
    a.net.requests[0]?.answer(answered(500, ''));
    await a.clock.advance(0);
    expect(a.reports).toEqual([]);
    a.open();
    await a.clock.advance(10_000);
    expect(a.net.requests).toHaveLength(2);
  });

  it('cannot be told by what is no time, nor without a turn, and says why', async () => {
    const a = new Account();
    const answers = [
      [answered(503, ''), 'HTTP 503'],
      [answered(200, 'soon'), 'what it says its time is cannot be true'],
    ] as const;
    for (const [at, [answer, cause]] of answers.entries()) {
      const asked = expect(a.askTime()).rejects.toThrow(cause);
      await a.clock.advance(0);
      a.net.requests[at]?.answer(answer);
      await asked;
    }
    a.ban(60_000);
    const asked = expect(a.askTime()).rejects.toThrow(NO_TURN);
    await a.clock.advance(10_000);
    await asked;
    expect(a.net.requests).toHaveLength(2);
  });

  it('is told to the limits that begin anew with it', async () => {
    const a = new Account();
    expect(a.waitMs()).toBe(2_001);
    const asked = a.askTime();
    await a.clock.advance(200);
    // The exchange is at 0.5 s of its two seconds; the answer may be off by its 0.2 s and a tenth of a second.
    a.net.requests[0]?.answer(answered(200, String(Date.UTC(2026, 0, 5) + 400)));
    await asked;
    expect(a.now() - Date.UTC(2026, 0, 5)).toBe(500);
    expect(a.waitMs()).toBe(1_500 + 300);
  });

  it('and what is used of the limits are shown', () => {
    const a = new Account();
    a.use();
    expect(a.health()).toMatchObject({
      clockOffsetMs: null,
      budgets: [
        { name: 'orders 2 s of 7', used: 2, limit: 5, windowMs: 2_000 },
        { name: 'weight 6 s', used: 4, limit: 40, windowMs: 6_000 },
      ],
    });
  });
});
