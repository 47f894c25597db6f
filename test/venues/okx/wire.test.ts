/**
 * Requests to OKX: ids, signatures, bodies, budgets, codes. Vectors are from the documents and from this
 * project.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { formOf } from '../../../src/domain/order-form.ts';
import { rejectKind } from '../../../src/domain/reject-code.ts';
import { isOwnForm, orderId } from '../../../src/engine/order-ids.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import { ABSENCE_ROWS } from '../../../src/venues/okx/absence.ts';
import { idOfWire, wireIdOf } from '../../../src/venues/okx/client-ids.ts';
import { OKX_CODE_ROWS, OKX_CODES } from '../../../src/venues/okx/codes.ts';
import { okxDialect, refusalOf, verdictOf } from '../../../src/venues/okx/dialect.ts';
import { OKX_SPOT_CAPS, OKX_SWAP_CAPS } from '../../../src/venues/okx/forms.ts';
import type { Listing } from '../../../src/venues/okx/instruments.ts';
import { readInstruments } from '../../../src/venues/okx/instruments.ts';
import { OKX, OKX_PRICE_REQUESTS, OKX_REQUESTS } from '../../../src/venues/okx/requests.ts';
import { wireOrder } from '../../../src/venues/okx/wire-order.ts';
import { INSTRUMENTS, instrumentRow } from '../../emulators/okx/instruments.ts';
import { withShared } from '../../support/shared-data.ts';
import { secretsOf } from './rig.ts';

const listings = (['spot', 'swap'] as const).flatMap((kind) => {
  const read = readInstruments(
    JSON.stringify({ code: '0', data: INSTRUMENTS.map(instrumentRow) }),
    'mine',
    kind,
  );
  if (!read.ok) throw new Error(read.problem);
  return read.value.listings;
});
const listingOf = (instId: string): Listing => {
  const found = listings.find((one) => one.instId === instId);
  if (!found) throw new Error(instId);
  return found;
};
const SPOT = { kind: 'spot', listing: listingOf('BTC-USDT'), tdMode: 'cash' } as const;
const SWAP = { kind: 'swap', listing: listingOf('BTC-USDT-SWAP'), tdMode: 'cross' } as const;

function order(more: Partial<ExchangeOrder>): ExchangeOrder {
  const id = 'os-abcde0000000012345678a';
  return {
    clientId: id,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    ...more,
  } as ExchangeOrder;
}

interface Vector {
  readonly venue: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly frame?: unknown;
}

describe('ids of orders', () => {
  const digits = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'),
    minLength: 22,
    maxLength: 22,
  });
  const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const run = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 10 });

  it('are letters and digits, 32 at most, and come back as they were, with a run and without', () => {
    fc.assert(
      fc.property(digits, fc.option(run), (own, of) => {
        const id = `os-${own}${of === null ? '' : `_${of}`}`;
        const wire = wireIdOf(id) ?? '';
        expect(wire).toMatch(/^[0-9A-Za-z]{24,32}$/);
        expect(idOfWire(wire)).toBe(id);
      }),
    );
  });

  it('are told apart: no two have one, whatever else is sent', () => {
    const id = fc.oneof(
      digits.map((own) => `os-${own}`),
      fc.tuple(digits, run).map(([own, of]) => `os-${own}_${of}`),
      fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 33 }),
    );
    fc.assert(
      fc.property(id, id, (a, b) => {
        const [one, two] = [wireIdOf(a), wireIdOf(b)];
        if (a !== b && one !== null) expect(one).not.toBe(two);
        if (one !== null) expect(idOfWire(one)).toBe(a);
      }),
    );
  });

  it('made by the engine are such, with the longest run too', () => {
    const id = orderId('ow', 'abcde', Date.UTC(2058, 0), 'zzzzzzzzzz', 1_023);
    expect(isOwnForm('ow', id)).toBe(true);
    for (const one of [id, `${id}_zzzzzzzzzz`, `${id}_0`])
      expect([wireIdOf(one)?.length, idOfWire(wireIdOf(one) ?? '')]).toEqual([one === id ? 24 : 32, one]);
  });

  it('that OKX does not take are not sent, and those of others stay as they are', () => {
    for (const id of ['has-hyphen', 'under_score', 'a'.repeat(33), '', 'os-short'])
      expect(wireIdOf(id)).toBeNull();
    for (const id of ['b15', 'A1', '706620792746729474', 'x'.repeat(32)]) expect(idOfWire(id)).toBe(id);
    expect(wireOrder(order({ clientId: 'bs-test-1', quantity: '1', price: '1' }), SPOT)).toMatchObject({
      kind: 'rejected',
      reason: 'UNSUPPORTED',
    });
  });
});

describe('a request', () => {
  const stamp = Date.UTC(2023, 10, 14, 22, 13, 20);
  const write = (
    form: RequestForm,
    parameters: Record<string, string>,
    environment: 'live' | 'demo' = 'live',
  ) => okxDialect(environment).write(form, parameters, { secrets: secretsOf(), stamp });

  it(
    'and a login are signed as the vectors are',
    withShared('payloads/signing-vectors.json', 2, (text) => {
      const all = JSON.parse(text) as { readonly vectors: readonly Vector[] };
      const vectors = all.vectors.filter(({ venue }) => venue === 'okx');
      const [rest, socket] = vectors;
      const secrets = secretsOf({ apiKey: 'APIKEY', passphrase: 'PASSPHRASE', secret: 'SECRET' });
      const body = JSON.parse(String(rest?.body)) as Record<string, string>;
      const written = okxDialect('live').write(OKX.place, body, { secrets, stamp });
      expect(written.body).toBe(rest?.body);
      expect(written.headers).toMatchObject(rest?.headers ?? {});
      const frame = okxDialect('live').frame?.(OKX.login, {}, { secrets, stamp, id: '1' });
      expect(JSON.parse(frame ?? '')).toEqual(socket?.frame);
    }),
  );

  it('has its parameters in the path or in a body, flags as booleans, lists as lists', () => {
    expect(write(OKX.order, { instId: 'BTC-USDT', clOrdId: 'a1' }).path).toBe(
      '/api/v5/trade/order?instId=BTC-USDT&clOrdId=a1',
    );
    expect(write(OKX.tiers, { instFamily: 'BTC-USDT,ETH-USDT' }).path).toContain('BTC-USDT%2CETH-USDT');
    expect(write(OKX.cancelAlgos, { instId: 'A\nA', algoId: '1\n2' }).body).toBe(
      '[{"instId":"A","algoId":"1"},{"instId":"A","algoId":"2"}]',
    );
    expect(write(OKX.convert, { fromCcy: 'ADA\nUSDC', toCcy: 'OKB' }).body).toBe(
      '{"fromCcy":["ADA","USDC"],"toCcy":"OKB"}',
    );
    expect(write(OKX.place, { sz: '1', reduceOnly: 'true' }).body).toBe('{"sz":"1","reduceOnly":true}');
  });

  it('that places or changes an order names until when it is taken, and no other does', () => {
    for (const form of OKX_REQUESTS.filter(({ method }) => method !== 'WS')) {
      const { headers } = write(form, {});
      const isOrder = form === OKX.place || form === OKX.amend;
      expect([form.path, headers.expTime]).toEqual([form.path, isOrder ? String(stamp + 5_000) : undefined]);
      expect(headers['OK-ACCESS-KEY'] !== undefined).toBe(form.security === 'signed');
    }
  });

  it('to log in is of the second in which it is signed', () => {
    const given = { secrets: secretsOf(), stamp: stamp + 999, id: '1' };
    const frame = JSON.parse(okxDialect('live').frame?.(OKX.login, {}, given) ?? '{}');
    expect(frame).toMatchObject({ op: 'login', args: [{ timestamp: String(stamp / 1_000) }] });
  });

  it('to demo trading says so', () => {
    expect(write(OKX.time, {}, 'demo').headers).toEqual({ 'x-simulated-trading': '1' });
    expect(write(OKX.time, {}).headers).toEqual({});
  });

  it('has a source, a limit and a way of its own', () => {
    const all = [...OKX_REQUESTS, ...OKX_PRICE_REQUESTS];
    for (const form of all) {
      expect(form.source).toMatch(/^OD /);
      expect(form.weight).not.toBe('');
      for (const { row, amount } of form.costs({ instId: 'A\nB' }, 'me')) {
        expect(row.limit - row.spare).toBeGreaterThanOrEqual(amount);
        expect(row.stops).toBe('orders');
      }
    }
    const keys = new Set(
      all.map(({ method, path, endpoint, name }) => `${method} ${path} ${endpoint} ${name}`),
    );
    expect(keys.size).toBe(new Set(all).size);
  });

  it('of an instrument is counted for that, orders for the sub-account as well', () => {
    const of = (instId: string) =>
      OKX.place.costs({ instId }, 'me').map(({ row, of: whose }) => [row.name, whose]);
    expect(of('BTC-USDT')).toEqual([
      ['place 2 s', 'me BTC-USDT'],
      ['orders 2 s', 'me'],
    ]);
    expect(OKX.cancelBatch.costs({ instId: 'A\nA\nA' }, 'me')[0]?.amount).toBe(3);
  });
});

describe('an order', () => {
  const sent = (more: Partial<ExchangeOrder>, as: typeof SPOT | typeof SWAP) => {
    const wire = wireOrder(order(more), as);
    if (wire.kind === 'rejected') throw new Error(wire.message);
    for (const name of Object.keys(wire.parameters)) expect(wire.form.parameters).toContain(name);
    const { clOrdId: _id, algoClOrdId: _algo, tag: _tag, instId: _instId, ...rest } = wire.parameters;
    return [wire.form === OKX.placeAlgo ? 'algo' : 'order', rest];
  };
  const spot = { tdMode: 'cash', side: 'buy' };
  const swap = { tdMode: 'cross', side: 'buy' };

  it.each<[string, Partial<ExchangeOrder>, typeof SPOT | typeof SWAP, unknown]>([
    [
      'limit',
      { quantity: '0.02', price: '5' },
      SPOT,
      ['order', { ...spot, ordType: 'limit', sz: '0.02', px: '5' }],
    ],
    [
      'IOC',
      { quantity: '1', price: '5', timeInForce: 'IOC' },
      SPOT,
      ['order', { ...spot, ordType: 'ioc', sz: '1', px: '5' }],
    ],
    [
      'FOK',
      { quantity: '1', price: '5', timeInForce: 'FOK' },
      SPOT,
      ['order', { ...spot, ordType: 'fok', sz: '1', px: '5' }],
    ],
    [
      'post-only',
      { type: 'LIMIT_MAKER', quantity: '1', price: '5' },
      SPOT,
      ['order', { ...spot, ordType: 'post_only', sz: '1', px: '5' }],
    ],
    [
      'market by base',
      { type: 'MARKET', quantity: '1' },
      SPOT,
      ['order', { ...spot, ordType: 'market', sz: '1', tgtCcy: 'base_ccy', banAmend: 'true' }],
    ],
    [
      'market by amount',
      { type: 'MARKET', quoteOrderQty: '50' },
      SPOT,
      ['order', { ...spot, ordType: 'market', sz: '50', tgtCcy: 'quote_ccy', banAmend: 'true' }],
    ],
    [
      'spot stop that buys',
      { type: 'STOP_MARKET', quantity: '1', stopPrice: '7' },
      SPOT,
      [
        'algo',
        {
          ...spot,
          ordType: 'conditional',
          sz: '1',
          slTriggerPx: '7',
          slOrdPx: '-1',
          slTriggerPxType: 'last',
          tgtCcy: 'base_ccy',
        },
      ],
    ],
    [
      'spot stop that sells',
      { type: 'STOP_MARKET', side: 'SELL', quantity: '1', stopPrice: '7', positionSide: 'LONG' },
      SPOT,
      [
        'algo',
        {
          ...{ ...spot, side: 'sell', ordType: 'conditional', sz: '1' },
          ...{ slTriggerPx: '7', slOrdPx: '-1', slTriggerPxType: 'last' },
        },
      ],
    ],
    [
      'spot stop that buys at a price',
      { type: 'STOP_LIMIT', quantity: '1', stopPrice: '7', price: '8', workingType: 'MARK_PRICE' },
      SPOT,
      [
        'algo',
        {
          ...{ ...spot, ordType: 'conditional', sz: '1' },
          ...{ slTriggerPx: '7', slOrdPx: '8', slTriggerPxType: 'last' },
        },
      ],
    ],
    [
      'trailing from the start that closes in hedge mode',
      {
        ...{ type: 'STOP_MARKET', side: 'SELL', quantity: '0.02', trailingDelta: 100 },
        ...{ reduceOnly: true, positionSide: 'LONG' },
      },
      SWAP,
      [
        'algo',
        {
          ...swap,
          side: 'sell',
          posSide: 'long',
          ordType: 'move_order_stop',
          sz: '2',
          callbackRatio: '0.01',
        },
      ],
    ],
    [
      'contracts',
      { type: 'MARKET', quantity: '0.02' },
      SWAP,
      ['order', { ...swap, ordType: 'market', sz: '2' }],
    ],
    [
      'a part of a contract',
      { type: 'MARKET', quantity: '0.0001' },
      SWAP,
      ['order', { ...swap, ordType: 'market', sz: '0.01' }],
    ],
    [
      'reduce-only',
      { type: 'MARKET', quantity: '0.02', reduceOnly: true },
      SWAP,
      ['order', { ...swap, ordType: 'market', sz: '2', reduceOnly: 'true' }],
    ],
    [
      'close in hedge mode',
      { type: 'MARKET', quantity: '0.02', reduceOnly: true, positionSide: 'SHORT' },
      SWAP,
      ['order', { ...swap, posSide: 'short', ordType: 'market', sz: '2' }],
    ],
    [
      'take-profit limit by mark',
      { type: 'TAKE_PROFIT_LIMIT', quantity: '0.02', price: '6', stopPrice: '7' },
      SWAP,
      [
        'algo',
        { ...swap, ordType: 'conditional', sz: '2', tpTriggerPx: '7', tpOrdPx: '6', tpTriggerPxType: 'mark' },
      ],
    ],
    [
      'stop of all by last',
      { type: 'STOP_MARKET', stopPrice: '7', closePosition: true, workingType: 'CONTRACT_PRICE' },
      SWAP,
      [
        'algo',
        {
          ...swap,
          ordType: 'conditional',
          closeFraction: '1',
          slTriggerPx: '7',
          slOrdPx: '-1',
          slTriggerPxType: 'last',
          reduceOnly: 'true',
        },
      ],
    ],
    [
      'trailing',
      { type: 'STOP_MARKET', quantity: '0.02', trailingDelta: 25, activationPrice: '9' },
      SWAP,
      ['algo', { ...swap, ordType: 'move_order_stop', sz: '2', callbackRatio: '0.0025', activePx: '9' }],
    ],
  ])('that is %s is written so', (_, more, as, wire) => {
    expect(sent(more, as)).toEqual(wire);
  });

  it.each<[string, Partial<ExchangeOrder>, typeof SPOT | typeof SWAP]>([
    [
      'is no number of contracts',
      { type: 'MARKET', quantity: '0.1' },
      { ...SWAP, listing: { ...SWAP.listing, unit: 3n * 10n ** 28n } } as never,
    ],
    ['is an iceberg', { quantity: '1', price: '5', icebergQty: '0.1' }, SPOT],
    ['has an end date', { quantity: '1', price: '5', goodTillDate: 1 }, SPOT],
    ['is of an amount of contracts', { type: 'MARKET', quoteOrderQty: '50' }, SWAP],
    [
      'waits for a trigger and is IOC',
      { type: 'STOP_LIMIT', quantity: '1', price: '5', stopPrice: '4', timeInForce: 'IOC' },
      SPOT,
    ],
    ['has no size', { type: 'MARKET' }, SWAP],
    ['has a size of nothing', { quantity: '0', price: '5' }, SPOT],
    ['closes all at a price', { type: 'STOP_LIMIT', stopPrice: '7', price: '6', closePosition: true }, SWAP],
    ['closes all and trails', { type: 'STOP_MARKET', trailingDelta: 50, closePosition: true }, SWAP],
    ['closes all at once', { type: 'MARKET', closePosition: true }, SWAP],
    ['reduces on spot', { type: 'MARKET', quantity: '1', reduceOnly: true }, SPOT],
  ])('that %s is refused in words and not sent', (_, more, as) => {
    expect(wireOrder(order(more), as)).toMatchObject({
      kind: 'rejected',
      reason: 'UNSUPPORTED',
      message: expect.stringMatching(/^not sent: /),
    });
  });
});

describe('codes', () => {
  it('that are in no row, or say that nobody knows, are unknown for a send', () => {
    for (const code of ['50004', '50026', '51054', '51149', '51016', '51065', '99999', '51410'])
      expect(OKX_CODES.meaning('submit', { code, message: '' }).kind).toBe('unknown');
  });

  it('never end a run for what passes, and name their source', () => {
    for (const { code, outcome, reason, source } of OKX_CODE_ROWS) {
      expect([code, source]).toEqual([code, expect.stringMatching(/^ERR/)]);
      if (outcome === 'rejected' && /try again|busy|rate/i.test(source))
        expect([code, rejectKind(reason)]).toEqual([code, 'passing']);
    }
  });

  it('of a row decide over the outer one, also where that says yes', () => {
    const answer = (code: string, sCode: string) =>
      verdictOf(JSON.stringify({ code, msg: '', data: [{ sCode, sMsg: 'x' }] }));
    const refusal = (code: string, sCode: string) => {
      const verdict = answer(code, sCode);
      return verdict && refusalOf(verdict);
    };
    expect(refusal('0', '51000')).toEqual({ code: '51000', message: 'x' });
    expect(refusal('1', '51008')?.code).toBe('51008');
    expect(refusal('0', '0')).toBeNull();
    for (const text of ['', '<html>', '[]', '{"code":7}', '{"msg":"x"}']) expect(verdictOf(text)).toBeNull();
  });
});

describe('what the accounts do by themselves', () => {
  const asking = (type: ExchangeOrder['type'], more: object = {}) => ({
    order: { type, ...more },
    instrument: { symbol: 'BTCUSDT', orderTypes: [] },
    now: 0,
    waiting: () => 0,
  });

  it('is in rows: stops are native, trailing ones of contracts by the last price, end dates held', () => {
    const { forms: spot } = OKX_SPOT_CAPS;
    const { forms: swap } = OKX_SWAP_CAPS;
    for (const forms of [spot, swap]) {
      expect(formOf(forms, 'type', asking('STOP_MARKET')).form).toBe('native');
      expect(formOf(forms, 'type', { ...asking('STOP_MARKET'), waiting: () => 100 }).form).toBe('held');
      expect(formOf(forms, 'end date', asking('LIMIT')).form).toBe('held');
      expect(formOf(forms, 'iceberg', asking('LIMIT')).form).toBe('refused');
    }
    const trails = (workingType: string, trailingDelta: number) =>
      formOf(swap, 'trailing', asking('STOP_MARKET', { workingType, trailingDelta })).form;
    expect([trails('CONTRACT_PRICE', 50), trails('MARK_PRICE', 50), trails('CONTRACT_PRICE', 5)]).toEqual([
      'native',
      'held',
      'held',
    ]);
    expect(formOf(spot, 'trailing', asking('STOP_MARKET', { trailingDelta: 50 })).form).toBe('held');
    expect(formOf(spot, 'quote amount', asking('MARKET')).form).toBe('native');
    expect(formOf(swap, 'quote amount', asking('MARKET')).form).toBe('refused');
  });

  it('and what proves absence have a source each', () => {
    for (const row of ABSENCE_ROWS) {
      expect(row.source).not.toBe('');
      expect(row.keptMs).toBeGreaterThan(row.validMs + row.settleMs);
    }
  });
});
