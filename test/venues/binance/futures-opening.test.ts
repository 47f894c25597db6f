/**
 * How a futures account opens, what it asks for by itself after that, and what it says of itself: wallets,
 * fees, positions, and what its key may do.
 */
import { describe, expect, it } from 'vitest';
import { futuresRig } from './futures-rig.ts';
import { answerOf, HandAnswers } from './hand-answers-support.ts';

const HOUR = 3_600_000;
const TIME = 'GET /fapi/v1/time';
const INFO = 'GET /fapi/v1/exchangeInfo';
const BRACKETS = 'GET /fapi/v1/leverageBracket';
const CONFIG = 'GET /fapi/v1/accountConfig';
const CONFIGS = 'GET /fapi/v1/symbolConfig';
const KEY = 'POST /fapi/v1/listenKey';
const BALANCE = 'GET /fapi/v3/balance';
const RISK = 'GET /fapi/v3/positionRisk';
const RIGHTS = 'GET /sapi/v1/account/apiRestrictions';
const WALLET_TIME = 'GET /api/v3/time';
const OPENING = [TIME, INFO, BRACKETS, CONFIG, CONFIGS, KEY];

function closed() {
  const rig = futuresRig();
  return { rig, hand: new HandAnswers(rig.net) };
}

async function opened() {
  const { rig, hand } = closed();
  await rig.open();
  rig.forget();
  hand.asked();
  rig.reports.length = 0;
  return { rig, hand };
}

type Hand = HandAnswers;

/** Changes an answer of the emulator. */
function changes(
  hand: Hand,
  rig: ReturnType<typeof closed>['rig'],
  name: string,
  path: string,
  more: object,
) {
  const { body } = rig.ask('GET', path);
  hand.on(name, { ...body, ...more });
}

describe('opening a futures account', () => {
  it('asks for the time, for what is traded, for how it trades, and then listens', async () => {
    const { rig, hand } = closed();
    await rig.open();
    expect(hand.asked()).toEqual(OPENING.map((name) => ({ name, parameters: {} })));
    expect(rig.told.stream).toEqual(['up']);
    expect(rig.reports).toEqual([]);
  });

  it.each<[string, unknown, number, RegExp]>([
    [TIME, {}, 200, /cannot be read \(HTTP 200\)/],
    [INFO, 'busy', 500, /cannot be read \(HTTP 500\)/],
    [INFO, { symbols: 1 }, 200, /symbols must be array/],
    [BRACKETS, { code: -1000, msg: 'unknown error' }, 400, /unknown error \(-1000\)/],
    [BRACKETS, [{ symbol: 1 }], 200, /could not be read/],
    [CONFIG, 'busy', 500, /cannot be read \(HTTP 500\)/],
    [CONFIGS, 'busy', 503, /cannot be read \(HTTP 503\)/],
    [KEY, { code: -1002, msg: 'no' }, 401, /the key may not do this/],
    [KEY, {}, 200, /could not be read/],
  ])('fails where %s is answered with %o, and all is closed', async (name, body, status, why) => {
    const { rig, hand } = closed();
    hand.on(name, body, status);
    await expect(rig.open()).rejects.toThrow(why);
    expect(hand.names()).toEqual(OPENING.slice(0, OPENING.indexOf(name) + 1));
    await rig.clock.advance(HOUR);
    expect([hand.names(), rig.net.sockets, rig.told.stream]).toEqual([[], 0, []]);
  });

  it.each(OPENING)('stays closed where it was closed while %s was under way', async (name) => {
    const { rig, hand } = closed();
    const request = rig.net.request;
    rig.net.request = async (asked) => {
      const answer = await request(asked);
      if (`${asked.method} ${asked.path}`.startsWith(name)) await rig.venue.close();
      return answer;
    };
    await expect(rig.open()).rejects.toThrow();
    hand.asked();
    await rig.clock.advance(HOUR);
    expect([hand.names(), rig.net.sockets, rig.told.stream, rig.reports]).toEqual([[], 0, [], []]);
  });

  it('tells what it hears from the very opening of its socket on', async () => {
    const { rig } = closed();
    const socket = rig.net.socket.bind(rig.net);
    const event = { e: 'ACCOUNT_UPDATE', E: 1, T: 1, a: { m: 'DEPOSIT', B: [{ a: 'USDT', wb: '7' }] } };
    rig.net.socket = (request, events) =>
      socket(request, {
        ...events,
        opened: () => {
          events.opened();
          events.message(JSON.stringify(event));
        },
      });
    await rig.open();
    expect([rig.told.stream, rig.told.ledger, rig.told.balances.map(({ free }) => free)]).toEqual([
      ['up'],
      1,
      ['7'],
    ]);
  });

  it('says where the account is restricted, and opens', async () => {
    for (const [more, words] of [
      [{ canTrade: false, multiAssetsMargin: false }, ['the account may not trade futures']],
      [{ canTrade: true, multiAssetsMargin: true }, ['multi-assets mode']],
      [{ multiAssetsMargin: false }, []],
    ] as const) {
      const { rig, hand } = closed();
      hand.on(CONFIG, { dualSidePosition: false, ...more });
      await rig.open();
      expect(rig.reports).toEqual(words.map((word) => expect.stringContaining(word)));
      expect((await rig.submit({ clientId: 'bf-1' })).kind).toBe(
        more.multiAssetsMargin ? 'rejected' : 'accepted',
      );
    }
  });

  it('asks the wallet whether it is a portfolio where its key is refused, and only then', async () => {
    for (const [portfolio, code, why, asks] of [
      [true, -2015, /portfolio margin/, true],
      [false, -2015, /API key is wrong/, true],
      [true, -2014, /has not the form/, false],
    ] as const) {
      const { rig, hand } = closed();
      hand.refuse(CONFIG, code, 'no').on(RIGHTS, {
        ...{ ipRestrict: false, enableWithdrawals: false, enableSpotAndMarginTrading: false },
        enablePortfolioMarginTrading: portfolio,
      });
      await expect(rig.open()).rejects.toThrow(why);
      expect(hand.names().includes(RIGHTS)).toBe(asks);
    }
    const { rig, hand } = closed();
    hand.refuse(CONFIG, -2015, 'no').lose(RIGHTS);
    await expect(rig.open()).rejects.toThrow(/API key is wrong/);
  });

  it('keeps to the limits that the exchange states, under its own name', async () => {
    const { rig, hand } = closed();
    const limit = (rateLimitType: string, interval: string, intervalNum: number, of: number) => ({
      ...{ rateLimitType, interval, intervalNum, limit: of },
    });
    changes(hand, rig, INFO, '/fapi/v1/exchangeInfo', {
      rateLimits: [
        limit('REQUEST_WEIGHT', 'MINUTE', 1, 2_300),
        limit('ORDERS', 'SECOND', 10, 280),
        limit('ORDERS', 'MINUTE', 1, 1_100),
        limit('ORDERS', 'DAY', 1, 3),
        limit('REQUEST_WEIGHT', 'MINUTE', 5, 4),
      ],
    });
    await rig.open();
    await rig.submit({ clientId: 'bf-1' });
    const limits = rig.venue.health().budgets.map(({ name, limit: most }) => `${name} ${most}`);
    expect(limits.sort()).toEqual([
      'futures orders 1 min of mine-futures 1100',
      'futures orders 10 s of mine-futures 280',
      'futures weight 1 min 2300',
    ]);
  });
});

describe('what is traded', () => {
  const lists = async () => {
    const { rig, hand } = closed();
    const told: (readonly string[])[] = [];
    await rig.during(
      rig.venue.open({
        ...rig.sink,
        instruments: (all) => told.push(all.map(({ symbol }) => symbol)),
      }),
    );
    hand.asked();
    return { rig, hand, told };
  };

  it('is read when it opens and each hour, and told each time', async () => {
    const { rig, hand, told } = await lists();
    expect(told).toEqual([rig.venue.instruments().map(({ symbol }) => symbol)]);
    for (let times = 1; times <= 2; times++) {
      await rig.clock.advance(HOUR - 1_000);
      expect(hand.names()).not.toContain(INFO);
      await rig.clock.advance(1_100);
      expect(hand.names().filter((name) => !name.startsWith('PUT'))).toEqual([INFO, BRACKETS]);
      expect(told).toHaveLength(1 + times);
    }
    await rig.venue.close();
    rig.venue.relist();
    await rig.clock.advance(HOUR);
    expect(hand.names()).toEqual([]);
  });

  it('stays as it was where it cannot be read again, and that is said', async () => {
    const { rig, hand, told } = await lists();
    hand.on(BRACKETS, 'busy', 500);
    rig.venue.relist();
    await rig.clock.advance(100);
    expect([told.length, rig.reports]).toEqual([1, ['mine-futures: what is traded could not be read again']]);
    hand.on(INFO, 'busy', 500);
    rig.venue.relist();
    await rig.clock.advance(100);
    expect([told.length, rig.venue.instruments().length > 2]).toEqual([1, true]);
    expect(rig.venue.futures.brackets('BTCUSDT')).not.toEqual([]);
  });

  it('names what cannot be read, keeps it as it was known before, and takes other brackets', async () => {
    const { rig, hand, told } = await lists();
    const { body } = rig.ask('GET', '/fapi/v1/exchangeInfo');
    const symbols = body.symbols.map((one: { symbol: string }) =>
      one.symbol === 'ETHUSDT' ? { ...one, status: 'ODD' } : one,
    );
    hand.on(INFO, { ...body, symbols });
    const bracket = { initialLeverage: 5, notionalFloor: 0, notionalCap: 10, maintMarginRatio: 0.5, cum: 0 };
    hand.on(BRACKETS, [{ symbol: 'BTCUSDT', brackets: [bracket] }]);
    rig.venue.relist();
    await rig.clock.advance(100);
    expect([rig.venue.unreadSymbols(), told.at(-1)?.includes('ETHUSDT')]).toEqual([['ETHUSDT'], true]);
    expect(rig.reports).toEqual([expect.stringContaining('ETHUSDT')]);
    expect(rig.venue.futures.brackets('BTCUSDT')).toEqual([
      {
        ...{ initialLeverage: 5, notionalFloor: '0', notionalCap: '10', maintenanceMarginRate: '0.5' },
        cumulative: '0',
      },
    ]);
    expect(rig.venue.futures.brackets('ETHUSDT')).toEqual([]);
  });
});

describe('what a futures account says of itself', () => {
  it('is its wallets, with the time of their last change', async () => {
    const { rig, hand } = await opened();
    hand.on(BALANCE, [
      { accountAlias: 'SgsR', asset: 'USDT', balance: '122.60', crossWalletBalance: '23', updateTime: 77 },
      { accountAlias: 'SgsR', asset: 'BNB', balance: '0.000', updateTime: 0 },
      { accountAlias: 'SgsR', asset: 'USDC', balance: '-1.5' },
    ]);
    expect(await rig.during(rig.venue.balances())).toEqual([
      { asset: 'USDT', free: '122.6', locked: '0', time: 77 },
      { asset: 'BNB', free: '0', locked: '0' },
      { asset: 'USDC', free: '-1.5', locked: '0' },
    ]);
    expect(await rig.during(rig.venue.identity())).toEqual({ id: 'SgsR' });
    hand.on(BALANCE, [{ asset: 'USDT', balance: '1' }]);
    expect(await rig.during(rig.venue.identity())).toBeNull();
    hand.on(BALANCE, [{ asset: 'USDT', balance: 1 }]);
    expect([await rig.during(rig.venue.identity()), await rig.during(rig.venue.balances())]).toEqual([
      null,
      null,
    ]);
  });

  it('is what it pays for the first symbol in USDT that is traded', async () => {
    const { rig, hand } = closed();
    const { body } = rig.ask('GET', '/fapi/v1/exchangeInfo');
    const of = (symbol: string, more: object = {}) => ({
      ...body.symbols.find((one: { symbol: string }) => one.symbol === 'BTCUSDT'),
      ...{ symbol, pair: symbol, ...more },
    });
    hand.on(INFO, {
      ...body,
      symbols: [
        of('BTCUSDC', { quoteAsset: 'USDC', marginAsset: 'USDC' }),
        of('HALTUSDT', { status: 'TRADING_HALT' }),
        of('ETHUSDT'),
        of('BTCUSDT'),
      ],
    });
    await rig.open();
    hand.asked();
    const COMMISSION = 'GET /fapi/v1/commissionRate';
    hand.on(COMMISSION, {
      symbol: 'ETHUSDT',
      makerCommissionRate: '-0.00010',
      takerCommissionRate: '0.00040',
    });
    expect(await rig.during(rig.venue.feeRates())).toEqual({ maker: '-0.0001', taker: '0.0004' });
    expect(hand.asked()).toEqual([{ name: COMMISSION, parameters: { symbol: 'ETHUSDT' } }]);
    hand.on(COMMISSION, 'busy', 500);
    expect(await rig.during(rig.venue.feeRates())).toBeNull();
    hand.on(INFO, { ...body, symbols: [of('BTCUSDC', { quoteAsset: 'USDC', marginAsset: 'USDC' })] });
    await rig.open();
    hand.asked();
    expect([await rig.during(rig.venue.feeRates()), hand.names()]).toEqual([null, []]);
  });

  it('is its positions, each with the settings and the tier of its symbol', async () => {
    const { rig, hand } = closed();
    const bracket = (notionalFloor: number, maintMarginRatio: number) => ({
      ...{ initialLeverage: 5, notionalFloor, notionalCap: 1_000_000, maintMarginRatio, cum: 0 },
    });
    hand
      .on(BRACKETS, [
        { symbol: 'BTCUSDT', brackets: [bracket(0, 0.01), bracket(200, 0.02), bracket(500, 0.05)] },
      ])
      .on(CONFIGS, [
        { symbol: 'BTCUSDT', marginType: 'ISOLATED', leverage: 7 },
        { symbol: 'ETHUSDT', marginType: 'cross', leverage: 9 },
      ]);
    await rig.open();
    hand.asked();
    const row = (more: object) => ({
      ...{
        symbol: 'BTCUSDT',
        positionSide: 'LONG',
        positionAmt: '2.000',
        entryPrice: '100.0',
        marginAsset: 'USDT',
      },
      ...{ breakEvenPrice: '101.0', markPrice: '104.0', unRealizedProfit: '8.0', liquidationPrice: '60.50' },
      ...{ isolatedWallet: '7.50', maintMargin: '0.80', notional: '208.0', updateTime: 5 },
      ...more,
    });
    const few = {
      breakEvenPrice: undefined,
      isolatedWallet: undefined,
      maintMargin: undefined,
      notional: undefined,
    };
    hand.on(RISK, [
      row({}),
      row({ positionSide: 'SHORT', positionAmt: '-3.0', notional: '-600.0', liquidationPrice: '0' }),
      row({
        symbol: 'ETHUSDT',
        positionSide: 'BOTH',
        positionAmt: '-4',
        liquidationPrice: '-1',
        updateTime: 6,
      }),
      row({ symbol: 'NEWUSDT', isolatedWallet: '0.0', updateTime: 0 }),
      row({ symbol: 'OTHERUSDT' }),
      row({ symbol: 'FEWUSDT', ...few }),
      row({ symbol: 'FLATUSDT', positionAmt: '0.000', markPrice: '9.0' }),
    ]);
    const one = {
      ...{ symbol: 'BTCUSDT', side: 'LONG', amount: '2', entryPrice: '100', breakEvenPrice: '101' },
      ...{
        markPrice: '104',
        unrealizedProfit: '8',
        marginType: 'ISOLATED',
        leverage: 7,
        isolatedWallet: '7.5',
      },
      ...{
        liquidationPrice: '60.5',
        maintenanceMarginRate: '0.02',
        maintenanceMargin: '0.8',
        realizedPnl: '0',
      },
      updateTime: 5,
    };
    const untold = { ...one, leverage: 20, maintenanceMarginRate: '0' };
    expect(await rig.during(rig.venue.futures.positions())).toEqual([
      one,
      { ...one, side: 'SHORT', amount: '3', liquidationPrice: null, maintenanceMarginRate: '0.05' },
      {
        ...{
          ...one,
          symbol: 'ETHUSDT',
          side: 'BOTH',
          amount: '-4',
          liquidationPrice: null,
          marginType: 'CROSSED',
        },
        ...{ leverage: 9, maintenanceMarginRate: '0', updateTime: 6 },
      },
      { ...untold, symbol: 'NEWUSDT', marginType: 'CROSSED', isolatedWallet: '0', updateTime: 0 },
      { ...untold, symbol: 'OTHERUSDT' },
      {
        ...{ ...untold, symbol: 'FEWUSDT', marginType: 'CROSSED', isolatedWallet: '0', breakEvenPrice: '0' },
        maintenanceMargin: '0',
      },
    ]);
    expect(['BTCUSDT', 'FLATUSDT', 'NOUSDT'].map((symbol) => rig.venue.futures.markPrice(symbol))).toEqual([
      ...['104', '9', null],
    ]);
    expect(hand.asked()).toEqual([{ name: RISK, parameters: {} }]);
    hand.on(RISK, [row({ positionAmt: 2 })]);
    expect(await rig.during(rig.venue.futures.positions())).toBeNull();
  });
});

describe('the rights of a futures key', () => {
  const NONE = {
    ...{ ipRestrict: false, enableWithdrawals: false, enableInternalTransfer: false, enableFutures: false },
    ...{
      permitsUniversalTransfer: false,
      enableSpotAndMarginTrading: true,
      tradingAuthorityExpirationTime: 0,
    },
  };
  const none = {
    trade: false,
    withdraw: false,
    transfer: false,
    addresses: [],
    expiresAt: null,
    portfolio: false,
  };

  it.each<[string, object, object]>([
    ['nothing', {}, {}],
    ['to trade', { enableFutures: true, enableSpotAndMarginTrading: false }, { trade: true }],
    ['to withdraw', { enableWithdrawals: true }, { withdraw: true }],
    ['to transfer within', { enableInternalTransfer: true }, { transfer: true }],
    ['to transfer anywhere', { permitsUniversalTransfer: true }, { transfer: true }],
    ['from some addresses', { ipRestrict: true }, { addresses: ['those that Binance keeps'] }],
    ['for a time', { tradingAuthorityExpirationTime: 1_800_000_000_000 }, { expiresAt: 1_800_000_000_000 }],
    ['for ever', { tradingAuthorityExpirationTime: -1 }, {}],
    ['of a portfolio', { enablePortfolioMarginTrading: true }, { portfolio: true }],
    [
      'of which little is told',
      { enableInternalTransfer: undefined, permitsUniversalTransfer: undefined, enableFutures: undefined },
      {},
    ],
  ])('are %s', async (_, more, rights) => {
    const { rig, hand } = await opened();
    hand.on(RIGHTS, { ...NONE, ...more });
    expect(await rig.during(rig.venue.permissions?.() ?? Promise.reject())).toEqual({ ...none, ...rights });
  });

  it('are asked at the address of spot, signed by its clock, which is measured each half hour', async () => {
    const { rig, hand } = await opened();
    const rights = () => rig.during(rig.venue.permissions?.() ?? Promise.reject());
    const stamps: string[] = [];
    const request = rig.net.request;
    rig.net.request = (asked) => {
      stamps.push(new URLSearchParams(asked.path.split('?')[1]).get('timestamp') ?? '');
      return request(asked);
    };
    const ahead = 3_600_000;
    hand.by(WALLET_TIME, () => answerOf({ serverTime: rig.clock.wall() + ahead }));
    hand.on(RIGHTS, NONE);
    hand.origins.length = 0;
    expect(await rights()).toEqual(none);
    expect(await rights()).toEqual(none);
    expect(hand.names()).toEqual([WALLET_TIME, RIGHTS, RIGHTS]);
    expect(new Set(hand.origins)).toEqual(new Set(['https://api.test']));
    expect(Math.abs(Number(stamps.at(-1)) - rig.clock.wall() - ahead)).toBeLessThan(100);
    await rig.clock.advance(HOUR / 2);
    hand.asked();
    await rights();
    expect(hand.names()).toEqual([WALLET_TIME, RIGHTS]);
    // Without a time of its own the last one goes on.
    hand.refuse(RIGHTS, -1021, 'late');
    expect(await rights()).toBeNull();
    hand.on(WALLET_TIME, 'busy', 500).on(RIGHTS, NONE);
    hand.asked();
    expect([await rights(), hand.names()]).toEqual([none, [WALLET_TIME, RIGHTS]]);
    hand.on(RIGHTS, NONE, 400);
    expect(await rights()).toBeNull();
  });
});

it('after each refusal for the time the clock is measured, and only then', async () => {
  const { rig, hand } = await opened();
  for (const [code, isMeasured] of [
    [-1021, true],
    [-5028, true],
    [-1022, false],
    [-2019, false],
    [-1021, true],
  ] as const) {
    hand.refuse('POST /fapi/v1/order', code);
    await rig.submit({ clientId: `bf${code}` });
    await rig.clock.advance(100);
    expect([code, hand.names().includes(TIME)]).toEqual([code, isMeasured]);
  }
});
