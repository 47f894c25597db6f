/**
 * Requests as ccxt sends them, and signatures made elsewhere: the emulator accepts what the exchange accepts.
 * Read from the shared data.
 */
import { describe, expect, it } from 'vitest';
import { withShared } from '../../support/shared-data.ts';
import { Keys, restPayload } from './keys.ts';
import { testEmulator } from './support.ts';

interface Row {
  readonly venue: string;
  readonly market: string;
  readonly intent: string;
  readonly method: string;
  readonly path: string;
  readonly params?: Record<string, string>;
  readonly localError?: string;
}

/** The exchange's answers to requests that are correct, but not possible at this moment. */
const IN_ORDER: Readonly<Record<string, number>> = {
  'cancel by client id': -2011,
  'query by client id': -2013,
  'dust convert': -9000,
  'MARKET SELL reduceOnly': -2022,
  'hedge MARKET SELL closes LONG': -4061,
  'hedge MARKET BUY opens LONG': -4061,
  'cancel regular by client id': -2011,
  'cancel conditional by client id': -2011,
};

describe('requests', () => {
  it(
    'takes every request that ccxt sends',
    withShared('payloads/request-shapes-ccxt.json', 36, (text) => {
      const { rows } = JSON.parse(text) as { rows: Row[] };
      for (const row of rows.filter(
        ({ venue, localError }) => venue === 'binance' && localError === undefined,
      )) {
        const { emulator, signed } = testEmulator({ spotBalances: { USDT: '100000', BTC: '1' } });
        emulator.printFutures('ETHUSDT', '2100');
        // A recorded time would not fit; the emulator has a virtual clock.
        const params = Object.fromEntries(
          Object.entries(row.params ?? {}).map(([name, value]) => [name, closer(name, value)]),
        );
        const { body, status } = signed(row.method, row.path, params);
        const said = [row.market, row.intent, status === 200 ? 200 : body.code, body.msg ?? ''];
        expect(said.slice(0, 3)).toEqual([row.market, row.intent, IN_ORDER[row.intent] ?? 200]);
      }
    }),
  );

  it(
    'verifies the signatures that were made elsewhere',
    withShared('payloads/signing-vectors.json', 4, (text) => {
      interface Vector {
        readonly venue: string;
        readonly kind: string;
        readonly payload: string;
        readonly signature: string;
        readonly publicKeyHex?: string;
      }
      const { vectors } = JSON.parse(text) as { vectors: Vector[] };
      const ours = vectors.filter(({ venue }) => venue === 'binance');
      const publicKey = ours.find(({ publicKeyHex }) => publicKeyHex)?.publicKeyHex;
      const keys = new Keys([
        { apiKey: 'hmacAPIKEY', secret: 'SECRET' },
        { apiKey: 'edAPIKEY', publicKey },
      ]);
      for (const { kind, payload, signature } of ours) {
        const key = keys.of(kind.includes('HMAC') ? 'hmacAPIKEY' : 'edAPIKEY');
        expect(() => keys.verify(key, payload, signature)).not.toThrow();
        expect(() => keys.verify(key, `${payload}0`, signature)).toThrow('Signature');
      }
    }),
  );

  it('signs over query and body as they came, wherever the signature stands', () => {
    expect(restPayload('a=1&signature=x', '')).toEqual({ payload: 'a=1', signature: 'x' });
    expect(restPayload('a=1', 'b=2&signature=%2B')).toEqual({ payload: 'a=1b=2', signature: '+' });
  });
});

function closer(name: string, value: string): string {
  if (name === 'price' && Number(value) > 2_400 && Number(value) < 5_000) return '2200';
  if (name === 'price' && value === '2000') return '2095';
  return value;
}
