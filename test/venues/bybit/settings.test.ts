/**
 * Settings of contracts of Bybit: what is sent for each, which answer is a success, a refusal or neither, and
 * that the desk believes nothing else, of this symbol and of others.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { FuturesVenue } from '../../../src/venues/venue.ts';
import { bybitRig, type Rig, type RigOptions } from './bybit-rig.ts';

const POSITIONS = '/v5/position/list';
const LEVERAGE = '/v5/position/set-leverage';
const HEDGE = '/v5/position/switch-mode';
const MARGIN = '/v5/account/set-margin-mode';
const answer = (result: object) => ({ retCode: 0, retMsg: 'OK', result });

let rig: Rig;
let futures: FuturesVenue;

async function opens(options: RigOptions = {}): Promise<void> {
  rig = bybitRig({ kind: 'futures', ...options });
  await rig.open();
  await rig.clock.advance(5_000);
  rig.forget();
  if (!rig.venue.futures) throw new Error('it has no contracts');
  futures = rig.venue.futures;
}

beforeEach(() => opens());

const leverages = async (...symbols: string[]) =>
  (await rig.during(futures.leverage(symbols)))?.map(({ symbol, side, leverage }) =>
    [symbol, side, leverage].join(' '),
  );
const flat = (symbol: string, positionIdx: number, leverage: string) => ({
  ...{ symbol, positionIdx, side: '', size: '0', avgPrice: '0', leverage, updatedTime: '' },
});

describe('a leverage', () => {
  it('is sent for both sides, and is that of its symbol from then on, of no other one', async () => {
    // Answered by hand: the exchange tells no event of it where the contract is flat.
    rig.say(LEVERAGE, answer({}));
    expect(await rig.during(futures.setLeverage({ symbol: 'ETHUSDT', leverage: 7 }))).toEqual({
      kind: 'done',
    });
    expect(rig.asked(LEVERAGE)).toEqual([
      { category: 'linear', symbol: 'ETHUSDT', buyLeverage: '7', sellLeverage: '7' },
    ]);
    expect(await leverages('BTCUSDT', 'ETHUSDT')).toEqual(['BTCUSDT BOTH 10', 'ETHUSDT BOTH 7']);
    // Nothing had to be asked.
    expect(rig.asked(POSITIONS)).toEqual([]);
  });

  it('of both sides of a contract in hedge mode is set for both', async () => {
    rig.list(POSITIONS, [flat('BTCUSDT', 1, '3'), flat('BTCUSDT', 2, '4')]);
    rig.list(POSITIONS, []);
    await rig.during(futures.positions());
    expect(await leverages('BTCUSDT')).toEqual(['BTCUSDT LONG 3', 'BTCUSDT SHORT 4']);
    rig.say(LEVERAGE, answer({}));
    expect(
      await rig.during(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 9, side: 'LONG' })),
    ).toMatchObject({ kind: 'done' });
    expect(await leverages('BTCUSDT', 'ETHUSDT')).toEqual([
      ...['BTCUSDT LONG 9', 'BTCUSDT SHORT 9', 'ETHUSDT BOTH 10'],
    ]);
  });

  it.each([
    ['110043', 'done', 7],
    ['110025', 'done', 7],
    ['110026', 'done', 7],
    ['110013', 'rejected', 10],
    ['110028', 'rejected', 10],
    ['110036', 'rejected', 10],
    ['110038', 'rejected', 10],
    ['110073', 'rejected', 10],
    ['110077', 'rejected', 10],
    ['10001', 'rejected', 10],
    ['10005', 'rejected', 10],
    ['110007', 'rejected', 10],
    ['10016', 'unknown', 10],
    ['10000', 'unknown', 10],
    ['999999', 'unknown', 10],
  ])('that is answered %s is %s, and counts as %i', async (code, kind, leverage) => {
    rig.refuse(LEVERAGE, Number(code), 'so');
    const outcome = await rig.during(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 7 }));
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === 'rejected') {
      expect(outcome.code).toBe(code);
      expect(outcome.message).toMatch(/so \(\d+\)/);
      expect(outcome.message).not.toMatch(/; (;|$)/);
    }
    expect(await leverages('BTCUSDT')).toEqual([`BTCUSDT BOTH ${leverage}`]);
  });

  it.each([
    ['110024', 'close the position'],
    ['110013', 'choose a lower one'],
    ['110028', 'cancel the open orders of the symbol'],
    ['110029', 'contracts in USDC have no hedge mode'],
    ['110038', 'in portfolio margin there is no leverage'],
    ['3400052', 'cancel the open orders first'],
    ['3400054', 'cancel the open orders first'],
  ])('that is refused with %s says behind the words of Bybit what to do: %s', async (code, words) => {
    rig.refuse(LEVERAGE, Number(code), 'no');
    const outcome = await rig.during(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 7 }));
    expect(outcome).toMatchObject({ kind: 'rejected', message: expect.stringMatching(`^no .*; ${words}`) });
  });

  it.each(['request', 'answer'] as const)(
    'whose %s is lost is not known, and believed where an event tells it',
    async (what) => {
      rig.net.loses = { what, paths: /set-leverage/ };
      expect(await rig.during(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 7 }))).toMatchObject({
        kind: 'unknown',
      });
      expect(await leverages('BTCUSDT')).toEqual([`BTCUSDT BOTH ${what === 'answer' ? 7 : 10}`]);
    },
  );

  it('of a contract that none has told of is asked for, twenty a call, and only that', async () => {
    const symbols = Array.from({ length: 22 }, (_, n) => `N${n}USDT`);
    for (const symbol of symbols) rig.list(POSITIONS, [flat(symbol, 0, '5')]);
    expect(await leverages('BTCUSDT', ...symbols)).toHaveLength(21);
    expect(rig.asked(POSITIONS)).toEqual(
      symbols.slice(0, 20).map((symbol) => ({ category: 'linear', symbol })),
    );
    expect(await leverages('BTCUSDT', ...symbols)).toHaveLength(23);
    expect(rig.asked(POSITIONS)).toHaveLength(22);
    rig.refuse(POSITIONS, 10_016);
    expect(await rig.during(futures.leverage(['OTHERUSDT']))).toBeNull();
  });
});

describe('the margin mode', () => {
  it.each([
    ['ISOLATED_MARGIN', 1, 'ISOLATED'],
    ['REGULAR_MARGIN', 2, 'CROSSED'],
    ['PORTFOLIO_MARGIN', 3, 'CROSSED'],
    ['ODD_MARGIN', 4, 'CROSSED'],
  ] as const)('%s is %i, and contracts are %s in it', async (marginMode, mode, marginType) => {
    rig.say('/v5/account/info', answer({ unifiedMarginStatus: 6, marginMode }));
    expect(await rig.during(futures.marginMode())).toBe(mode);
    expect(await rig.during(futures.leverage(['BTCUSDT']))).toMatchObject([{ marginType }]);
    const other = marginType === 'CROSSED' ? 'ISOLATED' : 'CROSSED';
    const so = await rig.during(futures.setMarginType('BTCUSDT', marginType));
    // What nobody knows is nothing that is so already.
    expect(so.kind).toBe(mode === 4 ? 'rejected' : 'done');
    expect((await rig.during(futures.setMarginType('BTCUSDT', other))).kind).toBe('rejected');
    if (mode === 4) return;
    rig.say(MARGIN, answer({ reasons: [] }));
    expect(await rig.during(futures.setMarginMode(mode))).toEqual({ kind: 'done' });
    expect(rig.asked(MARGIN)).toEqual([{ setMarginMode: marginMode }]);
    rig.refuse('/v5/account/info', 10_016);
    expect(await rig.during(futures.marginMode())).toBeNull();
  });

  it('that is refused stays as it was, with all reasons; one that Bybit has not is not sent', async () => {
    rig.say(MARGIN, {
      ...{ retCode: 3_400_045, retMsg: 'Set margin mode failed' },
      result: { reasons: [{ reasonMsg: 'one' }, { reasonCode: '5' }, { reasonMsg: 'x'.repeat(300) }] },
    });
    const outcome = await rig.during(futures.setMarginMode(1));
    const words = `one; ; ${'x'.repeat(200)}`.slice(0, 200);
    expect(outcome).toEqual({
      ...{ kind: 'rejected', code: '3400045', message: `Set margin mode failed (3400045); ${words}` },
    });
    expect(await rig.during(futures.leverage(['BTCUSDT']))).toMatchObject([{ marginType: 'CROSSED' }]);
    expect(await rig.during(futures.setMarginMode(4))).toMatchObject({ code: 'MARGIN_MODE' });
    expect(rig.asked(MARGIN)).toHaveLength(1);
    rig.say(MARGIN, answer({ reasons: [] }));
    expect((await rig.during(futures.setMarginMode(1))).kind).toBe('done');
    expect(await rig.during(futures.leverage(['BTCUSDT', 'ETHUSDT']))).toMatchObject([
      { marginType: 'ISOLATED' },
      { marginType: 'ISOLATED' },
    ]);
  });
});

describe('the position mode', () => {
  it('is read from a contract in USDT, of which there has to be one', async () => {
    expect(await rig.during(futures.hedgeMode())).toBe(false);
    expect(rig.asked(POSITIONS)).toEqual([{ category: 'linear', symbol: 'BTCUSDT' }]);
    rig.refuse(POSITIONS, 10_016);
    expect(await rig.during(futures.hedgeMode())).toBeNull();
    // An account that has none of it open says nothing of a mode: one-way.
    const { linearSymbols } = rig.emulator.settings;
    const of = (name: string) => linearSymbols.filter(({ symbol }) => symbol === name);
    await opens({ settings: { linearSymbols: [...of('BTCPERP'), ...of('ETHUSDT')] } });
    expect(await rig.during(futures.hedgeMode())).toBe(false);
    expect(rig.asked(POSITIONS)).toEqual([{ category: 'linear', symbol: 'ETHUSDT' }]);
    await opens({ settings: { linearSymbols: of('BTCPERP') } });
    expect(await rig.during(futures.hedgeMode())).toBeNull();
    expect(rig.asked(POSITIONS)).toEqual([]);
  });

  it('is set for all contracts in USDT, which are read again then', async () => {
    for (const [on, mode, sides] of [
      [true, '3', ['LONG', 'SHORT', 'BOTH']],
      [false, '0', ['BOTH', 'BOTH']],
    ] as const) {
      rig.forget();
      expect(await rig.during(futures.setHedgeMode(on))).toEqual({ kind: 'done' });
      expect(rig.asked(HEDGE)).toEqual([{ category: 'linear', coin: 'USDT', mode: Number(mode) }]);
      await rig.clock.advance(5_000);
      const asked = rig.asked(POSITIONS).map(({ symbol }) => symbol);
      expect(new Set(asked)).toEqual(new Set(rig.venue.instruments().map(({ symbol }) => symbol)));
      rig.forget();
      const told = await rig.during(futures.leverage(['BTCUSDT', 'BTCPERP']));
      expect(told?.map(({ side }) => side)).toEqual(sides);
      expect(rig.asked(POSITIONS)).toEqual([]);
    }
  });

  it('that is refused changes nothing and has nothing read again', async () => {
    rig.refuse(HEDGE, 110_024, 'has positions');
    expect(await rig.during(futures.setHedgeMode(true))).toMatchObject({
      ...{ kind: 'rejected', code: '110024', message: expect.stringContaining('has positions') },
    });
    expect(rig.asked(POSITIONS)).toEqual([]);
    expect(await leverages('BTCUSDT')).toEqual(['BTCUSDT BOTH 10']);
  });

  it('that is set and cannot be read afterwards is not known', async () => {
    rig.refuse(POSITIONS, 10_016);
    expect(await rig.during(futures.setHedgeMode(true))).toMatchObject({ kind: 'unknown' });
    await rig.clock.advance(5_000);
    expect(await leverages('BTCUSDT')).toEqual(['BTCUSDT LONG 10', 'BTCUSDT SHORT 10']);
  });

  it('counts for every contract at once, before any of them was read again', async () => {
    for (const [on, sides] of [
      [true, ['LONG', 'SHORT']],
      [false, ['BOTH', 'BOTH']],
    ] as const) {
      await rig.clock.advance(5_000);
      rig.told.fills.length = 0;
      expect(await rig.during(futures.setHedgeMode(on))).toEqual({ kind: 'done' });
      const row = (symbol: string, side: string) => ({
        ...{ category: 'linear', symbol, orderId: symbol, side, execId: `${symbol} ${on}`, closedSize: '0' },
        ...{ execType: 'Trade', execPrice: '1', execQty: '1', execTime: '1' },
      });
      rig.hear('execution.linear', [row('ETHUSDT', 'Buy'), row('BTCUSDT', 'Sell')]);
      expect(rig.told.fills.map(({ posSide }) => posSide)).toEqual(sides);
    }
  });

  it('of the account is that of an execution whose contract nobody has told of yet', async () => {
    await opens({ settings: { hedge: true } });
    rig.list(POSITIONS, [flat('BTCUSDT', 1, '3'), flat('BTCUSDT', 2, '4')]);
    for (let n = 0; n < 20; n++) rig.refuse(POSITIONS, 10_016);
    expect(await rig.during(futures.setHedgeMode(true))).toEqual({ kind: 'done' });
    await rig.clock.advance(5_000);
    const row = (symbol: string, side: string, closedSize: string) => ({
      ...{ category: 'linear', symbol, orderId: symbol, side, execId: `${symbol}${side}`, closedSize },
      ...{ execType: 'Trade', execPrice: '1', execQty: '1', execTime: '1' },
    });
    rig.hear('execution.linear', [
      ...[row('ETHUSDT', 'Buy', '0'), row('SOLUSDT', 'Sell', '0'), row('ETHUSDT', 'Sell', '1')],
    ]);
    expect(rig.told.fills.map(({ posSide }) => posSide)).toEqual(['LONG', 'SHORT', 'LONG']);
  });
});
