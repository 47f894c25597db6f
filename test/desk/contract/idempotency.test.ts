/** The eight rules of X-Idempotency-Key over real requests to a whole desk. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { readIdempotencyKey } from '../../../src/api/request-form.ts';
import { ok } from '../integration/support.ts';
import { type Answered, type ContractDesk, openContractDesk, RESTING, SPOT } from './support.ts';

const HOUR_MS = 3_600_000;

let t: ContractDesk;
let key: string;
beforeEach(async () => {
  t = await openContractDesk();
  key = randomUUID();
});

const carrying = (id = key) => ({ 'x-idempotency-key': id });
const place = (more: object = {}, id = key) =>
  t.ask('POST', '/v2/orders', { ...RESTING, ...more }, carrying(id));
const count = async () => (await t.data('GET', '/v2/orders?status=recent')).length;

function expectReplayed(again: Answered, first: Answered): void {
  expect(again.text).toBe(first.text);
  expect(again.status).toBe(first.status);
  expect(again.headers['x-idempotent-replayed']).toBe('true');
}

function expectNew({ headers }: Answered): void {
  expect(headers['x-idempotent-replayed']).toBeUndefined();
}

function expectConflict({ status, json }: Answered, words: string): void {
  expect([status, json.error.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  expect(json.error.message).toContain(words);
}

describe('an idempotency key', () => {
  // proves: rule idempotency-key, rule idempotency-on-changes
  it('is optional: without one every request is another', async () => {
    for (let i = 0; i < 3; i++) expectNew(await t.ask('POST', '/v2/orders', RESTING));
    expect(await count()).toBe(3);
  });

  // proves: rule idempotency-key, D13
  it('is a UUID, of whatever version and case', async () => {
    for (const bad of ['1', key.slice(1), `{${key}}`, `${key} `.padEnd(50, 'x'), key.replaceAll('-', '')]) {
      const { status, json } = await place({}, bad);
      expect([status, json.error.code], bad).toEqual([400, 'INVALID_REQUEST']);
    }
    const v1 = 'c232ab00-9414-11ec-b3c8-9f6bdeced846';
    const first = await place({}, v1);
    expect(first.status).toBe(200);
    expectReplayed(await place({}, v1.toUpperCase()), first);
  });

  // proves: rule idempotency-methods
  it('means nothing on reads, nor on PATCH', async () => {
    for (const value of [key, 'nonsense']) {
      const answer = await t.ask('GET', '/v2/orders', undefined, carrying(value));
      expect(answer.status).toBe(200);
      expect(answer.json.meta.idempotencyKey).toBeUndefined();
    }
    const read = (method: string) =>
      readIdempotencyKey(method, '/api/v2/x', ['X-Idempotency-Key', key], Buffer.alloc(0));
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect(read(method)).toMatchObject({ ok: true, data: { key } });
    }
    for (const method of ['GET', 'HEAD', 'PATCH'])
      expect(read(method)).toEqual({ ok: true, data: undefined });
  });
});

describe('the same request again', () => {
  // proves: rule idempotency-replay, rule idempotency-echo, rule meta-idempotency-key, D15
  it('gets the same answer, and the order is placed once', async () => {
    const first = await place();
    expect(first.json.meta.idempotencyKey).toBe(key);
    expectNew(first);
    for (let i = 0; i < 3; i++) {
      await t.clock.advance(60_000);
      expectReplayed(await place(), first);
    }
    expect(await count()).toBe(1);
  });

  // proves: rule idempotency-replay, D15
  it('gets the answer of then, though the order has gone on since', async () => {
    const placed = await place();
    const path = `/v2/orders/${placed.json.data.id}?exchange=${SPOT}`;
    const cancelled = await t.ask('DELETE', path, undefined, carrying(randomUUID()));
    expect(cancelled.json.data.status).toBe('CANCELLED');
    const again = await place();
    expectReplayed(again, placed);
    expect(again.json.data.status).toBe('OPENED');
  });

  // proves: rule idempotency-4xx, rule replayed-400, D14
  it.each([
    ['400 of the schema', 'POST', '/v2/orders', { ...RESTING, side: 'HOLD' }, 400],
    ['400 of the engine', 'POST', '/v2/orders', { ...RESTING, symbol: 'XYZUSDT' }, 400],
    ['400 of the exchange', 'POST', '/v2/orders', { ...RESTING, type: 'LIMIT_MAKER', price: '60001' }, 400],
    ['404', 'DELETE', `/v2/orders/ps-none?exchange=${SPOT}`, undefined, 404],
  ])('gets its %s again', async (_what, method, path, body, status) => {
    const first = await t.ask(method, path, body, carrying());
    expect(first.status).toBe(status);
    expectReplayed(await t.ask(method, path, body, carrying()), first);
  });

  // proves: rule idempotency-5xx, D14
  it('is carried out anew after a 500 or a 503', async () => {
    const lever = { exchange: SPOT, symbol: 'BTCUSDT', leverage: 2 };
    for (let i = 0; i < 2; i++) {
      const answer = await t.ask('POST', '/v2/portfolio/position/leverage', lever, carrying());
      expect(answer.status).toBe(500);
      expectNew(answer);
    }
    const other = randomUUID();
    ok(await t.call('desk.maintenance', { on: true }));
    expect((await place({}, other)).status).toBe(503);
    ok(await t.call('desk.maintenance', { on: false }));
    const placed = await place({}, other);
    expect(placed.status).toBe(200);
    expectNew(placed);
  });

  // proves: rule idempotency-hour, limit idempotency-window, D17
  it('is a new one after an hour, counted from the first', async () => {
    const first = await place();
    await t.clock.advance(HOUR_MS / 2);
    expectReplayed(await place(), first);
    await t.clock.advance(HOUR_MS / 2 - 1);
    expectReplayed(await place(), first);
    await t.clock.advance(1);
    const second = await place({ quantity: '0.02' });
    expect(second.status).toBe(200);
    expectNew(second);
  });

  // proves: rule idempotency-retry, rule resign, rule replay
  it('is signed anew each time; the very same bytes are a replay of the signature', async () => {
    const first = await place();
    expectReplayed(await place(), first);
    const timestamp = t.clock.wall() + 7;
    const signed = () => t.client.raw('GET', '/v2/orders', { timestamp });
    expect((await signed()).status).toBe(200);
    const again = await signed();
    expect([again.status, JSON.parse(again.text).error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(JSON.parse(again.text).error.message).toContain('duplicate request signature');
  });
});

describe('another request with the same key', () => {
  // proves: rule idempotency-conflict, D11, D14
  it.each([
    ['another quantity', 'POST', '/v2/orders', JSON.stringify({ ...RESTING, quantity: '0.02' })],
    ['other spacing', 'POST', '/v2/orders', `${JSON.stringify(RESTING)} `],
    ['another query', 'POST', '/v2/orders?x=1', JSON.stringify(RESTING)],
    ['another route', 'DELETE', `/v2/orders/ps-1?exchange=${SPOT}`, undefined],
  ])('is a conflict for %s, which is not kept', async (_what, method, path, body) => {
    const first = await place();
    expectConflict(
      await t.ask(method, path, body, carrying()),
      'already used with different request parameters',
    );
    expectReplayed(await place(), first);
    expect(await count()).toBe(1);
  });

  // proves: rule idempotency-in-progress, D16
  it('or the same one, while the first is under way, is a conflict that says so', async () => {
    ok(await t.call('paper.fault', { fault: 'delay', on: 'submit', ms: 2_000 }));
    let first: Answered | null = null;
    void place().then((answer) => {
      first = answer;
    });
    // The first one has reached the desk once its order is there.
    while ((await count()) === 0) await t.clock.settle();
    expectConflict(await place(), 'already processing');
    while (first === null) await t.clock.advance(250);
    const done: Answered = first;
    expect(done.status).toBe(200);
    expectReplayed(await place(), done);
  });
});
