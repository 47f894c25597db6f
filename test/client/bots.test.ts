/** The requests of the calls about bots, and how a change without an idempotency key is repeated. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { ApiError, NetworkError } from '../../src/client/errors.ts';
import { HTTP_STATUS } from '../../src/domain/errors.ts';
import type { CreateBot } from '../../src/schemas/bot.ts';
import { clientWith, failure, success } from './fakes.ts';

const BOT: CreateBot = { type: 'ALARM', settings: { exchange: 'paper-spot', range: [] }, tag: 'mine' };
const RUN = { id: 'b1', runId: 'r1' };
const STOP = { strategy: 'fixed', trigger: { type: 'kline' }, order: { type: 'MARKET', stopPrice: '9' } };

describe('the calls about bots', () => {
  it.each<[string, string, object | null, (client: Client) => Promise<unknown>]>([
    ['GET', '/bots', null, (c) => c.bots.list()],
    ['GET', '/bots?type=FIBO', null, (c) => c.bots.list({ type: 'FIBO' })],
    ['POST', '/bots', BOT, (c) => c.bots.create(BOT)],
    ['GET', '/bots/b1', null, (c) => c.bots.get('b1')],
    ['GET', '/bots/a%2Fb%3Fc', null, (c) => c.bots.get('a/b?c')],
    [
      'PATCH',
      '/bots/b1',
      { config: { price: null } },
      (c) => c.bots.patch('b1', { config: { price: null } }),
    ],
    ['DELETE', '/bots/b1', null, (c) => c.bots.delete('b1')],
    ['DELETE', '/bots/b1?force=true', null, (c) => c.bots.delete('b1', { force: true })],
    ['POST', '/bots/b1/runs', null, (c) => c.bots.start('b1')],
    ['DELETE', '/bots/b1/runs/r1', null, (c) => c.bots.stop(RUN)],
    [
      'DELETE',
      '/bots/b1/runs/r1?cleanup=leaveAllOrders&action=stop_and_sell&force=false',
      null,
      (c) => c.bots.stop({ ...RUN, cleanup: 'leaveAllOrders', action: 'stop_and_sell', force: false }),
    ],
    [
      'POST',
      '/bots/b1/runs/r1/message',
      { message: 'add_stoploss', params: STOP },
      (c) => c.bots.message({ ...RUN, message: 'add_stoploss', params: STOP }),
    ],
    ['POST', '/bots/batch/runs', { bots: ['b1', 'b2'] }, (c) => c.bots.batchStart(['b1', 'b2'])],
    [
      'DELETE',
      '/bots/batch/runs',
      { bots: [['b1', 'r1']], cleanup: 'cancelBuyOrders' },
      (c) => c.bots.batchStop({ bots: [['b1', 'r1']], cleanup: 'cancelBuyOrders' }),
    ],
    ['DELETE', '/bots/batch', { bots: ['b1'] }, (c) => c.bots.batchDelete(['b1'])],
  ])('%s %s', async (method, path, body, call) => {
    const data = { some: 'data' };
    const { client, sent } = clientWith([success(data)]);
    expect(await call(client)).toEqual(data);
    const [request] = sent;
    expect([request?.method, request?.path]).toEqual([method, `/api/v2${path}`]);
    expect(request?.body === null ? null : JSON.parse(String(request?.body))).toEqual(body);
    const keyed = method === 'POST' || method === 'DELETE';
    expect(request?.headers['X-Idempotency-Key']).toBe(keyed ? 'uuid-1' : undefined);
  });

  it('take an idempotency key of the caller', async () => {
    const { client, sent } = clientWith([success(null)]);
    const call = { idempotencyKey: 'mine' };
    await client.bots.create(BOT, call);
    await client.bots.delete('b1', {}, call);
    await client.bots.start('b1', call);
    await client.bots.stop(RUN, call);
    await client.bots.batchStart(['b1'], call);
    expect(sent.map(({ headers }) => headers['X-Idempotency-Key'])).toEqual(Array(5).fill('mine'));
  });
});

describe('a change of a bot', () => {
  const change = { metadata: 'x' };

  it.each(Object.entries(HTTP_STATUS))(
    'answered with %s is repeated only if nothing was done',
    async (code, status) => {
      const again = [
        'TIMESTAMP_EXPIRED',
        'RATE_LIMITED',
        'SERVICE_UNAVAILABLE',
        'RISK_SHIELD_ERROR',
      ].includes(code);
      const time = success({ serverTime: 1_760_000_000_000 });
      const answers = [
        failure(status, code),
        ...(code === 'TIMESTAMP_EXPIRED' ? [time] : []),
        success({ bot: 1 }),
      ];
      const { client, sent } = clientWith(answers);
      const outcome = await client.bots.patch('b1', change).catch((error: unknown) => error);
      const patches = sent.filter(({ method }) => method === 'PATCH');
      expect(patches).toHaveLength(again ? 2 : 1);
      if (again) expect(outcome).toEqual({ bot: 1 });
      else expect(outcome).toMatchObject({ name: 'ApiError', code, status });
    },
  );

  it('is not repeated after a broken connection: it may have been made', async () => {
    const { client, sent } = clientWith([new Error('socket hang up'), success({ bot: 1 })]);
    await expect(client.bots.patch('b1', change)).rejects.toBeInstanceOf(NetworkError);
    expect(sent).toHaveLength(1);
  });

  it('gives up like every other call', async () => {
    const { client, sent } = clientWith([failure(503, 'SERVICE_UNAVAILABLE')]);
    await expect(client.bots.patch('b1', change)).rejects.toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(5);
  });
});
