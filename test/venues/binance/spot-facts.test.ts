/**
 * What a spot account of Binance says of itself: balances, fees, rights of its key, moves of its wallet, small
 * balances, and in which order it asks for all that when it opens.
 */
import { describe, expect, it } from 'vitest';
import { HandAnswers } from './hand-answers-support.ts';
import { SpotCase } from './spot-support.ts';

const ACCOUNT = 'GET /api/v3/account';
const INFO = 'GET /api/v3/exchangeInfo';
const COMMISSION = 'GET /api/v3/account/commission';
const RIGHTS = 'GET /sapi/v1/account/apiRestrictions';
const DUST = 'POST /sapi/v1/asset/dust';
const HOUR = 3_600_000;

async function opened() {
  const c = await new SpotCase().open();
  return { c, hand: new HandAnswers(c.net) };
}

const has = (balances: readonly (readonly [string, string, string])[], more: object = {}) => ({
  updateTime: 0,
  uid: 42,
  balances: balances.map(([asset, free, locked]) => ({ asset, free, locked })),
  ...more,
});

describe('opening a spot account', () => {
  it('measures the clock, then listens, then asks for what is traded and for the account', async () => {
    const c = new SpotCase();
    const hand = new HandAnswers(c.net);
    const socket = c.net.socket.bind(c.net);
    c.net.socket = (request, events) => {
      before.push(...hand.names());
      return socket(request, events);
    };
    const before: string[] = [];
    await c.open();
    expect(before).toEqual(['GET /api/v3/time']);
    expect(hand.asked()).toEqual([
      { name: INFO, parameters: { showPermissionSets: 'false' } },
      { name: ACCOUNT, parameters: { omitZeroBalances: 'true' } },
    ]);
  });

  it.each<[string, string, unknown, RegExp]>([
    ['no instrument at all', INFO, { symbols: [] }, /names nothing that is traded/],
    ['a list that cannot be read', INFO, { symbols: 1 }, /what is traded cannot be read/],
    ['an account that cannot be read', ACCOUNT, { balances: 1 }, /updateTime|balances/],
    ['a time that is none', 'GET /api/v3/time', {}, /cannot be read \(HTTP 200\)/],
  ])('fails with %s, and all is closed', async (_, name, body, why) => {
    const c = new SpotCase();
    new HandAnswers(c.net).on(name, body);
    await expect(c.open()).rejects.toThrow(why);
    expect([c.net.sockets, c.states, c.balances]).toEqual([0, [], []]);
    // Nothing runs on by itself.
    const hand = new HandAnswers(c.net);
    await c.clock.advance(HOUR);
    expect(hand.names()).toEqual([]);
  });

  it('tells what happened meanwhile after it, in order and once', async () => {
    const c = new SpotCase();
    const hand = new HandAnswers(c.net);
    let toldWhileOpening = 0;
    const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01' };
    const request = c.net.request;
    c.net.request = async (asked) => {
      const answer = await request(asked);
      if (!asked.path.startsWith('/api/v3/account')) return answer;
      for (const [at, price] of ['50000', '50001', '50002'].entries())
        c.ask('POST', '/api/v3/order', { ...order, price, newClientOrderId: `web-${at}` });
      await new Promise<void>((resolve) => c.clock.after(50, resolve));
      toldWhileOpening = c.states.length;
      return answer;
    };
    await c.open();
    expect(toldWhileOpening).toBe(0);
    expect(c.states.map(({ clientId }) => clientId)).toEqual(['web-0', 'web-1', 'web-2']);
    expect(c.stream).toEqual(['up']);
    expect(hand.names()).toContain(ACCOUNT);
  });

  it('reads what is traded again each hour, and keeps the list where that fails', async () => {
    const { c, hand } = await opened();
    const count = c.venue.instruments().length;
    for (let times = 1; times <= 2; times++) {
      await c.clock.advance(HOUR - 1_000);
      expect(hand.names()).not.toContain(INFO);
      await c.clock.advance(1_050);
      expect(hand.names()).toEqual([INFO]);
      expect(c.lists).toHaveLength(times);
    }
    hand.on(INFO, 'busy', 500);
    c.venue.relist?.();
    await c.clock.advance(100);
    expect([c.lists.length, c.venue.instruments().length]).toEqual([2, count]);
    expect(c.reports.at(-1)).toMatch(/^mine-spot: what is traded: /);
    await c.venue.close();
    hand.asked();
    c.venue.relist?.();
    await c.clock.advance(HOUR);
    expect(hand.names()).toEqual([]);
  });

  it('keeps to the limits that the exchange states', async () => {
    const c = new SpotCase();
    const limit = (rateLimitType: string, interval: string, intervalNum: number, of: number) => ({
      ...{ rateLimitType, interval, intervalNum, limit: of },
    });
    const hand = new HandAnswers(c.net);
    const request = c.net.request;
    c.net.request = async (asked) => {
      const answer = await request(asked);
      if (!asked.path.startsWith('/api/v3/exchangeInfo') || answer.kind !== 'answer') return answer;
      const body = JSON.parse(answer.body) as object;
      const rateLimits = [
        limit('REQUEST_WEIGHT', 'MINUTE', 1, 5_000),
        limit('ORDERS', 'SECOND', 10, 70),
        limit('ORDERS', 'DAY', 1, 90_000),
        limit('ORDERS', 'MINUTE', 1, 3),
        limit('RAW_REQUESTS', 'MINUTE', 5, 4),
      ];
      return { ...answer, body: JSON.stringify({ ...body, rateLimits }) };
    };
    await c.open();
    expect(hand.names()).toContain(INFO);
    await c.submit({ quantity: '0.01', price: '59000' });
    const limits = c.venue.health?.().budgets.map(({ name, limit: most }) => [name, most]);
    expect(new Map(limits as [string, number][])).toEqual(
      new Map([
        ['spot weight 1 min', 5_000],
        ['spot orders 10 s of 354937868', 70],
        ['spot orders 1 d of 354937868', 90_000],
      ]),
    );
  });
});

describe('balances of a spot account', () => {
  it('are told without zeros, with the time of the last change, and with zero for what is gone', async () => {
    const { c, hand } = await opened();
    hand.on(
      ACCOUNT,
      has([
        ['LTC', '1.50', '0.25'],
        ['USDT', '10.0', '0.00'],
      ]),
    );
    expect(await c.result(c.venue.balances())).toEqual([
      { asset: 'LTC', free: '1.5', locked: '0.25' },
      { asset: 'USDT', free: '10', locked: '0' },
    ]);
    hand.on(ACCOUNT, has([['BNB', '3', '1.0']], { updateTime: 77 }));
    expect(await c.result(c.venue.balances())).toEqual([
      { asset: 'BNB', free: '3', locked: '1', time: 77 },
      { asset: 'LTC', free: '0', locked: '0', time: 77 },
      { asset: 'USDT', free: '0', locked: '0', time: 77 },
    ]);
    expect(hand.asked()).toEqual(Array(2).fill({ name: ACCOUNT, parameters: { omitZeroBalances: 'true' } }));
    hand.on(ACCOUNT, has([['BNB', 'all', '1.0']]));
    expect(await c.result(c.venue.balances())).toBeNull();
    hand.on(ACCOUNT, has([]), 500);
    expect(await c.result(c.venue.balances())).toBeNull();
  });

  it('and the number of the account are what it says; without a number nobody knows', async () => {
    const { c, hand } = await opened();
    const identity = () => c.result(c.venue.identity?.() ?? Promise.reject());
    for (const [uid, id] of [
      [354937868, '354937868'],
      ['9223372036854775807', '9223372036854775807'],
    ] as const) {
      hand.on(ACCOUNT, has([], { uid }));
      expect(await identity()).toEqual({ id });
    }
    const { uid: _, ...nameless } = has([]);
    hand.on(ACCOUNT, nameless);
    expect(await identity()).toBeNull();
    hand.on(ACCOUNT, has([]), 500);
    expect(await identity()).toBeNull();
  });
});

describe('fees of a spot account', () => {
  const rates = (maker: string, taker: string, buyer: string, seller: string) => ({
    ...{ maker, taker, buyer, seller },
  });
  const fees = (c: SpotCase) => c.result(c.venue.feeRates?.() ?? Promise.reject());

  it('are the sum of all that is charged, on the dearer side', async () => {
    const { c, hand } = await opened();
    hand.on(COMMISSION, {
      symbol: 'BTCUSDT',
      standardCommission: rates('0.00100000', '0.00200000', '0.00000300', '0.00000400'),
      specialCommission: rates('0.01000000', '0.02000000', '0.00005000', '0.00003000'),
      taxCommission: rates('0.1', '0.2', '0.0007', '0.0007'),
      discount: { enabledForAccount: true },
    });
    expect(await fees(c)).toEqual({ maker: '0.111754', taker: '0.222754' });
    hand.on(COMMISSION, { symbol: 'BTCUSDT', standardCommission: rates('0.001', '0.002', '0', '0') });
    expect(await fees(c)).toEqual({ maker: '0.001', taker: '0.002' });
    expect(hand.asked()).toEqual(Array(2).fill({ name: COMMISSION, parameters: { symbol: 'BTCUSDT' } }));
    hand.on(COMMISSION, {});
    expect(await fees(c)).toBeNull();
  });

  it('are those of BTCUSDT, wherever it stands, and of the first symbol where there is none', async () => {
    for (const [leaves, first] of [
      [() => true, 'BTCUSDT'],
      [({ symbol }: { symbol: string }) => symbol !== 'BTCUSDT', null],
    ] as const) {
      const c = new SpotCase();
      const { body } = c.ask('GET', '/api/v3/exchangeInfo', {});
      const hand = new HandAnswers(c.net);
      hand.on(INFO, { ...body, symbols: body.symbols.toReversed().filter(leaves) });
      await c.open();
      hand.asked();
      await fees(c);
      const symbols = c.venue.instruments().map(({ symbol }) => symbol);
      expect(symbols[0]).not.toBe('BTCUSDT');
      expect(hand.asked()).toEqual([{ name: COMMISSION, parameters: { symbol: first ?? symbols[0] } }]);
    }
  });
});

describe('the rights of a key', () => {
  const RESTRICTED = {
    ...{ ipRestrict: false, enableWithdrawals: false, enableInternalTransfer: false },
    ...{ permitsUniversalTransfer: false, enableSpotAndMarginTrading: false, enableFutures: true },
    tradingAuthorityExpirationTime: 0,
  };
  const NONE = { trade: false, withdraw: false, transfer: false, addresses: [], expiresAt: null };

  it.each<[string, object, object]>([
    ['nothing', {}, {}],
    ['to trade', { enableSpotAndMarginTrading: true, enableFutures: false }, { trade: true }],
    ['to withdraw', { enableWithdrawals: true }, { withdraw: true }],
    ['to transfer within', { enableInternalTransfer: true }, { transfer: true }],
    ['to transfer anywhere', { permitsUniversalTransfer: true }, { transfer: true }],
    ['from some addresses', { ipRestrict: true }, { addresses: ['those that Binance keeps'] }],
    ['for a time', { tradingAuthorityExpirationTime: 1_800_000_000_000 }, { expiresAt: 1_800_000_000_000 }],
    ['for ever', { tradingAuthorityExpirationTime: -1 }, {}],
  ])('are %s', async (_, more, rights) => {
    const { c, hand } = await opened();
    hand.on(RIGHTS, { ...RESTRICTED, ...more });
    expect(await c.result(c.venue.permissions?.() ?? Promise.reject())).toEqual({ ...NONE, ...rights });
    expect(hand.asked()).toEqual([{ name: RIGHTS, parameters: {} }]);
  });

  it('are not known where the question fails', async () => {
    const { c, hand } = await opened();
    for (const [body, status] of [
      [RESTRICTED, 400],
      [{ ...RESTRICTED, enableWithdrawals: 'no' }, 200],
    ] as const) {
      hand.on(RIGHTS, body, status);
      expect(await c.result(c.venue.permissions?.() ?? Promise.reject())).toBeNull();
    }
  });
});

describe('small balances', () => {
  const converted = (fromAsset: string, amount: string, transferedAmount: string, fee: string) => ({
    ...{ fromAsset, amount, transferedAmount, serviceChargeAmount: fee, operateTime: 1, tranId: 2 },
  });
  const convert = (c: SpotCase, assets: string[]) =>
    c.result(c.venue.conversion?.convert(assets) ?? Promise.reject());

  it('are listed with what they are worth and become', async () => {
    const { c, hand } = await opened();
    hand.on('POST /sapi/v1/asset/dust-btc', {
      details: [
        {
          asset: 'ADA',
          amountFree: '6.21',
          toBTC: '0.0000',
          toBNB: '0.9',
          toBNBOffExchange: '0.017',
          exchange: '1',
        },
        {
          asset: 'LTC',
          amountFree: '0.01',
          toBTC: '0.0001',
          toBNB: '0.8',
          toBNBOffExchange: '0.016',
          exchange: '2',
        },
      ],
    });
    const list = () => c.result(c.venue.conversion?.list() ?? Promise.reject());
    expect(await list()).toEqual({
      assets: [
        { asset: 'ADA', free: '6.21', value: '0.0000', toAsset: 'BNB', toAmount: '0.017' },
        { asset: 'LTC', free: '0.01', value: '0.0001', toAsset: 'BNB', toAmount: '0.016' },
      ],
    });
    hand.on('POST /sapi/v1/asset/dust-btc', { details: [{}] });
    expect(await list()).toBeNull();
    expect(c.reports).toHaveLength(1);
    hand.on('POST /sapi/v1/asset/dust-btc', { details: [] }, 400);
    expect(await list()).toBeNull();
  });

  it('become what the exchange says that they became, again only six hours later', async () => {
    const { c, hand } = await opened();
    hand.on(DUST, {
      totalServiceCharge: '0.02',
      totalTransfered: '1.05',
      transferResult: [converted('ADA', '5', '0.5', '0.01'), converted('LTC', '7', '0.6', '0.03')],
    });
    for (let times = 0; times < 2; times++) {
      expect(await convert(c, ['ADA', 'LTC'])).toEqual({
        kind: 'done',
        dust: {
          converted: [
            { asset: 'ADA', amount: '5', received: '0.5', fee: '0.01' },
            { asset: 'LTC', amount: '7', received: '0.6', fee: '0.03' },
          ],
          ...{ toAsset: 'BNB', received: '1.05' },
        },
      });
      const left = c.venue.conversion?.waitMs() ?? 0;
      expect(6 * HOUR - left).toBeLessThanOrEqual(10);
      await c.clock.advance(left - 1);
      expect(c.venue.conversion?.waitMs()).toBe(1);
      await c.clock.advance(2);
      expect(c.venue.conversion?.waitMs()).toBe(0);
    }
  });

  it.each<[string, number, unknown, object]>([
    ['a code', 400, { code: 32110, msg: 'Only once in 6 hours.' }, { kind: 'rejected', code: '32110' }],
    ['a code of the last refusals', 499, { code: -1, msg: 'no' }, { kind: 'rejected', code: '-1' }],
    ['a code of the server', 500, { code: -1, msg: 'oops' }, { kind: 'unknown' }],
    ['a code of nobody knows', 400, { code: -1000, msg: 'An unknown error' }, { kind: 'unknown' }],
    ['a disconnection', 400, { code: -1001, msg: 'Internal error' }, { kind: 'unknown' }],
    ['an odd response', 400, { code: -1006, msg: 'Unexpected' }, { kind: 'unknown' }],
    ['a timeout', 408, { code: -1007, msg: 'Timeout' }, { kind: 'unknown' }],
    ['a page', 400, '<html>', { kind: 'unknown' }],
    ['what cannot be read', 200, { totalTransfered: '1' }, { kind: 'unknown' }],
  ])(
    'that are answered with %s are as that says, and may be tried again',
    async (_, status, body, outcome) => {
      const { c, hand } = await opened();
      hand.on(DUST, body, status);
      expect(await convert(c, ['ADA'])).toMatchObject(outcome);
      expect(c.venue.conversion?.waitMs()).toBe(0);
      expect(hand.names()).toEqual([DUST]);
    },
  );

  it('that were lost may have been converted, and those that never left were not', async () => {
    const { c, hand } = await opened();
    expect(await convert(c, ['ADA'])).toBeDefined();
    hand.lose(DUST);
    expect(await convert(c, ['ADA'])).toEqual({ kind: 'unknown', cause: 'lost on its way' });
    hand.lose(DUST, 'unsent');
    expect(await convert(c, ['ADA'])).toMatchObject({ kind: 'rejected', code: 'UNREACHED' });
    hand.asked();
    expect(await c.result(c.venue.conversion?.convert(['ADA'], 'USDT') ?? Promise.reject())).toMatchObject({
      ...{ kind: 'rejected', code: 'FORM' },
    });
    expect(hand.names()).toEqual([]);
  });
});
