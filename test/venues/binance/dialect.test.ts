/** The wire format of a Binance request: the signed bytes are the sent bytes. */
import { describe, expect, it } from 'vitest';
import { binanceDialect, errorOf, REPEATED } from '../../../src/venues/binance/dialect.ts';
import { SPOT_ORDERS_10S, SPOT_WEIGHT } from '../../../src/venues/binance/spot/budgets.ts';
import { SPOT } from '../../../src/venues/binance/spot/requests.ts';
import { hmac } from '../../../src/venues/kit/signing.ts';
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
