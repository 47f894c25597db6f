/**
 * A client that shares the owner's address (another program on the machine, a page in a browser) cannot use
 * up the owner's budget, and gets no more than one budget however many loopback addresses it uses.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { Bench, expectError } from '../api/support.ts';
import { attacked } from '../support/attacks.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const TIME = '/api/v2/server/time';
const CANCEL = '/api/v2/orders/x1?exchange=binance-spot&symbol=BTCUSDT';
const EVIL = { Origin: 'https://evil.example', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Site': 'cross-site' };

let bench: Bench;
let clock: VirtualClock;
afterEach(() => bench.api.close());

async function start(more: Parameters<typeof Bench.start>[1] = {}) {
  clock = new VirtualClock();
  bench = await Bench.start({}, { serviceLimits: {}, clock, ...more });
}

const stranger = (headers: Record<string, string> = {}) =>
  bench.send('GET', TIME, { signed: false, headers });
const cancel = () => bench.send('DELETE', CANCEL);

/**
 * Sends 25 requests a second as a stranger and 5 cancels a second as the owner, for eight seconds; returns
 * how many cancels were carried out.
 */
async function muted(headers: Record<string, string>): Promise<number> {
  let carriedOut = 0;
  for (let second = 0; second < 8; second++) {
    for (let i = 0; i < 25; i++) {
      await stranger(headers);
      if (i % 5 === 4 && (await cancel()).status === 200) carriedOut += 1;
    }
    await clock.advance(1_000);
  }
  return carriedOut;
}

describe('signed cancels', () => {
  it('are carried out while a page in a browser, or another program, floods the same address', async () => {
    await start();
    const page = await muted(EVIL);
    await clock.advance(5_000);
    const program = await muted({});
    attacked('limiters: many loopback addresses, starving the owner', 80, page + program);
  });

  it('of a key that has not verified from the address lately share the budget of all', async () => {
    await start();
    for (let i = 0; i < 100; i++) await stranger();
    expectError(await cancel(), 429, 'RATE_LIMITED');
    await clock.advance(5_000);
    expect((await cancel()).status).toBe(200);
    await clock.advance(300_000);
    for (let i = 0; i < 100; i++) await stranger();
    expectError(await cancel(), 429, 'RATE_LIMITED');
  });

  it('are not carried out beyond the budget of the address by their own number', async () => {
    await start({ serviceLimits: { tierFactors: { trade: 100 } } });
    for (let i = 0; i < 100; i++) expect((await cancel()).status).toBe(200);
    const over = await cancel();
    expectError(over, 429, 'RATE_LIMITED');
    expect(over.headers['x-ratelimit-limit']).toBe('100');
  });

  it('have half of the budget for themselves, and Retry-After says when there is room', async () => {
    await start({ serviceLimits: { tierFactors: { trade: 100 } } });
    expect((await cancel()).status).toBe(200);
    for (let i = 0; i < 99; i++) expect((await stranger()).status).toBe(200);
    for (let i = 0; i < 50; i++) expect((await cancel()).status).toBe(200);
    const over = await cancel();
    expectError(over, 429, 'RATE_LIMITED');
    await clock.advance(Number(over.headers['retry-after']) * 1_000);
    expect((await cancel()).status).toBe(200);
  });

  it('with the name of a key that is not theirs, or of one that was revoked, get nothing of it', async () => {
    await start();
    expect((await cancel()).status).toBe(200);
    const other = 'A'.repeat(43);
    for (let i = 0; i < 99; i++) await stranger();
    expectError(await stranger({ 'X-SVC-KEY': other }), 429, 'RATE_LIMITED');
    expect((await cancel()).status).toBe(200);
    bench.api.closeSocketsOf(bench.signer.keyId);
    expectError(await cancel(), 429, 'RATE_LIMITED');
  });
});

it('pages of other origins have a budget of their own, with the figures of any other', async () => {
  await start();
  for (let left = 99; left >= 0; left--) {
    const answer = await stranger(EVIL);
    expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, String(left)]);
  }
  expectError(await stranger(EVIL), 429, 'RATE_LIMITED');
  expect((await stranger()).headers['x-ratelimit-remaining']).toBe('99');
});

it('all loopback addresses of a machine share one budget', async () => {
  await start();
  let passed = 0;
  for (let i = 0; i < 960; i++) {
    const localAddress = `127.50.${i >> 8}.${i & 255 || 1}`;
    if ((await bench.send('GET', TIME, { signed: false, localAddress })).status === 200) passed += 1;
  }
  expect(passed).toBe(100);
  attacked('limiters: many loopback addresses, starving the owner', 860, 960 - passed);
});
