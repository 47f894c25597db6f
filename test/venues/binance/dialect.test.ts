/** The wire format of a Binance request: the signed bytes are the sent bytes. */
import { describe, expect, it } from 'vitest';
import { binanceDialect, errorOf, REPEATED } from '../../../src/venues/binance/dialect.ts';
import { SPOT_ORDERS_1D, SPOT_ORDERS_10S, SPOT_WEIGHT } from '../../../src/venues/binance/spot/budgets.ts';
import { SPOT } from '../../../src/venues/binance/spot/requests.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { BudgetRow } from '../../../src/venues/kit/budget.ts';
import { ClockOffset } from '../../../src/venues/kit/clock-offset.ts';
import { hmac } from '../../../src/venues/kit/signing.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { secretsOf } from './spot-support.ts';

const dialect = binanceDialect({ weight: SPOT_WEIGHT, orders: { '10s': SPOT_ORDERS_10S } });
const secrets = secretsOf('APIKEY', 'SECRET');
const stamp = 1_700_000_000_000;

describe('a request', () => {
  it('is percent-encoded first and signed then, with the signature last', () => {
    const { path, headers } = dialect.write(
      SPOT.cancel,
      { symbol: '币USDT', origClientOrderId: 'a b' },
      { secrets, stamp },
    );
    const query = 'symbol=%E5%B8%81USDT&origClientOrderId=a%20b&recvWindow=5000&timestamp=1700000000000';
    expect(path).toBe(`/api/v3/order?${query}&signature=${hmac(Buffer.from('SECRET'), query)}`);
    expect(headers).toEqual({ 'X-MBX-APIKEY': 'APIKEY' });
  });

  it('that nobody signs names no key', () => {
    expect(dialect.write(SPOT.time, {}, { secrets, stamp })).toEqual({ path: '/api/v3/time', headers: {} });
  });

  it('may say a parameter several times', () => {
    const { path } = dialect.write(
      SPOT.convertDust,
      { asset: ['ADA', 'DOGE'].join(REPEATED) },
      { secrets, stamp },
    );
    expect(path).toContain('?asset=ADA&asset=DOGE&recvWindow=');
  });

  it('on a socket is signed over its parameters in the order of their names', () => {
    const text = dialect.frame?.(
      { ...SPOT.subscribe, parameters: ['zeta', 'alpha'] },
      { zeta: '1', alpha: '币' },
      {
        secrets,
        stamp,
        id: '7',
      },
    );
    const payload = 'alpha=币&apiKey=APIKEY&recvWindow=5000&timestamp=1700000000000&zeta=1';
    expect(JSON.parse(text ?? '')).toEqual({
      id: '7',
      method: 'userDataStream.subscribe.signature',
      params: {
        zeta: '1',
        alpha: '币',
        apiKey: 'APIKEY',
        recvWindow: 5_000,
        timestamp: stamp,
        signature: hmac(Buffer.from('SECRET'), payload),
      },
    });
  });

  it('to subscribe has the signature of the documents', () => {
    const text = dialect.frame?.(SPOT.subscribe, {}, { secrets, stamp, id: '1' });
    expect(JSON.parse(text ?? '').params.signature).toBe(
      '6aab3508836c6e2082a6f3df53e7df9d8369c3eb67c732231af16003ded19d62',
    );
  });
});

describe('a request of another security', () => {
  it('has its key where it needs one, and parameters where it has some', () => {
    const key = { ...SPOT.cancel, security: 'key' as const };
    expect(dialect.write(key, {}, { secrets, stamp })).toEqual({
      ...{ path: '/api/v3/order', headers: { 'X-MBX-APIKEY': 'APIKEY' } },
    });
    expect(dialect.write(key, { symbol: 'A&B' }, { secrets, stamp }).path).toBe('/api/v3/order?symbol=A%26B');
    const frame = (security: 'none' | 'key') =>
      JSON.parse(
        dialect.frame?.({ ...SPOT.subscribe, security }, { a: '1' }, { secrets, stamp, id: '7' }) ?? '',
      );
    expect([frame('none').params, frame('key').params]).toEqual([{ a: '1' }, { a: '1', apiKey: 'APIKEY' }]);
  });
});

describe('what an answer says of the limits', () => {
  const rows = { '1d': SPOT_ORDERS_1D, '10s': SPOT_ORDERS_10S };
  const CODE = (code: number) => JSON.stringify({ code, msg: 'x' });

  function heard(answers: readonly { status?: number; headers?: Record<string, string>; text?: string }[]) {
    const clock = new VirtualClock();
    const way = new Addresses(clock).way('https://rest');
    const offset = new ClockOffset(clock);
    offset.measured({ sentAt: way.now, heardAt: way.now, time: clock.wall() });
    let doubts = 0;
    const { heard: hear } = binanceDialect({ weight: SPOT_WEIGHT, orders: rows }, () => {
      doubts += 1;
    });
    for (const { status = 200, headers = {}, text = '{}' } of answers) {
      const now = way.now;
      hear({ form: SPOT.place, status, headers, text, uid: 'me', leftAt: now, now }, way, offset);
    }
    const used = (row: BudgetRow, of = 'me') => way.budget.window({ row, of }, way.now).used(way.now);
    const stopped = (of = 'me') =>
      [SPOT_ORDERS_10S, SPOT_ORDERS_1D].map((row) => way.budget.stoppedMs({ row, of }, way.now));
    return { way, used, stopped, doubts: () => doubts, isDue: () => offset.isDue };
  }

  it('is the use of each window, of the address and of this account', () => {
    const headers = {
      ...{ 'x-mbx-used-weight-1m': '70', 'x-mbx-order-count-10s': '4', 'x-mbx-order-count-1d': '31' },
      ...{ 'x-mbx-used-weight': '1', 'x-mbx-order-count-1m': '9' },
    };
    const { used } = heard([{ headers }]);
    expect([used(SPOT_WEIGHT, ''), used(SPOT_ORDERS_10S), used(SPOT_ORDERS_1D)]).toEqual([70, 4, 31]);
    expect([used(SPOT_ORDERS_1D, 'another'), used(SPOT_WEIGHT, 'me')]).toEqual([0, 0]);
    for (const odd of ['', '-1', '1.5', '1e3', 'x', '1234567890'])
      expect(heard([{ headers: { 'x-mbx-used-weight-1m': odd } }]).used(SPOT_WEIGHT, '')).toBe(0);
  });

  it.each<[number, Record<string, string>, number]>([
    [429, { 'retry-after': '7' }, 7_000],
    [418, { 'retry-after': '300' }, 300_000],
    [429, {}, 120_000],
    [418, { 'retry-after': 'soon' }, 120_000],
    [403, { 'retry-after': '7' }, 0],
    [200, { 'retry-after': '7' }, 0],
    [503, {}, 0],
  ])('is a ban at %s with %o for %s ms', (status, headers, ms) => {
    const { way } = heard([{ status, headers }]);
    expect(way.budget.bannedMs(way.now)).toBe(ms);
  });

  it('is an end of new orders at -1015, of the windows that are used up, else of the shortest', () => {
    const over = { status: 429, text: CODE(-1015), headers: { 'retry-after': '4' } };
    const { way, stopped } = heard([over]);
    expect([way.budget.bannedMs(way.now), stopped(), stopped('you')]).toEqual([0, [4_000, 0], [0, 0]]);
    for (const [tens, days, after, stops] of [
      ['49', '160000', '9', [0, 9_000]],
      ['50', '160001', '9', [9_000, 9_000]],
      ['50', '159999', '9', [9_000, 0]],
      ['1', '1', undefined, [10_000, 0]],
      ['1', '160000', undefined, [0, 86_400_000]],
    ] as const) {
      const counts = { 'x-mbx-order-count-10s': tens, 'x-mbx-order-count-1d': days };
      const headers = { ...counts, ...(after === undefined ? {} : { 'retry-after': after }) };
      expect(heard([{ status: 400, text: CODE(-1015), headers }]).stopped()).toEqual(stops);
    }
  });

  it('is a doubt of the clock at each refusal for the time, and at nothing else', () => {
    for (const [code, isDoubt] of [
      [-1021, true],
      [-5028, true],
      [1021, false],
      [-1022, false],
    ] as const) {
      const { doubts, isDue } = heard([{ status: 400, text: CODE(code) }]);
      expect([code, doubts(), isDue()]).toEqual([code, isDoubt ? 1 : 0, isDoubt]);
    }
    expect(heard([{}, { status: 429 }]).doubts()).toBe(0);
  });
});

describe('a refusal', () => {
  it('is a code and words, and nothing else is one', () => {
    expect(errorOf('{"code":-1121,"msg":"Invalid symbol."}')).toEqual({
      code: -1121,
      message: 'Invalid symbol.',
    });
    for (const text of ['', '[]', '<html></html>', '{"code":"x","msg":"y"}', '{"msg":"y"}', '{', 'null'])
      expect(errorOf(text)).toBeNull();
  });
});
