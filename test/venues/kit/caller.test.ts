/**
 * When a request may be sent, when it is signed and how a response is read: all by the caller, which no
 * request bypasses.
 */
import { describe, expect, it } from 'vitest';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import {
  Caller,
  type CallResult,
  type Dialect,
  type ReceivedAnswer,
} from '../../../src/venues/kit/caller.ts';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import type { Dispatch } from '../../../src/venues/venue.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { answered, HandNet } from './hand-net.ts';
import { ORDERS, orders, weight } from './some-rows.ts';

const COMMON = { endpoint: 'rest', security: 'signed', weight: '', source: 'a test' } as const;
const ORDER: RequestForm = {
  ...COMMON,
  name: 'place an order',
  method: 'POST',
  path: '/order',
  parameters: ['symbol', 'quantity'],
  costs: (_, uid) => [orders(1, ORDERS, uid)],
};
const TIME: RequestForm = {
  ...COMMON,
  name: 'the time',
  method: 'GET',
  path: '/time',
  parameters: [],
  costs: () => [weight(1)],
};
const SUBSCRIBE: RequestForm = {
  ...COMMON,
  name: 'subscribe',
  method: 'WS',
  path: 'subscribe',
  parameters: ['key'],
  costs: () => [weight(2)],
};

class Case {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly offset = new ClockOffset(this.clock);
  readonly way = new Addresses(this.clock).way('https://api.example');
  readonly heard: ReceivedAnswer[] = [];
  locked = false;
  /** How many orders an answer says that are counted; null: it says nothing. */
  used: number | null = null;
  readonly caller = new Caller({
    net: this.net,
    clock: this.clock,
    way: this.way,
    offset: this.offset,
    addresses: { rest: 'https://api.example/base' },
    forms: [ORDER, TIME, SUBSCRIBE],
    uid: () => '7',
    secrets: {
      get: () => {
        if (this.locked) throw new Error('the vault is locked');
        return Buffer.from('SECRET');
      },
    },
    dialect: {
      write: (form, parameters, { secrets, stamp }) => ({
        path: `${form.path}?${new URLSearchParams({ ...parameters, timestamp: `${stamp}`, by: secrets.get('secret').toString() })}`,
        headers: {},
      }),
      frame: (form, parameters, { id, stamp }) =>
        JSON.stringify({ id, method: form.path, stamp, ...parameters }),
      heard: (heard, way) => {
        this.heard.push(heard);
        if (this.used !== null) way.budget.reportUsed(ORDERS, heard.uid, this.used, heard.leftAt, heard.now);
      },
    } satisfies Dialect,
  });

  dispatch(more: Partial<Dispatch> = {}): Dispatch {
    const notAfter = this.clock.monotonic() + 1_000;
    return {
      lane: 'entry',
      waitUntil: this.clock.monotonic() + 2_000,
      notAfter,
      onWaits: () => {},
      leaves: () => ({ notAfter: this.clock.monotonic() + 1_000 }),
      ...more,
    };
  }

  order(quantity: string, dispatch = this.dispatch()) {
    return this.caller.submit(ORDER, { symbol: 'BTCUSDT', quantity }, dispatch, (called) => ({
      kind: 'unknown',
      cause: words(called),
    }));
  }
}

function words(called: CallResult): string {
  return called.kind === 'answer' ? `${called.status} ${called.text}` : `${called.kind}: ${called.cause}`;
}

describe('the caller', () => {
  it('refuses a request that is in no list, and a parameter that the request does not have', async () => {
    const c = new Case();
    expect(() => c.caller.ask({ ...TIME }, {}, () => null)).toThrow('the time is in no list of requests');
    expect(() =>
      c.caller.submit(ORDER, { quantitiy: '1' }, c.dispatch(), () => ({ kind: 'withdrawn' })),
    ).toThrow('place an order has no parameter quantitiy');
    expect(c.net.requests).toEqual([]);
  });

  it('stamps and signs when it leaves, not when it was asked to', async () => {
    const c = new Case();
    c.offset.measured({ sentAt: c.clock.monotonic(), heardAt: c.clock.monotonic(), time: 1_000_000 });
    for (let i = 0; i < ORDERS.limit; i += 1) void c.order(`${i}`);
    await c.clock.advance(10);
    for (const { answer } of c.net.requests) answer(answered(200, 'ok'));
    await c.clock.advance(0);
    const waits = c.order('9');
    await c.clock.advance(1_900);
    expect(c.net.requests).toHaveLength(ORDERS.limit);
    void waits;
    const late = c.caller.submit(
      ORDER,
      { symbol: 'X', quantity: '1' },
      c.dispatch({ waitUntil: Infinity }),
      (called) => ({
        kind: 'unknown',
        cause: words(called),
      }),
    );
    await c.clock.advance(200);
    const last = c.net.requests.at(-1);
    expect(last?.request.path).toMatch(/^\/order\?symbol=X&quantity=1&timestamp=1002\d{3}&by=SECRET$/);
    expect(last?.request).toMatchObject({ origin: 'https://api.example', method: 'POST', timeoutMs: 10_000 });
    last?.answer(answered(400, '{"code":-1}'));
    expect(await late).toEqual({ kind: 'unknown', cause: '400 {"code":-1}' });
    expect(c.heard.at(-1)).toMatchObject({ form: ORDER, status: 400, uid: '7', text: '{"code":-1}' });
  });

  it('never sends an order whose time is over, nor one that cannot be signed', async () => {
    const c = new Case();
    const over = c.dispatch({ leaves: () => ({ notAfter: c.clock.monotonic() - 1 }) });
    expect(await c.order('1', over)).toEqual({
      kind: 'unknown',
      cause: 'unsent: its time was over before it could leave',
    });
    c.locked = true;
    expect(await c.order('2')).toEqual({ kind: 'unknown', cause: 'unsent: the vault is locked' });
    expect([c.net.requests.length, c.heard.length]).toEqual([0, 0]);
  });

  it('lets a cancel that was refused for lack of budget wait for another turn', async () => {
    const c = new Case();
    let tries = 0;
    const outcome = c.caller.cancel(ORDER, {}, c.dispatch(), () => {
      tries += 1;
      if (tries > 1) return { kind: 'gone', state: null };
      c.way.budget.ban(3_000, c.clock.monotonic());
      return { kind: 'over' };
    });
    c.net.requests[0]?.answer(answered(429, ''));
    await c.clock.advance(2_999);
    expect(c.net.requests).toHaveLength(1);
    await c.clock.advance(1);
    c.net.requests[1]?.answer(answered(200, ''));
    expect(await outcome).toEqual({ kind: 'gone', state: null });
  });

  it('sends a cancel in the lane of cancels, whatever the order was: a stop of orders does not hold it', async () => {
    const c = new Case();
    c.way.budget.breach(ORDERS, '7', 60_000, c.clock.monotonic());
    void c.order('1', c.dispatch({ lane: 'protective' }));
    const cancel = c.caller.cancel(ORDER, { symbol: 'A' }, c.dispatch({ lane: 'entry' }), () => ({
      kind: 'gone',
      state: null,
    }));
    expect(c.net.requests.map(({ request }) => request.path.slice(0, 15))).toEqual(['/order?symbol=A']);
    c.net.requests[0]?.answer(answered(200, ''));
    expect(await cancel).toEqual({ kind: 'gone', state: null });
    // Its answer is told with all that was asked.
    expect(c.heard[0]).toMatchObject({ parameters: { symbol: 'A' }, uid: '7', status: 200 });
  });

  it('counts a request as answered before what the answer says of the limits is heard', async () => {
    const c = new Case();
    const used = () =>
      c.way.budget.window(orders(1, ORDERS, '7'), c.clock.monotonic()).used(c.clock.monotonic());
    for (const quantity of ['1', '2', '3']) {
      void c.order(quantity);
      c.net.requests.at(-1)?.answer(answered(200, ''));
      await c.clock.advance(1);
    }
    expect(used()).toBe(3);
    // The exchange has counted this one alone: it has given the others back.
    c.used = 1;
    void c.order('4');
    c.net.requests.at(-1)?.answer(answered(200, ''));
    await c.clock.advance(1);
    expect(used()).toBe(1);
  });

  it('sends a cancel again a second later where nothing says for how long to wait, however late that is', async () => {
    const c = new Case();
    let tries = 0;
    const outcome = c.caller.cancel(ORDER, {}, c.dispatch({ waitUntil: c.clock.monotonic() + 1 }), () => {
      tries += 1;
      if (tries === 2) c.way.budget.ban(90_000, c.clock.monotonic());
      return tries > 3 ? { kind: 'gone', state: null } : { kind: 'over' };
    });
    for (const [at, waitMs] of [
      [0, 1_000],
      [1, 90_000],
      [2, 1_000],
    ] as const) {
      c.net.requests[at]?.answer(answered(429, ''));
      await c.clock.advance(waitMs - 1);
      expect(c.net.requests).toHaveLength(at + 1);
      await c.clock.advance(1);
      expect(c.net.requests).toHaveLength(at + 2);
    }
    c.net.requests[3]?.answer(answered(200, ''));
    expect(await outcome).toEqual({ kind: 'gone', state: null });
  });

  it('gives an order until its first deadline after it has waited, as its turn says then', async () => {
    const c = new Case();
    c.way.budget.ban(1_500, c.clock.monotonic());
    const leaves = () => ({ notAfter: c.clock.monotonic() + 10 });
    // The deadline of when it was handed over has passed by then.
    const order = c.order('1', c.dispatch({ leaves }));
    await c.clock.advance(1_500);
    expect(c.net.requests).toHaveLength(1);
    c.net.requests[0]?.answer(answered(200, 'ok'));
    expect(await order).toEqual({ kind: 'unknown', cause: '200 ok' });
    c.way.budget.ban(1_500, c.clock.monotonic());
    const past = c.dispatch({ leaves: () => ({ notAfter: c.clock.monotonic() - 1 }) });
    const late = c.order('2', past);
    await c.clock.advance(1_500);
    expect(await late).toEqual({
      kind: 'unknown',
      cause: 'unsent: its time was over before it could leave',
    });
  });

  it('says of each kind of request that it was not sent: late, or taken back', async () => {
    const c = new Case();
    c.way.budget.ban(60_000, c.clock.monotonic());
    const takeBacks: (() => void)[] = [];
    const dispatch = () => c.dispatch({ onWaits: (takeBack) => takeBacks.push(takeBack) });
    const unsent = { kind: 'unknown', cause: 'never' } as const;
    const all = () => [
      c.order('1', dispatch()),
      c.caller.amend(ORDER, {}, dispatch(), () => unsent),
      c.caller.renew(ORDER, {}, dispatch(), () => unsent),
      c.caller.cancel(ORDER, {}, dispatch(), () => unsent),
    ];
    const late = all();
    const cancelled = late.pop();
    await c.clock.advance(2_000);
    const budget = { kind: 'rejected', reason: 'BUDGET', code: 'BUDGET' };
    expect(await Promise.all(late)).toEqual([
      { ...budget, message: 'not sent: what the exchange lets be sent is used up; try again later' },
      { ...budget, message: 'not sent: there was no turn for it' },
      { kind: 'unknown', cause: 'it had no turn in time' },
    ]);
    // A cancel waits without limit, until it is taken back.
    takeBacks[3]?.();
    expect(await cancelled).toEqual({ kind: 'unknown', cause: 'the cancel was not sent' });
    takeBacks.length = 0;
    const back = all();
    for (const takeBack of takeBacks) takeBack();
    expect((await Promise.all(back)).map(({ kind }) => kind)).toEqual([
      'withdrawn',
      'rejected',
      'unknown',
      'unknown',
    ]);
    await c.clock.advance(120_000);
    expect([c.net.requests.length, c.clock.pendingTimers]).toEqual([0, 0]);
  });

  it('reads the answer to a change of an order and to a renewal, each in its lane', async () => {
    const c = new Case();
    c.way.budget.ban(1_000, c.clock.monotonic());
    const entry = c.order('1');
    const changed = c.caller.amend(ORDER, { symbol: 'A' }, c.dispatch({ lane: 'exit' }), (called) => ({
      kind: 'unknown',
      cause: words(called),
    }));
    const renewed = c.caller.renew(ORDER, { symbol: 'R' }, c.dispatch(), (called) => ({
      kind: 'unknown',
      cause: words(called),
    }));
    await c.clock.advance(1_000);
    expect(c.net.requests.map(({ request }) => /symbol=(\w+)/.exec(request.path)?.[1])).toEqual([
      'R',
      'A',
      'BTCUSDT',
    ]);
    for (const [at, { answer }] of c.net.requests.entries()) answer(answered(200 + at, 'x'));
    expect([await changed, await renewed, await entry]).toEqual([
      { kind: 'unknown', cause: '201 x' },
      { kind: 'unknown', cause: '200 x' },
      { kind: 'unknown', cause: '202 x' },
    ]);
  });

  it('asks in the lane that it is told, with the bounds that it is given, and patiently for longer', async () => {
    const c = new Case();
    void c.caller.ask(TIME, {}, words, { timeoutMs: 3_000, bytesMax: 77 });
    expect(c.net.requests[0]?.request).toMatchObject({ timeoutMs: 3_000, bytesMax: 77 });
    void c.caller.ask(TIME, {}, words);
    expect(c.net.requests[1]?.request).toMatchObject({ timeoutMs: 10_000, bytesMax: 16 * 1_048_576 });
    c.way.budget.ban(100_000, c.clock.monotonic());
    const answers: string[] = [];
    const ask = (name: string, terms: Parameters<Caller['ask']>[3]) =>
      void c.caller.ask(TIME, {}, () => name, terms).then((answer) => answers.push(`${name}: ${answer}`));
    ask('read', {});
    ask('cancel', { lane: 'cancel' });
    ask('patient', { isPatient: true });
    await c.clock.advance(9_999);
    expect(answers).toEqual([]);
    await c.clock.advance(1);
    expect(answers.splice(0).sort()).toEqual(['cancel: null', 'read: null']);
    ask('second', { isPatient: true });
    await c.clock.advance(90_000);
    for (const { answer } of c.net.requests) answer(answered(200, ''));
    await c.clock.advance(0);
    expect(answers).toEqual(['patient: patient', 'second: second']);
    c.way.budget.ban(1_000_000, c.clock.monotonic());
    ask('third', { isPatient: true });
    await c.clock.advance(149_999);
    expect(answers).toHaveLength(2);
    await c.clock.advance(1);
    expect(answers.at(-1)).toBe('third: null');
  });

  it('tells when a question left, and gives null where it had no turn', async () => {
    const c = new Case();
    const asked = c.caller.ask(TIME, {}, (called, at) => ({
      text: words(called),
      tookMs: at.now - at.leftAt,
    }));
    await c.clock.advance(40);
    c.net.requests[0]?.answer({ kind: 'lost', cause: 'cut' });
    expect(await asked).toEqual({ text: 'lost: cut', tookMs: 40 });
    c.way.budget.ban(60_000, c.clock.monotonic());
    const never = c.caller.ask(TIME, {}, words);
    await c.clock.advance(10_000);
    expect(await never).toBeNull();
    expect([c.net.requests.length, c.heard.length]).toEqual([1, 0]);
  });

  it('says messages on sockets within the same budgets', async () => {
    const c = new Case();
    const sent: string[] = [];
    const say = (takes: boolean) =>
      c.caller.say(SUBSCRIBE, { key: 'k' }, '1', (text) => {
        sent.push(text);
        return takes;
      });
    expect([await say(true), await say(false)]).toEqual([true, false]);
    expect(JSON.parse(sent[0] ?? '')).toEqual({
      id: '1',
      method: 'subscribe',
      stamp: c.clock.wall(),
      key: 'k',
    });
    expect(c.way.budget.view(c.clock.monotonic())[0]).toMatchObject({ used: 4 });
  });
});
