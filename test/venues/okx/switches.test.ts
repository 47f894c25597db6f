/** The dead-man switch, small balances and fees of an account of OKX: what is sent, and what each answer proves. */
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import { okxKind } from '../../../src/venues/okx/kind.ts';
import { Rig, type RigOptions } from './rig.ts';

const answer = (data: readonly unknown[], code = '0', status = 200): WireAnswer => ({
  kind: 'answer',
  status,
  headers: {},
  body: JSON.stringify({ code, msg: 'words', data }),
});
const LOST: WireAnswer = { kind: 'lost', cause: 'no answer' };
const queryOf = (path: string) => Object.fromEntries(new URL(path, 'https://x').searchParams);

describe('the dead-man switch', () => {
  const PATH = '/api/v5/trade/cancel-all-after';
  const armed = (rig: Rig, seconds = 30, symbol: string | null = null) =>
    rig.result(rig.venue.deadMan?.arm?.({ symbol, seconds }) ?? Promise.reject());

  it('counts for the orders of its account alone, by their tag, and is ended by zero', async () => {
    for (const [kind, tag] of [
      ['spot', 'outcryspot'],
      ['swap', 'outcryswap'],
    ] as const) {
      const rig = await new Rig({ kind }).open();
      expect(await armed(rig)).toEqual({ kind: 'done' });
      await rig.pass(2_000);
      expect(await armed(rig, 0)).toEqual({ kind: 'done' });
      expect(rig.bodies(PATH)).toEqual([
        { timeOut: '30', tag },
        { timeOut: '0', tag },
      ]);
      await rig.submit({ clientId: 'a', quantity: '0.01', price: '59000' });
      await rig.submit({ clientId: 'b', type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' });
      expect(rig.bodies('/api/v5/trade/order')).toMatchObject([{ tag, clOrdId: 'a' }]);
      expect(rig.bodies('/api/v5/trade/order-algo')).toMatchObject([{ tag, algoClOrdId: 'b' }]);
    }
  });

  it('of a single symbol is refused and not sent', async () => {
    const rig = await new Rig().open();
    expect(await armed(rig, 30, 'BTCUSDT')).toMatchObject({ kind: 'rejected', code: 'SYMBOL' });
    expect(rig.bodies(PATH)).toEqual([]);
  });

  it.each<[string, WireAnswer, object]>([
    ['yes', answer([{ triggerTime: '5', tag: 'x' }]), { kind: 'done' }],
    ['yes without its time', answer([{}]), { kind: 'unknown' }],
    [
      'yes under a status that is none of success',
      answer([{ triggerTime: '5' }], '0', 500),
      { kind: 'unknown' },
    ],
    ['a refusal', answer([], '50011'), { kind: 'rejected', code: '50011', message: 'words (50011)' }],
    ['too many tags', answer([], '51071'), { kind: 'rejected', code: '51071' }],
    ['a code that is new', answer([], '59999'), { kind: 'unknown', cause: 'words (59999)' }],
    ['a time-out', answer([], '50004'), { kind: 'unknown' }],
    ['nothing', LOST, { kind: 'unknown', cause: 'no answer' }],
    [
      'no connection',
      { kind: 'unsent', cause: 'refused' },
      { kind: 'rejected', code: 'UNSENT', message: 'refused' },
    ],
  ])('that is answered by %s is what that proves', async (_, given, outcome) => {
    const rig = await new Rig().open();
    rig.net.answers.set(PATH, () => given);
    expect(await armed(rig)).toMatchObject(outcome);
  });
});

describe('small balances', () => {
  const LIST = '/api/v5/trade/easy-convert-currency-list';
  const CONVERT = '/api/v5/trade/easy-convert';
  const converted = (rig: Rig, assets: readonly string[], to?: string) =>
    rig.result(rig.venue.conversion?.convert(assets, to) ?? Promise.reject());

  it('are those that can become OKB', async () => {
    const rig = await new Rig().open();
    const data = (toCcy: readonly string[], ...from: [string, string][]) => ({
      fromData: from.map(([fromCcy, fromAmt]) => ({ fromCcy, fromAmt })),
      toCcy,
    });
    rig.net.answers.set(LIST, () =>
      answer([data(['USDT', 'OKB'], ['ADA', '1.50'], ['DOGE', '2']), data(['USDT'], ['XRP', '3'])]),
    );
    const dust = { value: '0', toAsset: 'OKB', toAmount: '0' };
    expect(await rig.result(rig.venue.conversion?.list() ?? Promise.reject())).toEqual({
      assets: [
        { asset: 'ADA', free: '1.5', ...dust },
        { asset: 'DOGE', free: '2', ...dust },
      ],
    });
    rig.net.answers.set(LIST, () => LOST);
    expect(await rig.result(rig.venue.conversion?.list() ?? Promise.reject())).toBeNull();
    expect(rig.venue.conversion?.waitMs()).toBe(0);
  });

  it('become OKB five at a time, with all that came of it', async () => {
    const rig = await new Rig().open();
    const bodies: unknown[] = [];
    const row = (fromCcy: string, fillFromSz: string, fillToSz: string) => ({
      ...{ fromCcy, fillFromSz, fillToSz, toCcy: 'OKB', status: 'filled' },
    });
    rig.net.answers.set(CONVERT, ({ body = '' }) => {
      bodies.push(JSON.parse(body));
      return answer([row('A', '1.0', '0.10'), row('B', '2', '0.25')]);
    });
    expect(await converted(rig, ['A', 'B', 'C', 'D', 'E'])).toEqual({
      kind: 'done',
      dust: {
        converted: [
          { asset: 'A', amount: '1', received: '0.1', fee: '0' },
          { asset: 'B', amount: '2', received: '0.25', fee: '0' },
        ],
        ...{ toAsset: 'OKB', received: '0.35' },
      },
    });
    expect(bodies).toEqual([{ fromCcy: ['A', 'B', 'C', 'D', 'E'], toCcy: 'OKB' }]);
    for (const [assets, to] of [
      [['A', 'B', 'C', 'D', 'E', 'F'], 'OKB'],
      [['A'], 'USDT'],
    ] as const)
      expect(await converted(rig, assets, to)).toMatchObject({ kind: 'rejected', code: 'FORM' });
    expect(bodies).toHaveLength(1);
    for (const [given, outcome] of [
      [answer([], '51008'), { kind: 'rejected', code: '51008', message: 'words (51008)' }],
      [answer([], '59999'), { kind: 'unknown', cause: 'words (59999)' }],
      [LOST, { kind: 'unknown', cause: 'no answer' }],
    ] as const) {
      rig.net.answers.set(CONVERT, () => given);
      await rig.pass(3_000);
      expect(await converted(rig, ['A'])).toMatchObject(outcome);
    }
  });

  it('are none of contracts, nor of demo trading', async () => {
    expect(new Rig({ kind: 'swap' }).venue.conversion).toBeUndefined();
    expect(new Rig({ environment: 'demo' }).venue.conversion).toBeUndefined();
    expect(new Rig().venue.conversion).toBeDefined();
    expect([
      new Rig().venue.futures === undefined,
      new Rig({ kind: 'swap' }).venue.futures === undefined,
    ]).toEqual([true, false]);
  });
});

it('the addresses of live and demo are those of the documents, and both markets share one wallet', () => {
  const kind = okxKind(new Rig().net);
  const sockets = (host: string) =>
    ['public', 'private', 'business'].map((name) => `wss://${host}:8443/ws/v5/${name}`);
  expect(kind.endpoints.map(({ name, protocol }) => `${name} ${protocol}`)).toEqual([
    'rest http',
    'public-stream ws',
    'private-stream ws',
    'business-stream ws',
  ]);
  const of = (environment: 'live' | 'demo') => kind.endpoints.map(({ addresses }) => addresses[environment]);
  expect(of('live')).toEqual(['https://openapi.okx.com', ...sockets('ws.okx.com')]);
  expect(of('demo')).toEqual(['https://openapi.okx.com', ...sockets('wspap.okx.com')]);
  expect([kind.sharedWallet, kind.markets]).toEqual([true, ['spot', 'swap']]);
  expect(kind.credentials.map(({ name }) => name)).toEqual(['apiKey', 'secret', 'passphrase']);
  const [spot, swap] = [new Rig().venue.caps, new Rig({ kind: 'swap' }).venue.caps];
  expect([spot.idPrefix, swap.idPrefix]).toEqual(['os', 'ow']);
});

describe('fees', () => {
  it.each<[RigOptions['kind'], object, object | null]>([
    [
      'spot',
      {
        feeGroup: [
          { maker: '-0.0008', taker: '0.001' },
          { maker: '-1', taker: '-1' },
        ],
      },
      { maker: '0.0008', taker: '-0.001' },
    ],
    [
      'spot',
      { maker: '-0.1', taker: '-0.2', makerU: '-0.3', takerU: '-0.4' },
      { maker: '0.1', taker: '0.2' },
    ],
    [
      'swap',
      { maker: '-0.1', taker: '-0.2', makerU: '-0.3', takerU: '-0.4' },
      { maker: '0.3', taker: '0.4' },
    ],
    ['swap', { maker: '-0.1', taker: '-0.2', makerU: '', takerU: '' }, { maker: '0.1', taker: '0.2' }],
    ['swap', { maker: '-0.1', taker: '-0.2', makerU: '-0.3', takerU: '' }, { maker: '0.1', taker: '0.2' }],
    ['spot', { maker: '-0.1', taker: '' }, null],
    ['spot', { maker: '', taker: '-0.1' }, null],
    ['spot', { feeGroup: [{ maker: '', taker: '-0.1' }] }, null],
  ])('of %s in %o are %o', async (kind, row, rates) => {
    const rig = await new Rig(kind ? { kind } : {}).open();
    let query: Record<string, string> = {};
    rig.net.answers.set('/api/v5/account/trade-fee', ({ path }) => {
      query = queryOf(path);
      return answer([row]);
    });
    expect(await rig.result(rig.venue.feeRates?.() ?? Promise.reject())).toEqual(rates);
    expect(query).toEqual(
      kind === 'spot'
        ? { instType: 'SPOT', instId: 'BTC-USDT' }
        : { instType: 'SWAP', instFamily: 'BTC-USDT' },
    );
    rig.net.answers.set('/api/v5/account/trade-fee', () => LOST);
    expect(await rig.result(rig.venue.feeRates?.() ?? Promise.reject())).toBeNull();
  });

  it('are those of BTC in USDT, else of the first pair in USDT, else of the first', async () => {
    const row = (baseCcy: string, quoteCcy: string) => ({
      ...{ instId: `${baseCcy}-${quoteCcy}`, instType: 'SPOT', baseCcy, quoteCcy, tickSz: '1', lotSz: '1' },
      ...{ minSz: '1', maxLmtSz: '9', state: 'live' },
    });
    const [eur, ada, btc, btcEur] = [
      row('ADA', 'EUR'),
      row('ADA', 'USDT'),
      row('BTC', 'USDT'),
      row('BTC', 'EUR'),
    ];
    for (const [rows, instId] of [
      [[btcEur, ada, btc], 'BTC-USDT'],
      [[btcEur, eur, ada], 'ADA-USDT'],
      [[eur, btcEur], 'ADA-EUR'],
    ] as const) {
      const rig = new Rig();
      rig.net.answers.set('/api/v5/public/instruments', () => answer(rows));
      await rig.open();
      let query: Record<string, string> = {};
      rig.net.answers.set('/api/v5/account/trade-fee', ({ path }) => {
        query = queryOf(path);
        return answer([]);
      });
      expect(await rig.result(rig.venue.feeRates?.() ?? Promise.reject())).toBeNull();
      expect(query.instId).toBe(instId);
    }
  });
});
