/**
 * Requests as ccxt sends them, and signatures made elsewhere: the emulator accepts what the exchange accepts.
 * Read from the shared data.
 */
import { describe, expect, it } from 'vitest';
import { withShared } from '../../support/shared-data.ts';
import { signOf, TEST_KEY } from './keys.ts';
import { testEmulator } from './support.ts';

interface Row {
  readonly venue: string;
  readonly market: string;
  readonly intent: string;
  readonly method: string;
  readonly path: string;
  readonly params: Record<string, string> & { readonly body?: unknown };
  readonly localError?: string;
}

/**
 * The exchange's answers to requests that are correct but not possible at this moment, or undocumented in
 * this form (see the notes).
 */
const SAID: Readonly<Record<string, string>> = {
  // Recorded with other prices and modes.
  'LIMIT BUY GTC net cross': '51006',
  'MARKET SELL reduceOnly': '51169',
  'hedge SELL closes LONG': '51000',
  'cancel by client id': '51400',
  'cancel conditional': '51400',
  'STOP_MARKET SELL': '51280',
  // No size is sent.
  'MARKET BUY quoteOrderQty': '50014',
  // Spot with `cross` is a margin order on levels 1 and 2.
  'STOP_LIMIT SELL': '51010',
  // `uly` is not a parameter any more, `instFamily` is required.
  'leverage tiers': '50014',
};

describe('requests', () => {
  it(
    'takes every request that ccxt sends, but for those the documents speak against',
    withShared('payloads/request-shapes-ccxt.json', 19, (text) => {
      const { rows } = JSON.parse(text) as { rows: Row[] };
      for (const row of rows.filter(({ venue, localError }) => venue === 'okx' && !localError)) {
        const { get, post, emulator } = testEmulator({
          balances: { USD: '100000', USDT: '100000', BTC: '1' },
        });
        const { body, ...query } = row.params;
        const answer =
          row.method === 'GET'
            ? get(row.path, query as Record<string, string>)
            : post(row.path, closer(body));
        const first = answer.body.data[0]?.sCode;
        expect([row.intent, first ?? answer.body.code]).toEqual([row.intent, SAID[row.intent] ?? '0']);
        expect(emulator.oddities.filter((odd) => !isKnown(odd))).toEqual([]);
      }
    }),
  );

  it(
    'verifies the signatures that were made elsewhere',
    withShared('payloads/signing-vectors.json', 2, (text) => {
      interface Vector {
        readonly venue: string;
        readonly payload: string;
        readonly signature?: string;
        readonly frame?: { readonly args: readonly { readonly sign: string }[] };
      }
      const { vectors } = JSON.parse(text) as { vectors: Vector[] };
      const ours = vectors.filter(({ venue }) => venue === 'okx');
      expect(ours).toHaveLength(2);
      for (const { payload, signature, frame } of ours)
        expect(signOf('SECRET', payload)).toBe(signature ?? frame?.args[0]?.sign);
    }),
  );

  it('signs with a key of its own', () => {
    expect(signOf(TEST_KEY.secret, 'a')).not.toBe(signOf(TEST_KEY.secret, 'b'));
  });
});

/**
 * Undocumented parts of ccxt's requests: `tgtCcy` on limit orders, numbers, a client id in the old field,
 * `uly`.
 */
function isKnown(odd: string): boolean {
  return /tgtCcy of a limit order|cost is not a parameter|clOrdId is not a parameter|clOrdId of an algo order|lever is number|uly is not/.test(
    odd,
  );
}

/** Moves the prices of a request inside the present band. */
function closer(body: unknown): unknown {
  const text = JSON.stringify(body);
  return JSON.parse(
    text.replace('"px":"70000"', '"px":"61000"').replace('"triggerPx":"31000"', '"triggerPx":"2600"'),
  );
}
