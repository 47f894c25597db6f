/**
 * What a swap account of OKX holds: events and answers in any sequence, both margin modes and both sides of a
 * contract, tiers in contracts at the mark price, and the settings around them.
 */
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import type { FuturesVenue } from '../../../src/venues/venue.ts';
import { Rig, type RigOptions } from './rig.ts';

const answer = (data: readonly object[], code = '0', status = 200): WireAnswer => ({
  kind: 'answer',
  status,
  headers: {},
  body: JSON.stringify({ code, msg: 'words', data }),
});
const LOST: WireAnswer = { kind: 'lost', cause: 'no answer' };
const opened = (options: RigOptions = {}) => new Rig({ kind: 'swap', ...options }).open();
const futuresOf = ({ venue }: Rig): FuturesVenue => {
  if (!venue.futures) throw new Error('it has no positions');
  return venue.futures;
};
const POSITION = {
  ...{ instId: 'BTC-USDT-SWAP', instType: 'SWAP', mgnMode: 'cross', posSide: 'net', pos: '200' },
  ...{ avgPx: '50000', bePx: '50050', markPx: '51000', upl: '20', lever: '7.9', liqPx: '40000.5' },
  ...{ margin: '', mmr: '4', pnl: '-3', uTime: '1000' },
};
const PATH = '/api/v5/account/positions';

describe('positions', () => {
  const said = async (options: RigOptions = {}) => {
    const rig = await opened(options);
    const now = rig.emulator.now();
    /** `uTime`: ms from now on. */
    const row = (more: object = {}, uTime = 0) => ({ ...POSITION, uTime: String(now + uTime), ...more });
    const say = (...data: readonly object[]) =>
      rig.net.say('private', JSON.stringify({ arg: { channel: 'positions' }, data }));
    const asked = async (...rows: readonly object[]) => {
      rig.net.answers.set(PATH, () => answer(rows));
      return (await rig.result(futuresOf(rig).positions()))?.map(
        ({ symbol, side, amount }) => `${symbol} ${side} ${amount}`,
      );
    };
    /** Whether an order that sells (buys) and reduces is blocked by what rests, as there is a position. */
    const reduces = async (side: 'BUY' | 'SELL', more: object = {}) => {
      rig.net.answers.set('/api/v5/trade/order', () =>
        answer([{ ordId: '', clOrdId: '', sCode: '51169', sMsg: 'nothing' }], '1'),
      );
      const order = { type: 'MARKET', quantity: '0.01', reduceOnly: true, side, ...more } as const;
      const outcome = await rig.submit(order);
      return outcome.kind === 'rejected' && outcome.reason === 'EXITS_REST';
    };
    const told = () =>
      rig.positions.splice(0).map(({ symbol, side, amount }) => `${symbol} ${side} ${amount}`);
    return { rig, now, row, say, asked, reduces, told };
  };

  it('have every figure of their own, in base units', async () => {
    const { rig, now, row, say } = await said();
    say(row(), row({ instId: 'ETH-USDT-SWAP', pos: '-30', lever: '', liqPx: '', markPx: '', avgPx: '2500' }));
    const figures = { breakEvenPrice: '50050', unrealizedProfit: '20', maintenanceMargin: '4' };
    const rest = { ...figures, realizedPnl: '-3', maintenanceMarginRate: '0', updateTime: now };
    expect(rig.positions).toEqual([
      {
        ...{ symbol: 'BTCUSDT', side: 'BOTH', amount: '2', entryPrice: '50000', markPrice: '51000' },
        ...{ marginType: 'CROSSED', leverage: 7, isolatedWallet: '0', liquidationPrice: '40000.5', ...rest },
      },
      {
        ...{ symbol: 'ETHUSDT', side: 'BOTH', amount: '-3', entryPrice: '2500', markPrice: '0' },
        ...{ marginType: 'CROSSED', leverage: 1, isolatedWallet: '0', liquidationPrice: null, ...rest },
      },
    ]);
    expect(futuresOf(rig).markPrice('BTCUSDT')).toBe('51000');
    expect(futuresOf(rig).markPrice('ETHUSDT')).toBeNull();
    say(row({ markPx: '', liqPx: '-1', lever: '0.5' }, 1));
    expect(rig.positions.at(-1)).toMatchObject({ markPrice: '51000', liquidationPrice: null, leverage: 1 });
    say(row({ liqPx: '0', lever: '500' }, 2));
    expect(rig.positions.at(-1)).toMatchObject({ liquidationPrice: null, leverage: 125 });
    say(row({ mgnMode: 'isolated', margin: '77.50', instId: 'SOL-USDT-SWAP' }));
    expect(rig.positions.at(-1)).toMatchObject({ marginType: 'ISOLATED', isolatedWallet: '77.5' });
  });

  it('in hedge mode have a side and no sign', async () => {
    const { say, row, told, reduces } = await said();
    say(
      row({ posSide: 'long' }),
      row({ posSide: 'short', pos: '300' }),
      row({ posSide: 'short', pos: '-400' }, 1),
    );
    expect(told()).toEqual(['BTCUSDT LONG 2', 'BTCUSDT SHORT 3', 'BTCUSDT SHORT 4']);
    const side = async (order: 'BUY' | 'SELL', positionSide: string) => reduces(order, { positionSide });
    expect([await side('SELL', 'LONG'), await side('BUY', 'LONG')]).toEqual([true, false]);
    expect([await side('BUY', 'SHORT'), await side('SELL', 'SHORT')]).toEqual([true, false]);
    expect(await reduces('SELL')).toBe(false);
  });

  it('that are not of contracts traded here are none', async () => {
    const { rig, say, row, told, asked } = await said();
    const others = [
      row({ instId: 'BTC-USD-SWAP' }),
      row({ instId: 'BTC-USDT', instType: 'MARGIN' }),
      row({ instType: 'MARGIN' }),
    ];
    say(...others);
    expect([told(), rig.stream]).toEqual([[], ['up']]);
    expect(await asked(...others, row({ instId: 'ETH-USDT-SWAP' }))).toEqual(['ETHUSDT BOTH 20']);
  });

  it('told by an older event are none, and by one of the same time they are', async () => {
    const { say, row, told, reduces } = await said();
    say(row({ pos: '100' }, 10));
    say(row({ pos: '-300' }, 9));
    expect(told()).toEqual(['BTCUSDT BOTH 1']);
    say(row({ pos: '-400' }, 10), row({ instId: 'ETH-USDT-SWAP' }, 1));
    expect(told()).toEqual(['BTCUSDT BOTH -4', 'ETHUSDT BOTH 20']);
    expect([await reduces('BUY'), await reduces('SELL')]).toEqual([true, false]);
    say(row({ pos: '0' }, 11));
    expect(told()).toEqual(['BTCUSDT BOTH 0']);
    expect([await reduces('BUY'), await reduces('SELL')]).toEqual([false, false]);
    expect(await reduces('SELL', { symbol: 'ETHUSDT' })).toBe(true);
  });

  it('that are isolated beside crossed ones were made elsewhere: the crossed one counts', async () => {
    const { say, row, told, asked, reduces } = await said();
    const isolated = { mgnMode: 'isolated', pos: '-500' };
    say(row(isolated, 1));
    expect(told()).toEqual(['BTCUSDT BOTH -5']);
    say(row({}, 2));
    say(row(isolated, 3));
    expect(told()).toEqual(['BTCUSDT BOTH 2']);
    expect(await asked(row(isolated, 4), row({}, 4))).toEqual(['BTCUSDT BOTH 2']);
    expect(await asked(row({}, 5), row(isolated, 5))).toEqual(['BTCUSDT BOTH 2']);
    expect(await asked(row(isolated, 6), row(isolated, 6))).toEqual(['BTCUSDT BOTH -5']);
    expect([await reduces('BUY'), await reduces('SELL')]).toEqual([true, false]);
  });

  it('of an answer are those that are not flat; what it leaves out is gone, unless an event is newer', async () => {
    const { rig, say, row, asked, reduces } = await said();
    say(row({}, -5_001), row({ instId: 'ETH-USDT-SWAP' }, -4_000), row({ instId: 'SOL-USDT-SWAP' }, -5_000));
    expect(
      await asked(row({ instId: 'ADA-USDT-SWAP', pos: '0' }), row({ instId: 'DOGE-USDT-SWAP', pos: '' })),
    ).toEqual([]);
    expect(await reduces('SELL')).toBe(false);
    expect(await reduces('SELL', { symbol: 'SOLUSDT', quantity: '1' })).toBe(false);
    expect(await reduces('SELL', { symbol: 'ETHUSDT' })).toBe(true);
    await rig.pass(10_000);
    expect(await asked()).toEqual([]);
    expect(await reduces('SELL', { symbol: 'ETHUSDT' })).toBe(false);
  });

  it('told by events while an answer is on its way stay, however late that comes', async () => {
    const { rig, say, row, reduces } = await said();
    rig.net.faults = { delayMs: [4_000, 4_000] };
    const asked = futuresOf(rig).positions();
    await rig.pass(1_000);
    say(row({}, 1_000));
    await rig.pass(10_000);
    expect(await asked).toEqual([]);
    rig.net.faults = {};
    expect(await reduces('SELL')).toBe(true);
  });

  it('of an answer that is older than an event change nothing that the event has told', async () => {
    const { say, row, asked, reduces } = await said();
    say(row({ pos: '-100' }, 10));
    // The answer is told as it is: whoever has asked compares times.
    expect(await asked(row({ pos: '300' }, 9))).toEqual(['BTCUSDT BOTH 3']);
    expect([await reduces('BUY'), await reduces('SELL')]).toEqual([true, false]);
    expect(await asked(row({ pos: '300' }, 10))).toEqual(['BTCUSDT BOTH 3']);
    expect([await reduces('BUY'), await reduces('SELL')]).toEqual([false, true]);
  });

  it('that cannot be asked for are not known', async () => {
    const { rig } = await said();
    for (const given of [LOST, answer([], '50011'), answer([{ x: 1 }])]) {
      rig.net.answers.set(PATH, () => given);
      expect(await rig.result(futuresOf(rig).positions())).toBeNull();
      await rig.pass(3_000);
    }
  });
});

describe('tiers', () => {
  const TIERS = '/api/v5/public/position-tiers';
  const MARKS = '/api/v5/public/mark-price';
  const tier = (instFamily: string, at: number, more: object = {}) => ({
    ...{ instFamily, tier: String(at), minSz: String(100 * (at - 1)), maxSz: String(100 * at) },
    ...{ mmr: `0.0${at}0`, maxLever: String(100 - 10 * at), ...more },
  });
  /** The families of each question for tiers, and the number of those for marks. */
  const questions = ({ requests }: Rig, seen: string[]) => ({
    tiers: seen.map((path) => new URL(path, 'https://x').searchParams.get('instFamily')?.split(',') ?? []),
    marks: requests.filter(({ path }) => path.startsWith(MARKS)).length,
  });

  it('hold by the size of the position, whole, and their value goes with the mark price', async () => {
    const rig = await opened();
    rig.net.answers.set(TIERS, () =>
      answer([tier('BTC-USDT', 2), tier('BTC-USDT', 1), tier('BTC-USDT', 3), tier('ETH-USDT', 1)]),
    );
    const futures = futuresOf(rig);
    futures.brackets('BTCUSDT');
    await rig.pass(1_000);
    const mark = Number(futures.markPrice('BTCUSDT'));
    const rows = (at: number) =>
      [1, 2, 3].map((n) => ({
        initialLeverage: 100 - 10 * n,
        notionalFloor: String((n - 1) * at),
        notionalCap: String(n * at),
        maintenanceMarginRate: `0.0${n}`,
        cumulative: '0',
      }));
    expect(futures.brackets('BTCUSDT')).toEqual(rows(mark));
    const rates: (string | undefined)[] = [];
    for (const [n, pos] of ['99', '100', '-199', '200', '900'].entries()) {
      const row = { ...POSITION, pos, markPx: '50000', uTime: String(rig.emulator.now() + n) };
      rig.net.say('private', JSON.stringify({ arg: { channel: 'positions' }, data: [row] }));
      rates.push(rig.positions.at(-1)?.maintenanceMarginRate);
    }
    expect(rates).toEqual(['0.01', '0.02', '0.02', '0.03', '0.03']);
    expect(futures.brackets('BTCUSDT')).toEqual(rows(50_000));
  });

  it('are asked for five contracts at a time, once each, and marks only where one is missing', async () => {
    const rig = await opened();
    const seen: string[] = [];
    rig.net.answers.set(TIERS, ({ path }) => {
      seen.push(path);
      const families = new URL(path, 'https://x').searchParams.get('instFamily')?.split(',') ?? [];
      return answer(families.map((family) => tier(family, 1)));
    });
    const futures = futuresOf(rig);
    const symbols = rig.venue.instruments().map(({ symbol }) => symbol);
    expect(symbols).toHaveLength(7);
    for (const symbol of [...symbols, 'NOPEUSDT', ...symbols]) expect(futures.brackets(symbol)).toEqual([]);
    await rig.pass(3_000);
    const asked = questions(rig, seen);
    expect(asked.tiers.map((families) => families.length)).toEqual([5, 2]);
    expect(new Set(asked.tiers.flat()).size).toBe(7);
    expect(asked.marks).toBe(1);
    for (const symbol of symbols) expect(futures.brackets(symbol)).toHaveLength(1);
    await rig.pass(40_000);
    for (const symbol of symbols) futures.brackets(symbol);
    await rig.pass(3_000);
    expect(questions(rig, seen)).toEqual(asked);
  });

  it('of a position are asked for without being wanted, and each contract has its own', async () => {
    const rig = await opened();
    const seen: string[] = [];
    rig.net.answers.set(TIERS, ({ path }) => {
      seen.push(path);
      return null;
    });
    rig.net.answers.set(PATH, () => answer([POSITION, { ...POSITION, instId: 'ETH-USDT-SWAP' }]));
    await rig.result(futuresOf(rig).positions());
    await rig.pass(1_000);
    expect(questions(rig, seen).tiers).toEqual([['BTC-USDT', 'ETH-USDT']]);
    // Both marks came with the positions.
    expect(questions(rig, seen).marks).toBe(0);
  });

  it('that could not be read are asked for again half a minute later, and not before', async () => {
    const rig = await opened();
    const seen: string[] = [];
    let given: WireAnswer | null = LOST;
    rig.net.answers.set(TIERS, ({ path }) => {
      seen.push(path);
      return given;
    });
    const futures = futuresOf(rig);
    const want = async (ms: number) => {
      await rig.pass(ms);
      futures.brackets('BTCUSDT');
      await rig.pass(1);
      return seen.length;
    };
    expect(await want(0)).toBe(1);
    expect(await want(1_000)).toBe(1);
    expect(await want(28_990)).toBe(1);
    expect(await want(10)).toBe(2);
    // Another contract does not wait for that.
    futures.brackets('ETHUSDT');
    await rig.pass(10);
    expect(questions(rig, seen).tiers.slice(1)).toEqual([['BTC-USDT'], ['ETH-USDT']]);
    given = null;
    expect(await want(30_000)).toBe(4);
    await rig.pass(1_000);
    expect(futures.brackets('BTCUSDT').length).toBeGreaterThan(1);
    expect(await want(60_000)).toBe(4);
  });
});

describe('settings', () => {
  const LEVERAGE = '/api/v5/account/leverage-info';
  const SET = '/api/v5/account/set-leverage';
  const MODE = '/api/v5/account/set-position-mode';

  it('of leverage are asked for twenty contracts at a time, and told of each side', async () => {
    for (const [posMode, sides] of [
      ['net_mode', ['BOTH']],
      ['long_short_mode', ['LONG', 'SHORT']],
    ] as const) {
      const rig = await opened({ settings: { posMode } });
      const seen: string[][] = [];
      rig.net.answers.set(LEVERAGE, ({ path }) => {
        const { instId = '', mgnMode } = Object.fromEntries(new URL(path, 'https://x').searchParams);
        expect(mgnMode).toBe('cross');
        seen.push(instId.split(','));
        return answer([
          { instId: 'BTC-USDT-SWAP', posSide: 'net', lever: '5' },
          { instId: 'ETH-USDT-SWAP', posSide: 'long', lever: '2.5' },
          { instId: 'ETH-USDT-SWAP', posSide: 'short', lever: '3' },
          { instId: 'SOL-USDT-SWAP', posSide: 'net', lever: '' },
          { instId: 'BTC-USD-SWAP', posSide: 'net', lever: '9' },
        ]);
      });
      const told = await rig.result(futuresOf(rig).leverage(['BTCUSDT', 'ETHUSDT', 'NOPEUSDT', 'SOLUSDT']));
      expect(seen).toEqual([['BTC-USDT-SWAP', 'ETH-USDT-SWAP', 'SOL-USDT-SWAP']]);
      expect(told?.map(({ symbol, side, leverage }) => `${symbol} ${side} ${leverage}`)).toEqual([
        ...sides.map((side) => `BTCUSDT ${side} 5`),
        'ETHUSDT LONG 2',
        'ETHUSDT SHORT 3',
      ]);
      expect(
        told?.every(({ marginType, realizedPnl }) => marginType === 'CROSSED' && realizedPnl === '0'),
      ).toBe(true);
      seen.length = 0;
      await rig.result(futuresOf(rig).leverage(Array.from({ length: 41 }, () => 'BTCUSDT')));
      expect(seen.map((some) => some.length)).toEqual([20, 20, 1]);
      expect(await rig.result(futuresOf(rig).leverage([]))).toEqual([]);
      expect(seen).toHaveLength(3);
      rig.net.answers.set(LEVERAGE, () => LOST);
      expect(await rig.result(futuresOf(rig).leverage(['BTCUSDT']))).toBeNull();
    }
  });

  it('of portfolio margin are those of the contract: only its own leverage is done, and without a request', async () => {
    const rig = await opened({ settings: { acctLv: '4' } });
    const futures = futuresOf(rig);
    const info = { marginType: 'CROSSED', realizedPnl: '0', side: 'BOTH' };
    const told = await rig.result(futures.leverage(['BTCUSDT', 'NOPEUSDT', 'SOLUSDT']));
    const lever = (symbol: string) => told?.find((one) => one.symbol === symbol)?.leverage;
    expect(told).toEqual([
      { symbol: 'BTCUSDT', leverage: 100, ...info },
      { symbol: 'SOLUSDT', leverage: lever('SOLUSDT'), ...info },
    ]);
    expect(rig.requests.filter(({ path }) => path.startsWith(LEVERAGE))).toEqual([]);
    expect(await rig.result(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 100 }))).toEqual({
      kind: 'done',
    });
    expect(rig.bodies(SET)).toEqual([]);
    await rig.result(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 5 }));
    expect(rig.bodies(SET)).toEqual([{ instId: 'BTC-USDT-SWAP', lever: '5', mgnMode: 'cross' }]);
    const other = await opened();
    await other.result(futuresOf(other).setLeverage({ symbol: 'BTCUSDT', leverage: 100 }));
    expect(other.bodies(SET)).toHaveLength(1);
  });

  it.each<[string, WireAnswer, object]>([
    [
      'a code with a cure',
      answer([], '59102'),
      { kind: 'rejected', code: '59102', message: 'words (59102); set a lower leverage' },
    ],
    [
      'a code of any request',
      answer([], '50011'),
      { kind: 'rejected', code: '50011', message: 'words (50011)' },
    ],
    [
      'a code whose cure is silence',
      answer([], '51170'),
      { kind: 'rejected', code: '51170', message: 'words (51170)' },
    ],
    ['a code that is new', answer([], '59999'), { kind: 'unknown', cause: 'words (59999)' }],
    ['an order that is absent', answer([], '51603'), { kind: 'unknown' }],
    ['a time-out', answer([], '50004'), { kind: 'unknown' }],
    ['a page', { ...answer([]), body: '<html>' } as WireAnswer, { kind: 'unknown' }],
    ['no answer', LOST, { kind: 'unknown', cause: 'no answer' }],
    ['yes', answer([{}]), { kind: 'done' }],
  ])('answered by %s are what that proves', async (_, given, outcome) => {
    const rig = await opened();
    rig.net.answers.set(SET, () => given);
    rig.net.answers.set(MODE, () => given);
    expect(await rig.result(futuresOf(rig).setLeverage({ symbol: 'BTCUSDT', leverage: 3 }))).toMatchObject(
      outcome,
    );
    expect(await rig.result(futuresOf(rig).setHedgeMode(true))).toMatchObject(outcome);
  });

  it('of hedge mode are read again once they are changed, and not where they are not', async () => {
    const rig = await opened();
    const config = () => rig.requests.filter(({ path }) => path === '/api/v5/account/config').length;
    const before = config();
    expect(await rig.result(futuresOf(rig).setHedgeMode(true))).toEqual({ kind: 'done' });
    expect(config()).toBe(before + 1);
    const sides = (await rig.result(futuresOf(rig).leverage(['BTCUSDT'])))?.map(({ side }) => side);
    expect(sides?.sort()).toEqual(['LONG', 'SHORT']);
    expect(rig.bodies(MODE)).toEqual([{ posMode: 'long_short_mode' }]);
    rig.net.answers.set(MODE, () => answer([], '59000'));
    await rig.result(futuresOf(rig).setHedgeMode(false));
    expect(config()).toBe(before + 1);
    rig.net.answers.clear();
    await rig.result(futuresOf(rig).setHedgeMode(false));
    expect(rig.bodies(MODE).at(-1)).toEqual({ posMode: 'net_mode' });
    expect((await rig.result(futuresOf(rig).leverage(['BTCUSDT'])))?.map(({ side }) => side)).toEqual([
      'BOTH',
    ]);
  });

  it('of a contract that is not listed are refused and not sent; what cannot be read is not known', async () => {
    const rig = await opened();
    const futures = futuresOf(rig);
    const before = rig.requests.length;
    expect(await rig.result(futures.setLeverage({ symbol: 'NOPEUSDT', leverage: 3 }))).toMatchObject({
      kind: 'rejected',
      code: 'SYMBOL',
    });
    expect(rig.requests).toHaveLength(before);
    rig.net.answers.set('/api/v5/account/config', () => LOST);
    expect(await rig.result(futures.hedgeMode())).toBeNull();
    expect(await rig.result(futures.marginMode())).toBeNull();
    expect(await rig.result(futures.setMarginMode(1))).toMatchObject({
      kind: 'rejected',
      code: 'MARGIN_MODE',
    });
  });
});
