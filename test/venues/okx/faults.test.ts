/**
 * Faults between an account of OKX and its exchange: lost responses, cuts, limits, clocks, keys, unexpected
 * values.
 */
import { describe, expect, it } from 'vitest';
import { provenAfterMs } from '../../../src/engine/back-off.ts';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import { TEST_KEY } from '../../emulators/okx/keys.ts';
import { Rig, secretsOf } from './rig.ts';

const LIMIT = { quantity: '0.01', price: '59000' } as const;
const PLACE = '/api/v5/trade/order';
const PLACE_ALGO = '/api/v5/trade/order-algo';
const answer = (status: number, body: unknown): WireAnswer => ({
  kind: 'answer',
  status,
  headers: {},
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const DENIED = { code: '51603', data: [] };

describe('opening', () => {
  it.each([
    ['a wrong secret', { secret: 'wrong' }, /secret does not belong to the API key/],
    ['a wrong passphrase', { passphrase: 'wrong' }, /passphrase is not that of the API key/],
    [
      'a key that is not known',
      { apiKey: '00000000-0000-4000-8000-00000000ffff' },
      /API key is not known there/,
    ],
  ])('with %s fails with what to do, and names no secret', async (_, fields, words) => {
    const rig = new Rig({ secrets: secretsOf(fields) });
    await expect(rig.open()).rejects.toThrow(words);
    const all = JSON.stringify([rig.reports, rig.requests.map(({ path, body }) => [path, body])]);
    for (const secret of [TEST_KEY.secret, TEST_KEY.passphrase]) expect(all).not.toContain(secret);
  });

  it('with a key of the other environment says which it is of', async () => {
    await expect(new Rig({ environment: 'demo' }).open()).rejects.toThrow(
      /--environment demo, all others with live/,
    );
    const keys = [{ ...TEST_KEY, demo: true }];
    const rig = await new Rig({ environment: 'demo', settings: { keys } }).open();
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
  });

  it('is tried again and works when nothing is in the way any more', async () => {
    const rig = new Rig();
    rig.net.down = true;
    await expect(rig.open()).rejects.toThrow();
    rig.net.down = false;
    await rig.open();
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
  });

  it('works though our clock is far off, and is signed by the exchange’s', async () => {
    for (const clockAheadMs of [-3_600_000, 3_600_000]) {
      const rig = await new Rig({ settings: { clockAheadMs } }).open();
      expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
      await rig.pass(200);
      expect(rig.orders).toHaveLength(1);
    }
  });
});

describe('an order', () => {
  it.each(['request', 'answer'] as const)(
    'whose %s is lost is unknown, and a question tells',
    async (what) => {
      const rig = await new Rig().open();
      rig.net.loses = { what, paths: [PLACE] };
      expect(await rig.submit({ clientId: 'lost', ...LIMIT })).toMatchObject({ kind: 'unknown' });
      const found = await rig.result(rig.venue.query({ clientId: 'lost', symbol: 'BTCUSDT' }));
      expect(found.kind).toBe(what === 'request' ? 'absent' : 'found');
      // Absence was checked in every list that could show the order.
      const asked = new Set(rig.requests.map(({ path }) => path.split('?')[0]));
      if (what === 'request')
        for (const list of ['orders-pending', 'orders-history', 'fills'])
          expect(asked).toContain(`/api/v5/trade/${list}`);
    },
  );

  it('that waits for a trigger is not denied while its request may still arrive', async () => {
    const rig = await new Rig().open();
    rig.net.loses = { what: 'request', paths: [PLACE_ALGO] };
    const stop = { type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' } as const;
    expect(await rig.submit({ clientId: 'stop', ...stop })).toMatchObject({ kind: 'unknown' });
    const ask = () => rig.result(rig.venue.query({ clientId: 'stop', symbol: 'BTCUSDT' }));
    expect(await ask()).toMatchObject({ kind: 'unknown' });
    await rig.pass(40_000);
    expect(await ask()).toEqual({ kind: 'absent' });
    // A new process does not know which kind of order an earlier one may have sent.
    const next = await rig.again().open();
    const again = () => next.result(next.venue.query({ clientId: 'stop', symbol: 'BTCUSDT' }));
    expect(await again()).toMatchObject({ kind: 'unknown' });
    await next.pass(40_000);
    expect(await again()).toEqual({ kind: 'absent' });
  });

  it('may be denied by every list for a moment, and is there within what absence is proved after', async () => {
    const rig = await new Rig({ settings: { hiddenMs: 2_000 } }).open();
    rig.net.loses = { what: 'answer', paths: [PLACE] };
    await rig.submit({ clientId: 'hidden', ...LIMIT });
    const ask = () => rig.result(rig.venue.query({ clientId: 'hidden', symbol: 'BTCUSDT' }));
    expect((await ask()).kind).toBe('absent');
    await rig.pass(provenAfterMs(rig.venue.caps));
    expect(await ask()).toMatchObject({ kind: 'found', state: { status: 'WORKING' } });
  });

  it.each<[string, WireAnswer, object]>([
    [
      'a time-out of the exchange',
      answer(400, { code: '50004', msg: 'timeout', data: [] }),
      { kind: 'unknown' },
    ],
    [
      'a row that timed out',
      answer(200, {
        code: '1',
        msg: '',
        data: [{ ordId: '', clOrdId: '', sCode: '51149', sMsg: 'timed out' }],
      }),
      { kind: 'unknown' },
    ],
    [
      'a code that is new',
      answer(200, { code: '1', msg: '', data: [{ ordId: '', clOrdId: '', sCode: '59876', sMsg: 'x' }] }),
      { kind: 'unknown' },
    ],
    ['a page', answer(502, '<html>bad gateway</html>'), { kind: 'unknown' }],
    ['another form', answer(200, { code: '0', data: [{}] }), { kind: 'unknown' }],
    ['a yes without an order', answer(200, { code: '0', msg: '', data: [] }), { kind: 'unknown' }],
    [
      'another order',
      answer(200, { code: '0', msg: '', data: [{ ordId: '1', clOrdId: 'other', sCode: '0', sMsg: '' }] }),
      { kind: 'unknown' },
    ],
    [
      'maintenance',
      answer(503, { code: '50001', msg: 'Service temporarily unavailable', data: [] }),
      { kind: 'rejected', reason: 'OVERLOADED' },
    ],
    [
      'busy systems',
      answer(429, { code: '50013', msg: 'Systems are busy', data: [] }),
      { kind: 'rejected', reason: 'OVERLOADED' },
    ],
    [
      'lateness',
      answer(200, {
        code: '1',
        msg: '',
        data: [{ ordId: '', clOrdId: '', sCode: '50037', sMsg: 'Order expired' }],
      }),
      { kind: 'rejected', reason: 'CLOCK' },
    ],
    ['no connection', { kind: 'unsent', cause: 'refused' }, { kind: 'rejected', reason: 'UNREACHED' }],
  ])('that is answered by %s is decided by its code alone', async (_, given, outcome) => {
    const rig = await new Rig().open();
    rig.net.answers.set(PLACE, ({ method }) => (method === 'POST' ? given : null));
    expect(await rig.submit({ ...LIMIT, clientId: 'x1' })).toMatchObject(outcome);
  });

  it('is not sent any more once the vault is locked', async () => {
    let isLocked = false;
    const secrets = {
      get: (field: 'apiKey' | 'secret' | 'passphrase') => {
        if (isLocked) throw new Error('the vault is locked');
        return secretsOf().get(field);
      },
    };
    const rig = await new Rig({ secrets }).open();
    isLocked = true;
    expect(await rig.submit(LIMIT)).toMatchObject({
      kind: 'rejected',
      reason: 'UNREACHED',
      message: /vault is locked/,
    });
  });

  it('that comes too late is refused by the time it names itself', async () => {
    const rig = await new Rig().open();
    rig.net.faults = { delayMs: [5_500, 5_600] };
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'rejected', reason: 'CLOCK' });
  });
});

describe('the limits', () => {
  it('are kept: nothing is refused for its rate, whatever is asked for', async () => {
    const rig = await new Rig().open();
    const all: Promise<unknown>[] = [];
    for (let n = 0; n < 150; n++) {
      all.push(rig.venue.submit(rig.order({ quantity: '0.0001', price: '59000' })));
      if (n % 10 === 0) all.push(rig.venue.balances());
    }
    const kinds = await rig.result(Promise.all(all), 120_000);
    expect(kinds.every((one) => one !== null)).toBe(true);
    expect(rig.net.struckCodes).not.toContain('50011');
  });

  it('that were broken stop new orders for a while, and never a cancel', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'a', ...LIMIT });
    rig.net.answers.set(PLACE, ({ method }) =>
      method === 'POST' ? answer(429, { code: '50011', msg: 'Rate limit reached', data: [] }) : null,
    );
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'rejected', reason: 'RATE_LIMITED' });
    rig.net.answers.delete(PLACE);
    const before = rig.clock.monotonic();
    const gone = rig.venue.cancel({ clientId: 'a', symbol: 'BTCUSDT' });
    expect(await rig.result(gone)).toMatchObject({ kind: 'done' });
    expect(rig.clock.monotonic() - before).toBeLessThan(1_000);
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
  });

  it('make a cancel that is refused wait for another turn', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'a', ...LIMIT });
    let refusals = 2;
    rig.net.answers.set('/api/v5/trade/cancel-order', () =>
      refusals-- > 0 ? answer(429, { code: '50011', msg: 'Rate limit reached', data: [] }) : null,
    );
    expect(await rig.result(rig.venue.cancel({ clientId: 'a', symbol: 'BTCUSDT' }))).toMatchObject({
      kind: 'done',
    });
  });
});

describe('the line', () => {
  it.each(['private', 'business'])(
    'of the %s socket comes back after a cut, which is told, and what was missed is found',
    async (which) => {
      const rig = await new Rig().open();
      await rig.submit({ clientId: 'a', ...LIMIT });
      rig.net.cut('cut', which);
      expect(rig.stream).toEqual(['up', 'down']);
      rig.emulator.trade('BTC-USDT', '58999');
      await rig.pass(10_000);
      expect(rig.stream).toEqual(['up', 'down', 'up']);
      const found = await rig.result(rig.venue.query({ clientId: 'a', symbol: 'BTCUSDT' }));
      expect(found).toMatchObject({ kind: 'found', state: { status: 'FILLED' } });
      await rig.submit({ clientId: 'b', ...LIMIT });
      await rig.pass(300);
      expect(rig.last('b')).toBeDefined();
    },
  );

  it('lives through ten minutes in which nothing happens, and through the upgrade of the service', async () => {
    const rig = await new Rig().open();
    await rig.pass(600_000);
    expect(rig.stream).toEqual(['up']);
    rig.emulator.shutdown();
    await rig.pass(90_000);
    // Both sockets were replaced: something may have been missed on either.
    expect(rig.stream).toEqual(['up', 'gap', 'gap']);
    await rig.submit({ clientId: 'a', ...LIMIT });
    await rig.pass(300);
    expect(rig.last('a')).toMatchObject({ status: 'WORKING' });
  });

  it('is up again in an account that is opened again', async () => {
    const rig = await new Rig().open();
    await rig.open();
    expect(rig.stream).toEqual(['up', 'up']);
    rig.net.cut('cut', 'private');
    await rig.pass(10_000);
    expect(rig.stream).toEqual(['up', 'up', 'down', 'up']);
  });

  it('is down while the key is taken away, with the reason, and up when it is there again', async () => {
    const rig = await new Rig().open();
    rig.emulator.revoke(TEST_KEY.apiKey);
    await rig.pass(2_000);
    expect(rig.stream.at(-1)).toBe('down');
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'rejected', reason: 'BAD_CREDENTIALS' });
    rig.emulator.addKey(TEST_KEY);
    await rig.pass(60_000);
    expect(rig.stream.at(-1)).toBe('up');
  });

  it('may bring messages twice, late and in another order: the newest is told by its number', async () => {
    const faults = { duplicate: 0.3, swapped: 0.3 };
    const rig = await new Rig({ faults }).open();
    for (let n = 0; n < 10; n++) await rig.submit({ type: 'MARKET', quantity: '0.001' });
    await rig.pass(2_000);
    for (let n = 1; n <= 10; n++) {
      const states = rig.orders.filter(({ clientId }) => clientId === `t${n}`).sort((a, b) => a.seq - b.seq);
      const newest = states.filter(({ seq }) => seq === states.at(-1)?.seq);
      expect(newest.some(({ status }) => status === 'FILLED')).toBe(true);
    }
  });

  it('may say a second time, with a later time, that an order works which has ended: that is no news', async () => {
    const rig = await new Rig({ settings: { repeatEvery: 1 } }).open();
    await rig.submit({ ...LIMIT, price: '58000', timeInForce: 'IOC' });
    await rig.pass(2_000);
    const statuses = rig.orders.map(({ status }) => status);
    const end = statuses.indexOf('CANCELLED');
    expect(end).toBeGreaterThanOrEqual(0);
    expect(new Set(statuses.slice(end))).toEqual(new Set(['CANCELLED']));
  });

  it('that brings what cannot be read asks for a comparison, once a minute', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'a', ...LIMIT });
    await rig.pass(200);
    for (let n = 0; n < 3; n++)
      rig.net.say(
        'private',
        JSON.stringify({ arg: { channel: 'orders', instType: 'SPOT' }, data: [{ ordId: 7 }] }),
      );
    expect(rig.stream).toEqual(['up', 'gap']);
    expect(rig.reports.filter((line) => line.includes('orders'))).toHaveLength(1);
  });
});

it('many orders that are nowhere are denied by few reads of the lists', async () => {
  const rig = await new Rig({ kind: 'swap' }).open();
  await rig.pass(60_000);
  rig.requests.length = 0;
  const questions = Array.from({ length: 40 }, (_, n) =>
    rig.venue.query({ clientId: `nowhere${n}`, symbol: 'BTCUSDT' }),
  );
  const outcomes = await rig.result(Promise.all(questions));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['absent']));
  const lists = rig.requests.filter(({ path }) => /pending|history|fills/.test(path));
  // Separately, each query would read six lists.
  expect(lists.length).toBeLessThan(80);
});

describe('what is taken in and done later', () => {
  it('is not told as done before: a cancel, which may be filled meanwhile, and a change', async () => {
    const rig = await new Rig({ settings: { cancelLagMs: 2_000, amendLagMs: 2_000 } }).open();
    await rig.submit({ clientId: 'a', ...LIMIT });
    await rig.submit({ clientId: 'b', ...LIMIT, price: '58000' });
    const ref = (clientId: string) => ({ clientId, symbol: 'BTCUSDT' });
    const changed = rig.venue.amend?.(ref('b'), { price: '57000' });
    expect(await rig.result(changed ?? Promise.reject())).toMatchObject({ kind: 'unknown' });
    expect(await rig.result(rig.venue.cancel(ref('a')))).toMatchObject({ kind: 'unknown' });
    await rig.trade('BTC-USDT', '58999');
    await rig.pass(3_000);
    expect(rig.last('a')).toMatchObject({ status: 'FILLED' });
    expect(rig.last('b')).toMatchObject({ status: 'WORKING', terms: { price: '57000' } });
    expect(await rig.result(rig.venue.cancel(ref('a')))).toMatchObject({
      kind: 'gone',
      state: { status: 'FILLED' },
    });
  });
});

describe('a trigger', () => {
  it('that is told after the order that it has made, and as later, takes nothing back', async () => {
    const rig = await new Rig().open();
    const row = {
      instId: 'BTC-USDT',
      instType: 'SPOT',
      side: 'sell',
      posSide: 'net',
      sz: '1',
      cTime: '1',
    };
    const order = { ...row, ordId: '5', clOrdId: '', algoId: '9', algoClOrdId: 'stop', ordType: 'market' };
    const filled = { ...order, state: 'filled', accFillSz: '1', px: '', uTime: '100' };
    const algo = {
      ...row,
      algoId: '9',
      algoClOrdId: 'stop',
      ordType: 'conditional',
      slTriggerPx: '5',
      slOrdPx: '-1',
    };
    const say = (address: string, channel: string, data: object) =>
      rig.net.say(address, JSON.stringify({ arg: { channel, instType: 'ANY' }, data: [data] }));
    say('private', 'orders', filled);
    say('business', 'orders-algo', {
      ...algo,
      state: 'effective',
      ordIdList: ['5'],
      actualSz: '0',
      uTime: '200',
    });
    await rig.pass(10_000);
    expect(rig.orders.map(({ status, seq }) => [status, seq])).toEqual([['FILLED', 100]]);
  });

  it('that has made nothing that was told is asked about, and counts as stuck while nothing has come of it', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'stop', type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' });
    await rig.pass(300);
    const algoId = rig.last('stop')?.venueIds?.[0]?.slice(1) ?? '';
    const row = {
      instId: 'BTC-USDT',
      instType: 'SPOT',
      algoId,
      algoClOrdId: 'stop',
      ordType: 'conditional',
      side: 'buy',
      posSide: 'net',
      sz: '0.01',
      slTriggerPx: '61000',
      slOrdPx: '-1',
      state: 'effective',
      cTime: '1',
      uTime: String(rig.emulator.now()),
      ordId: '',
      actualSz: '0',
    };
    rig.net.answers.set('/api/v5/trade/order-algo', ({ method }) =>
      method === 'GET' ? answer(200, { code: '0', msg: '', data: [row] }) : null,
    );
    rig.net.say('business', JSON.stringify({ arg: { channel: 'orders-algo' }, data: [row] }));
    await rig.pass(3_000);
    expect(rig.last('stop')?.stuck).toBeUndefined();
    await rig.pass(3_000);
    expect(rig.last('stop')).toMatchObject({ status: 'PENDING', stuck: true });
    expect(rig.reports.join()).toMatch(/trigger of stop .* it may protect nothing/);
  });
});

it.each([
  ['that cannot be forgotten yet is not known', 2 * 3_600_000 - 60_000, { kind: 'unknown' }],
  ['may have been cancelled two hours ago', 2 * 3_600_000, { kind: 'found', state: { status: 'CANCELLED' } }],
])('an order of a trigger %s, where the exchange denies it', async (_, age, expected) => {
  const rig = await new Rig().open();
  await rig.submit({ clientId: 'stop', type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' });
  const row = {
    instId: 'BTC-USDT',
    instType: 'SPOT',
    algoId: rig.last('stop')?.venueIds?.[0]?.slice(1) ?? '',
    algoClOrdId: 'stop',
    ordType: 'conditional',
    side: 'buy',
    posSide: 'net',
    sz: '0.01',
    slTriggerPx: '61000',
    slOrdPx: '-1',
    state: 'effective',
    cTime: '1',
    uTime: String(rig.emulator.now() - age),
    ordId: '55',
    actualSz: '0',
  };
  const answers = { '/api/v5/trade/order-algo': { code: '0', data: [row] }, '/api/v5/trade/order': DENIED };
  for (const [path, body] of Object.entries(answers))
    rig.net.answers.set(path, ({ method }) => (method === 'GET' ? answer(200, { msg: '', ...body }) : null));
  expect(await rig.result(rig.venue.query({ clientId: 'stop', symbol: 'BTCUSDT' }))).toMatchObject(expected);
});

describe('what belongs to the account', () => {
  const push = (more: object) => ({
    arg: { channel: 'orders', instType: 'ANY' },
    data: [
      {
        instId: 'BTC-USDT',
        instType: 'MARGIN',
        ordId: '77',
        clOrdId: 'x',
        side: 'buy',
        posSide: '',
        sz: '1',
        ordType: 'limit',
        state: 'live',
        px: '5',
        accFillSz: '0',
        cTime: '1',
        uTime: '9',
        ...more,
      },
    ],
  });

  it('is told, also where a crossed order of spot comes as one on margin, and nothing of other markets', async () => {
    const rig = await new Rig().open();
    rig.net.say('private', JSON.stringify(push({})));
    for (const instType of ['SWAP', 'FUTURES', 'OPTION'])
      rig.net.say(
        'private',
        JSON.stringify(push({ instType, instId: `BTC-USDT-${instType}`, ordId: instType })),
      );
    await rig.pass(61_000);
    expect(rig.orders.map(({ venueIds }) => venueIds)).toEqual([['77']]);
    expect(rig.stream).toEqual(['up']);
  });

  it('may be of something that was listed since: the list is read again, and compared', async () => {
    const rig = await new Rig({ kind: 'swap' }).open();
    const asked = () => rig.requests.filter(({ path }) => path.includes('/public/instruments')).length;
    await rig.pass(61_000);
    rig.venue.relist?.();
    await rig.pass(1_000);
    const before = asked();
    expect(before).toBe(2);
    await rig.pass(60_000);
    rig.net.say('private', JSON.stringify(push({ instType: 'SWAP', instId: 'BTC-USD-SWAP' })));
    await rig.pass(1_000);
    expect(asked()).toBe(before);
    rig.net.say('private', JSON.stringify(push({ instType: 'SWAP', instId: 'NEW-USDT-SWAP' })));
    await rig.pass(1_000);
    expect(asked()).toBe(before + 1);
    expect(rig.stream).toEqual(['up', 'gap']);
  });

  it('of an endpoint and instrument that was over its limit rests alone', async () => {
    const rig = await new Rig().open();
    rig.net.answers.set(PLACE, ({ method }) =>
      method === 'POST' ? answer(200, { code: '50011', msg: 'Rate limit reached', data: [] }) : null,
    );
    const stop = { type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' } as const;
    rig.net.answers.set(PLACE_ALGO, ({ method }) =>
      method === 'POST' ? answer(200, { code: '50011', msg: 'Rate limit reached', data: [] }) : null,
    );
    await rig.submit(stop);
    rig.net.answers.clear();
    const before = rig.clock.monotonic();
    await rig.submit({ ...stop, symbol: 'ETHUSDT', stopPrice: '2600' });
    expect(rig.clock.monotonic() - before).toBeLessThan(500);
    await rig.submit(stop);
    expect(rig.clock.monotonic() - before).toBeGreaterThan(1_000);
  });
});
