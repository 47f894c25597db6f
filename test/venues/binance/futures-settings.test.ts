/**
 * How a futures account trades: what is sent to change it, what each answer means, that only what was changed
 * counts as changed, and whose change an event tells.
 */
import { describe, expect, it } from 'vitest';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import { futuresRig, type Rig } from './futures-rig.ts';
import { HandAnswers } from './hand-answers-support.ts';

const CONFIG = 'GET /fapi/v1/accountConfig';
const CONFIGS = 'GET /fapi/v1/symbolConfig';
const RISK = 'GET /fapi/v3/positionRisk';
const BTC = 'BTCUSDT';

async function opened() {
  const rig = futuresRig();
  await rig.open();
  rig.forget();
  rig.reports.length = 0;
  return { rig, hand: new HandAnswers(rig.net) };
}

const infoOf = (rig: Rig, symbols = [BTC, 'ETHUSDT']) => rig.during(rig.venue.futures.leverage(symbols));

type Change = (rig: Rig) => Promise<SettingOutcome>;
const SETTERS: Readonly<Record<string, [Change, name: string, parameters: object]>> = {
  leverage: [
    ({ venue }) => venue.futures.setLeverage({ symbol: BTC, leverage: 7, side: 'LONG' }),
    'POST /fapi/v1/leverage',
    { symbol: BTC, leverage: '7' },
  ],
  'margin type': [
    ({ venue }) => venue.futures.setMarginType(BTC, 'ISOLATED'),
    'POST /fapi/v1/marginType',
    { symbol: BTC, marginType: 'ISOLATED' },
  ],
  'hedge mode': [
    ({ venue }) => venue.futures.setHedgeMode(true),
    'POST /fapi/v1/positionSide/dual',
    { dualSidePosition: 'true' },
  ],
  'one-way mode': [
    ({ venue }) => venue.futures.setHedgeMode(false),
    'POST /fapi/v1/positionSide/dual',
    { dualSidePosition: 'false' },
  ],
  'single-asset mode': [
    ({ venue }) => venue.futures.setMarginMode(1),
    'POST /fapi/v1/multiAssetsMargin',
    { multiAssetsMargin: 'false' },
  ],
};
const [LEVERAGE, MARGIN_TYPE, HEDGE] = ['leverage', 'margin type', 'hedge mode'].map(
  (name) => SETTERS[name] as [Change, string, object],
) as [[Change, string, object], [Change, string, object], [Change, string, object]];

describe.each(Object.entries(SETTERS))('a change to %s', (kind, [change, name, parameters]) => {
  const done =
    kind === 'leverage' ? { symbol: BTC, leverage: 7, maxNotionalValue: '1' } : { code: 200, msg: 'ok' };

  it.each<[string, unknown, number, object]>([
    ['done', done, 200, { kind: 'done' }],
    ['so already', { code: -4046, msg: 'No need' }, 400, { kind: 'done' }],
    ['so already, too', { code: -4059, msg: 'No need' }, 400, { kind: 'done' }],
    ['so already, as well', { code: -4171, msg: 'No need' }, 400, { kind: 'done' }],
    [
      'refused with a cure',
      { code: -4067, msg: 'open orders' },
      400,
      { kind: 'rejected', code: '-4067', message: 'open orders (-4067); cancel all open orders first' },
    ],
    [
      'refused by a code of orders',
      { code: -2015, msg: 'Invalid API-key' },
      401,
      { kind: 'rejected', code: '-2015' },
    ],
    ['refused by a limit', { code: -1003, msg: 'Too many' }, 429, { kind: 'rejected', code: '-1003' }],
    ['what nobody knows', { code: -9999, msg: 'new' }, 400, { kind: 'unknown' }],
    ['not known there', { code: -1007, msg: 'Timeout' }, 408, { kind: 'unknown' }],
    ['a page', '<html>', 502, { kind: 'unknown' }],
    ['what cannot be read', {}, 200, { kind: 'unknown' }],
  ])('that is answered as %s is so, and sent once', async (_, body, status, outcome) => {
    const { rig, hand } = await opened();
    hand.on(name, body, status);
    expect(await rig.during(change(rig))).toMatchObject(outcome);
    expect(hand.asked()).toEqual([{ name, parameters }]);
  });

  it('of which nothing comes back may have been made', async () => {
    const { rig, hand } = await opened();
    hand.lose(name);
    expect(await rig.during(change(rig))).toMatchObject({ kind: 'unknown' });
    expect(hand.names()).toEqual([name]);
  });
});

describe('what was changed', () => {
  const risk = (more: object) => ({
    ...{ symbol: BTC, positionSide: 'BOTH', positionAmt: '2', entryPrice: '100', breakEvenPrice: '101' },
    ...{
      markPrice: '104',
      unRealizedProfit: '8',
      liquidationPrice: '60',
      isolatedWallet: '0',
      updateTime: 1,
    },
    ...more,
  });

  it('counts from then on, of its symbol alone, and only where it was done', async () => {
    const { rig, hand } = await opened();
    hand.on(RISK, [risk({}), risk({ symbol: 'ETHUSDT' })]);
    const shown = async () =>
      (await rig.during(rig.venue.futures.positions()))?.map(({ leverage, marginType }) => [
        leverage,
        marginType,
      ]);
    const before = await shown();
    for (const [change, name] of [LEVERAGE, MARGIN_TYPE]) {
      hand.refuse(name, -4067);
      await rig.during(change(rig));
      hand.lose(name);
      await rig.during(change(rig));
    }
    expect(await shown()).toEqual(before);
    hand.on(LEVERAGE[1], { symbol: BTC, leverage: 7 }).on(MARGIN_TYPE[1], { code: 200 });
    await rig.during(LEVERAGE[0](rig));
    expect(await shown()).toEqual([[7, 'CROSSED'], before?.[1]]);
    await rig.during(MARGIN_TYPE[0](rig));
    expect(await shown()).toEqual([[7, 'ISOLATED'], before?.[1]]);
  });

  it('to hedge mode shows both sides, once it is done', async () => {
    const { rig, hand } = await opened();
    const sides = async () => (await infoOf(rig))?.map(({ symbol, side }) => `${symbol} ${side}`);
    hand.refuse(HEDGE[1], -4067);
    await rig.during(HEDGE[0](rig));
    expect(await sides()).toEqual(['BTCUSDT BOTH', 'ETHUSDT BOTH']);
    hand.on(HEDGE[1], { code: 200 });
    await rig.during(HEDGE[0](rig));
    expect(await sides()).toEqual(['BTCUSDT LONG', 'BTCUSDT SHORT', 'ETHUSDT LONG', 'ETHUSDT SHORT']);
    await rig.during(rig.venue.futures.setHedgeMode(false));
    expect(await sides()).toEqual(['BTCUSDT BOTH', 'ETHUSDT BOTH']);
  });

  it('to single-asset mode opens again what is new, once it is done', async () => {
    const { rig, hand } = await opened();
    hand.on(CONFIG, { dualSidePosition: false, multiAssetsMargin: true });
    expect(await rig.during(rig.venue.futures.marginMode())).toBe(2);
    const opens = async (clientId: string) => (await rig.submit({ clientId })).kind;
    expect(await opens('bf-1')).toBe('rejected');
    const name = 'POST /fapi/v1/multiAssetsMargin';
    hand.refuse(name, -4170);
    await rig.during(rig.venue.futures.setMarginMode(1));
    expect(await opens('bf-2')).toBe('rejected');
    for (const mode of [2, 3] as const) {
      hand.asked();
      expect(await rig.during(rig.venue.futures.setMarginMode(mode))).toMatchObject({ code: 'MARGIN_MODE' });
      expect(hand.names()).toEqual([]);
    }
    expect(await opens('bf-3')).toBe('rejected');
    hand.on(name, { code: 200 });
    await rig.during(rig.venue.futures.setMarginMode(1));
    expect(await opens('bf-4')).toBe('accepted');
  });
});

describe('how the account trades', () => {
  it('is asked for each time, and is not known where that fails', async () => {
    const { rig, hand } = await opened();
    const { futures } = rig.venue;
    for (const [clientId, dualSidePosition, multiAssetsMargin] of [
      ['bf-1', false, true],
      ['bf-2', false, false],
    ] as const) {
      hand.on(CONFIG, { canTrade: true, dualSidePosition, multiAssetsMargin });
      expect(await rig.during(futures.hedgeMode())).toBe(dualSidePosition);
      expect(await rig.during(futures.marginMode())).toBe(multiAssetsMargin ? 2 : 1);
      expect(hand.names()).toEqual([CONFIG, CONFIG]);
      // In multi-assets mode nothing new is opened, as soon as either is known.
      expect((await rig.submit({ clientId })).kind).toBe(multiAssetsMargin ? 'rejected' : 'accepted');
      hand.asked();
    }
    // Either question tells both.
    hand.on(CONFIG, { dualSidePosition: true, multiAssetsMargin: true });
    expect(await rig.during(futures.hedgeMode())).toBe(true);
    expect((await infoOf(rig, [BTC]))?.map(({ side }) => side)).toEqual(['LONG', 'SHORT']);
    expect(await rig.submit({ clientId: 'bf-3' })).toMatchObject({ code: 'MULTI_ASSETS' });
    hand.lose(CONFIG);
    expect([await rig.during(futures.hedgeMode()), await rig.during(futures.marginMode())]).toEqual([
      null,
      null,
    ]);
  });

  it('by symbol has the leverage and the margin type that are asked for then', async () => {
    const { rig, hand } = await opened();
    hand.on(CONFIGS, [
      { symbol: BTC, marginType: 'CROSSED', isAutoAddMargin: 'false', leverage: 21, maxNotionalValue: '1' },
      { symbol: 'ETHUSDT', marginType: 'ISOLATED', leverage: 9 },
    ]);
    const info = { side: 'BOTH', realizedPnl: '0' };
    expect(await infoOf(rig, ['ETHUSDT', 'NOSUCH', BTC])).toEqual([
      { ...info, symbol: 'ETHUSDT', leverage: 9, marginType: 'ISOLATED' },
      { ...info, symbol: BTC, leverage: 21, marginType: 'CROSSED' },
    ]);
    expect(hand.asked()).toEqual([{ name: CONFIGS, parameters: {} }]);
    hand.on(CONFIGS, 'busy', 500);
    expect(await infoOf(rig)).toBeNull();
  });

  it('keeps a position that was told while a slow list without it was under way', async () => {
    const { rig, hand } = await opened();
    hand.on(RISK, []);
    const request = rig.net.request;
    const told = (T: number) => {
      const P = [{ s: BTC, pa: '2', ep: '50', up: '0', mt: 'cross', iw: '0', ps: 'BOTH' }];
      rig
        .sockets()
        .at(-1)
        ?.message(JSON.stringify({ e: 'ACCOUNT_UPDATE', E: T, T, a: { m: 'ORDER', P } }));
    };
    rig.net.request = async (asked) => {
      if (!asked.path.startsWith('/fapi/v3/positionRisk')) return request(asked);
      told(rig.emulator.now() + 100);
      await new Promise<void>((resolve) => rig.clock.after(8_000, resolve));
      return request(asked);
    };
    expect(await rig.during(rig.venue.futures.positions(), 20_000)).toEqual([]);
    // It is there to reduce: an order that others reduce already is refused for that.
    hand.refuse('POST /fapi/v1/order', -2022);
    const exit = { clientId: 'bf-1', side: 'SELL', reduceOnly: true } as const;
    expect(await rig.submit(exit)).toMatchObject({ kind: 'rejected', reason: 'EXITS_REST' });
  });

  it('is asked for before positions are told, where nothing of it is known yet', async () => {
    const rig = futuresRig();
    const hand = new HandAnswers(rig.net);
    hand.on(CONFIGS, []);
    await rig.open();
    hand.asked();
    hand.lose(CONFIGS);
    expect(await rig.during(rig.venue.futures.positions())).toBeNull();
    expect(hand.names()).toEqual([CONFIGS]);
    hand.on(CONFIGS, [{ symbol: BTC, marginType: 'crossed', leverage: 4 }]);
    expect(await rig.during(rig.venue.futures.positions())).toEqual([]);
    expect(await rig.during(rig.venue.futures.positions())).toEqual([]);
    expect(hand.names()).toEqual([CONFIGS, RISK, RISK]);
  });
});

describe('a setting that an event tells', () => {
  const leverage = (s: string, l: number) => ({ e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1, ac: { s, l } });
  const assets = (j: boolean) => ({ e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1, ai: { j } });

  async function changed(...changes: Change[]) {
    const { rig, hand } = await opened();
    hand.on(LEVERAGE[1], { symbol: BTC, leverage: 7 });
    for (const [, name] of Object.values(SETTERS)) if (name !== LEVERAGE[1]) hand.on(name, { code: 200 });
    for (const change of changes) await rig.during(change(rig));
    const tell = (event: object) => {
      rig.sockets().at(-1)?.message(JSON.stringify(event));
      return rig.told.stream.splice(0).length > 0;
    };
    return { rig, tell };
  }
  const single = SETTERS['single-asset mode']?.[0] as Change;

  it.each<[string, Change[], event: object, isCompared: boolean]>([
    ['our leverage', [LEVERAGE[0]], leverage(BTC, 7), false],
    ['another leverage', [LEVERAGE[0]], leverage(BTC, 8), true],
    ['ours of another symbol', [LEVERAGE[0]], leverage('ETHUSDT', 7), true],
    ['our leverage behind our margin type', [LEVERAGE[0], MARGIN_TYPE[0]], leverage(BTC, 7), false],
    ['a leverage where we changed the margin type', [MARGIN_TYPE[0]], leverage(BTC, 7), true],
    ['a leverage where we changed the mode', [HEDGE[0], single], leverage(BTC, 7), true],
    ['our single-asset mode', [single], assets(false), false],
    ['multi-assets mode where we left it', [single], assets(true), true],
    ['an asset mode where we changed hedge mode', [HEDGE[0]], assets(false), true],
    ['an asset mode where we changed a leverage', [LEVERAGE[0]], assets(false), true],
    ['nothing that is known', [LEVERAGE[0], single], { e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1 }, true],
    ['ours and one of others', [LEVERAGE[0], single], { ...leverage(BTC, 7), ai: { j: true } }, true],
    ['two of ours', [LEVERAGE[0], single], { ...leverage(BTC, 7), ai: { j: false } }, false],
  ])('as %s is compared where nobody here has asked for it', async (_, changes, event, isCompared) => {
    const { tell } = await changed(...changes);
    expect(tell(event)).toBe(isCompared);
  });

  it('is ours however long its answer was under way', async () => {
    const { rig } = await opened();
    const request = rig.net.request;
    rig.net.request = async (asked) => {
      if (asked.path.startsWith('/fapi/v1/leverage'))
        await new Promise<void>((resolve) => rig.clock.after(9_000, resolve));
      return request(asked);
    };
    await rig.during(LEVERAGE[0](rig), 20_000);
    await rig.clock.advance(2_000);
    rig
      .sockets()
      .at(-1)
      ?.message(JSON.stringify(leverage(BTC, 7)));
    expect(rig.told.stream).toEqual([]);
  });

  it('is ours for ten seconds after its answer', async () => {
    const { rig, tell } = await changed(LEVERAGE[0]);
    await rig.clock.advance(9_990);
    expect(tell(leverage(BTC, 7))).toBe(false);
    await rig.clock.advance(20);
    expect(tell(leverage(BTC, 7))).toBe(true);
  });
});
