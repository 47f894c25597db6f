/**
 * The typed calls for futures and dust against the API itself: the desk gets what they send, and they return
 * its answers.
 */
import { createPrivateKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { Bench, BRACKETS, DUST, LEVERAGE, POSITION, TEST_SEED } from '../api/support.ts';
import { clientWith, success } from './fakes.ts';

const FUTURES = { exchange: 'binance-futures' };

let bench: Bench;
let client: Client;
beforeEach(async () => {
  bench = await Bench.start();
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const privateKey = createPrivateKey({
    key: Buffer.concat([prefix, TEST_SEED]),
    format: 'der',
    type: 'pkcs8',
  });
  client = createClient({
    baseUrl: `http://127.0.0.1:${bench.api.port}/api`,
    key: { privateKey },
    retry: { attempts: 1 },
  });
});
afterEach(async () => {
  await client.close();
  await bench.api.close();
});

describe('the calls for futures and dust', () => {
  it('read what the desk has', async () => {
    const { portfolio, exchange } = client;
    expect(await portfolio.positions()).toEqual({ a1b2: POSITION });
    expect(await portfolio.positions(FUTURES)).toEqual({ a1b2: POSITION });
    expect(await portfolio.leverage({ ...FUTURES, symbols: ['BTCUSDT', 'ETHUSDT'] })).toEqual(LEVERAGE);
    await portfolio.leverage({ ...FUTURES, symbols: ['BTCUSDT'], marginType: 'CROSSED' });
    expect(await portfolio.marginMode(FUTURES)).toEqual({ mode: 2 });
    expect(await portfolio.brackets({ ...FUTURES, symbol: 'BTCUSDT' })).toEqual(BRACKETS);
    expect(await portfolio.dust({ exchange: 'binance-spot' })).toEqual(DUST);
    expect(await exchange.hedgeMode(FUTURES)).toEqual({ dualSidePosition: true });
    expect(bench.desk.reads.map(({ name, q }) => [name, q])).toEqual([
      ['positions', 'binance-futures'],
      ['positions', 'binance-futures'],
      ['leverage', { ...FUTURES, symbols: ['BTCUSDT', 'ETHUSDT'] }],
      ['leverage', { ...FUTURES, symbols: ['BTCUSDT'], marginType: 'CROSSED' }],
      ['marginMode', 'binance-futures'],
      ['brackets', { ...FUTURES, symbol: 'BTCUSDT' }],
      ['dust', 'binance-spot'],
      ['hedgeMode', 'binance-futures'],
    ]);
  });

  it('change what they name, each with an idempotency key', async () => {
    const { portfolio, exchange } = client;
    await portfolio.setLeverage({ ...FUTURES, symbol: 'BTCUSDT', leverage: 20, side: 'SHORT' });
    await portfolio.setMarginMode({ ...FUTURES, mode: 2 });
    await portfolio.setMarginType({ ...FUTURES, symbol: 'BTCUSDT', marginType: 'ISOLATED' });
    await portfolio.convertDust({ exchange: 'binance-spot', assets: ['ADA'] });
    await exchange.setHedgeMode({ ...FUTURES, dualSidePosition: true });
    expect(bench.desk.commands.map(({ command }) => command)).toEqual([
      {
        type: 'setting',
        ...FUTURES,
        setting: { kind: 'leverage', symbol: 'BTCUSDT', leverage: 20, side: 'SHORT' },
      },
      { type: 'setting', ...FUTURES, setting: { kind: 'marginMode', mode: 2 } },
      {
        type: 'setting',
        ...FUTURES,
        setting: { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' },
      },
      { type: 'setting', exchange: 'binance-spot', setting: { kind: 'dust', assets: ['ADA'] } },
      { type: 'setting', ...FUTURES, setting: { kind: 'hedgeMode', on: true } },
    ]);
    for (const { context } of bench.desk.commands) expect(context.idempotency?.key).toHaveLength(36);
  });

  it('reject with what the exchange lacks', async () => {
    bench.desk.refusal = { code: 'INTERNAL_ERROR', message: 'paper-spot has no leverage' };
    const change = { exchange: 'binance-spot', symbol: 'BTCUSDT', leverage: 2 };
    await expect(client.portfolio.setLeverage(change)).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      status: 500,
      message: 'paper-spot has no leverage',
    });
  });

  it('give null for a leverage that was set, and keep the key they are given', async () => {
    const { client: faked, sent } = clientWith([success(null)]);
    const change = { ...FUTURES, symbol: 'BTCUSDT', leverage: 2 };
    expect(await faked.portfolio.setLeverage(change, { idempotencyKey: 'k' })).toBeNull();
    expect(sent[0]?.headers['X-Idempotency-Key']).toBe('k');
  });
});
