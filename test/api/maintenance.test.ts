/**
 * The maintenance switch over HTTP: signed requests are told of it, the public routes continue, and nothing
 * is done or counted.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, expectError, newKey, order, Signer } from './support.ts';

const MESSAGE = 'under maintenance: back at 18:00';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.start();
  bench.desk.maintenanceText = MESSAGE;
});
afterEach(() => bench.api.close());

describe('during maintenance', () => {
  // proves: error SERVICE_UNAVAILABLE, S39
  it.each([
    ['GET', '/api/v2/ping', undefined],
    ['GET', '/api/v2/orders', undefined],
    ['POST', '/api/v2/orders', order()],
    ['POST', '/api/v2/orders', '{'],
    ['DELETE', '/api/v2/orders/x?exchange=binance-spot', undefined],
  ])('%s %s is answered with the operator’s sentence', async (method, target, body) => {
    const response = await bench.send(method, target, { body });
    expectError(response, 503, 'SERVICE_UNAVAILABLE');
    expect(response.json.error.message).toBe(MESSAGE);
    expect(bench.desk.commands).toEqual([]);
    expect(bench.desk.reads).toEqual([]);
  });

  it('what is public goes on: the status stays operational', async () => {
    for (const route of ['time', 'status', 'version']) {
      const response = await bench.send('GET', `/api/v2/server/${route}`, { signed: false });
      expect(response.status).toBe(200);
      if (route === 'status') expect(response.json.data.status).toBe('operational');
    }
  });

  it('a stranger learns nothing of it, and what does not exist does not', async () => {
    const unsigned = await bench.send('GET', '/api/v2/ping', { signed: false });
    expectError(unsigned, 401, 'UNAUTHORIZED');
    const unknown = await bench.send('GET', '/api/v2/ping', { signer: new Signer(Buffer.alloc(32, 9)) });
    expectError(unknown, 401, 'INVALID_KEY');
    const nothing = await bench.send('GET', '/api/v2/nothing');
    expectError(nothing, 404, 'NOT_FOUND');
    for (const { text } of [unsigned, unknown, nothing]) expect(text).not.toContain('maintenance');
  });

  it('is no use and no refusal of the key, and takes nothing from the budget of the account', async () => {
    await bench.api.close();
    bench = await Bench.start({}, { serviceLimits: {} });
    bench.desk.maintenanceText = MESSAGE;
    for (let time = 0; time < 12; time++) {
      const response = await bench.send('GET', '/api/v2/orders');
      expectError(response, 503, 'SERVICE_UNAVAILABLE');
      // The address's limit: the route's figures come only with the route's budget.
      expect(response.headers['x-ratelimit-limit']).toBe('100');
    }
    expect(bench.desk.touched).toEqual([]);
    expect(bench.desk.refusals).toEqual([]);
    bench.desk.maintenanceText = null;
    const served = await bench.send('GET', '/api/v2/orders');
    expect(served.status).toBe(200);
    expect(served.headers['x-ratelimit-remaining']).toBe('4');
  });

  it('keeps no answer: the same idempotency key is carried out afterwards', async () => {
    const headers = { 'X-Idempotency-Key': newKey() };
    const body = order();
    expectError(await bench.place(body, { headers }), 503, 'SERVICE_UNAVAILABLE');
    bench.desk.maintenanceText = null;
    const placed = await bench.place(body, { headers });
    expect(placed.status).toBe(200);
    expect(placed.headers['x-idempotent-replayed']).toBeUndefined();
    expect(bench.desk.commands).toHaveLength(1);
  });

  it('a key outside its address list is told that, not the sentence', async () => {
    bench.desk.addKey(bench.signer.keyId, 'trade', 'owner', { ipList: ['203.0.113.7/32'] });
    expectError(await bench.send('GET', '/api/v2/ping'), 403, 'IP_NOT_WHITELISTED');
  });
});
