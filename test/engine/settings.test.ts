/**
 * Settings of an account: which account has which, the response to each, the effects of a changed one and
 * what it leaves unchanged (S40, S58).
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../src/domain/decimal.ts';
import type { ExchangePosition, LeverageInfo, Setting, SettingOutcome } from '../../src/domain/position.ts';
import type { EngineExtension } from '../../src/engine/extension.ts';
import { Bench } from './support/bench.ts';
import { FUTURES, FUTURES_ACCOUNT, FUTURES_BTC, OPERATOR, SPOT, START } from './support/market.ts';

const LEVERAGE: Setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 };
const TYPE: Setting = { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' };
const MODE: Setting = { kind: 'marginMode', mode: 2 };
const HEDGE: Setting = { kind: 'hedgeMode', on: true };
const DUST: Setting = { kind: 'dust', assets: ['BTC', 'ETH'] };
const DONE: SettingOutcome = { kind: 'done' };

function ask(bench: Bench, setting: Setting, more: { key?: string } = {}) {
  const asked = bench.ask(
    { type: 'setting', exchange: bench.exchange, setting },
    { actor: OPERATOR, ...more },
  );
  const [sent] = bench.kinds('setting');
  return { ...asked, id: sent?.kind === 'setting' ? sent.id : null, sent };
}
function done(bench: Bench, id: string | null, outcome: SettingOutcome) {
  return bench.event({ type: 'setting-done', id: id ?? '', outcome });
}
function make(bench: Bench, setting: Setting): void {
  done(bench, ask(bench, setting).id, DONE);
}

describe('a setting', () => {
  it.each([
    ['spot', LEVERAGE, 500, 'paper-spot has no leverage'],
    ['spot', TYPE, 500, 'paper-spot has no margin type'],
    ['spot', MODE, 500, 'paper-spot has no margin mode'],
    ['spot', HEDGE, 400, 'paper-spot has no hedge mode; name a futures exchange'],
    ['futures', DUST, 500, 'paper-futures has no dust conversion'],
    [
      'futures',
      { ...LEVERAGE, symbol: 'DOGE' },
      400,
      'symbol "DOGE" is not traded on paper-futures; for example BTCUSDT',
    ],
    [
      'futures',
      { ...TYPE, symbol: 'DOGE' },
      400,
      'symbol "DOGE" is not traded on paper-futures; for example BTCUSDT',
    ],
  ] as const)('on %s: %o is refused with %d', (kind, setting, status, message) => {
    const bench = new Bench({ futures: kind === 'futures' });
    const { reply, sent } = ask(bench, setting as Setting);
    expect(sent).toBeUndefined();
    expect(reply()).toMatchObject({ status, message });
  });

  it.each([
    [LEVERAGE, DONE, null],
    [TYPE, DONE, { symbol: 'BTCUSDT', marginType: 'ISOLATED' }],
    [MODE, DONE, { mode: 2 }],
    [HEDGE, DONE, { dualSidePosition: true }],
    [{ kind: 'hedgeMode', on: false }, DONE, { dualSidePosition: false }],
  ] as const)('%o is sent as it is, and answered with what it is now', (setting, outcome, data) => {
    const bench = new Bench({ futures: true });
    const { id, sent, reply } = ask(bench, setting);
    expect(sent).toEqual({ kind: 'setting', id, exchange: FUTURES, setting });
    done(bench, id, outcome);
    expect(JSON.parse(reply().answer.body).data).toEqual(data);
    // The answer may come twice.
    expect(done(bench, id, outcome)).toEqual([]);
  });

  it('is answered with what the exchange says of a dust conversion', () => {
    const bench = new Bench();
    const dust = { converted: [], toAsset: 'BNB', received: '1' };
    const first = ask(bench, DUST);
    done(bench, first.id, { kind: 'done', dust });
    expect(JSON.parse(first.reply().answer.body).data).toEqual(dust);
    bench.pass(1);
    const second = ask(bench, DUST);
    done(bench, second.id, DONE);
    expect(JSON.parse(second.reply().answer.body).data).toBeNull();
  });

  it('that the exchange refuses, or does not answer, is said so and changes nothing', () => {
    const bench = new Bench({ futures: true });
    const refused = ask(bench, HEDGE);
    done(bench, refused.id, { kind: 'rejected', code: '-4067', message: 'There are orders.' });
    expect(refused.reply()).toMatchObject({ status: 400, reason: 'VENUE', message: 'There are orders.' });
    bench.pass(1);
    const lost = ask(bench, HEDGE);
    done(bench, lost.id, { kind: 'unknown', cause: 'timeout' });
    expect(lost.reply()).toMatchObject({
      status: 503,
      message: 'whether the exchange made the change is unknown (timeout); read it and try again',
    });
    expect(bench.engine.memory.account(FUTURES).futures?.hedge).toBe(false);
  });

  it('of dust leaves what bots keep, however little, and takes the rest', () => {
    const bench = new Bench();
    const { reserved } = bench.engine.memory.account(SPOT).wallet;
    reserved.set('ETH', { shown: 1n, excess: 0n });
    expect(ask(bench, DUST).reply()).toMatchObject({
      status: 400,
      reason: 'RESERVED',
      message: 'ETH: reserved by bots, not to be converted',
    });
    reserved.clear();
    reserved.set('USDT', { shown: dec('5'), excess: 0n });
    expect(ask(bench, DUST).sent).toBeDefined();
  });

  it('on which a run counts is refused, by itself and before an order', () => {
    const bench = new Bench({ futures: true });
    const asked: unknown[] = [];
    const keeps: EngineExtension['keeps'] = (exchange, setting) => {
      asked.push([exchange, setting]);
      return 'a run counts on it';
    };
    bench.engine.extension = { keeps, before() {}, after: () => false } as unknown as EngineExtension;
    expect(ask(bench, LEVERAGE).reply()).toMatchObject({ status: 409, message: 'a run counts on it' });
    const order = { price: '50000', quantity: '1', marginType: 'ISOLATED' } as const;
    expect(bench.place(order).reply()).toMatchObject({ status: 409, message: 'a run counts on it' });
    expect(asked).toEqual([
      [FUTURES, LEVERAGE],
      [FUTURES, TYPE],
    ]);
    // An order without a margin type needs no request; an order without an account gets an error.
    bench.place({ price: '50000', quantity: '1' });
    expect(bench.kinds('submit')).toHaveLength(1);
    expect(bench.place({ ...order, exchange: 'x' }).reply()).toMatchObject({
      status: 400,
      reason: 'EXCHANGE',
    });
    expect(asked).toHaveLength(2);
  });

  it('that was on its way when the desk stopped may be asked again under its key', () => {
    const bench = new Bench({ futures: true });
    ask(bench, LEVERAGE, { key: 'k' });
    bench.restart();
    const { id, reply } = ask(bench, LEVERAGE, { key: 'k' });
    done(bench, id, DONE);
    expect(reply().status).toBe(200);
  });

  it('that never left with a commit that failed is told as lost; one that is on its way is not', () => {
    const bench = new Bench({ futures: true });
    const away = ask(bench, LEVERAGE, { key: 'k' });
    const before = bench.engine;
    bench.pass(1);
    const lost = ask(bench, HEDGE);
    const unreleased = bench.effects;
    bench.engine = bench.reload();
    expect(bench.engine.carryOver(before, unreleased)).toEqual([lost.token]);
    bench.start();
    expect(ask(bench, LEVERAGE, { key: 'k' }).reply().status).toBe(409);
    done(bench, away.id, DONE);
    expect(away.reply().status).toBe(200);
  });
});

const POSITION: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'LONG',
  amount: '1',
  entryPrice: '60000',
  breakEvenPrice: '60000',
  markPrice: '60000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 20,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: START,
};
const of = (symbol: string, side: LeverageInfo['side']): LeverageInfo => ({
  symbol,
  side,
  leverage: 20,
  marginType: 'CROSSED',
  realizedPnl: '3',
});

/** Two contracts, each with both sides held. */
function hedged(): Bench {
  const instruments = [FUTURES_BTC, { ...FUTURES_BTC, symbol: 'ETHUSDT', base: 'ETH' }];
  const bench = new Bench({ futures: true, instruments });
  const pairs = (['BTCUSDT', 'ETHUSDT'] as const).flatMap((symbol) =>
    (['LONG', 'SHORT'] as const).map((side) => ({ symbol, side })),
  );
  bench.event({
    type: 'venue.settings',
    exchange: FUTURES,
    hedge: true,
    leverage: pairs.map(({ symbol, side }) => of(symbol, side)),
  });
  const changed = pairs.map((pair) => ({ ...POSITION, ...pair }));
  bench.event({ type: 'venue.positions', exchange: FUTURES, changed, all: true });
  return bench;
}

const known = (bench: Bench) => {
  const { futures } = bench.engine.memory.account(FUTURES);
  const positions = [...(futures?.positions.values() ?? [])];
  return [...(futures?.leverage.all() ?? []), ...positions].map(
    ({ symbol, side, leverage, marginType }) => `${symbol} ${side} ${leverage} ${marginType}`,
  );
};

// proves: S58
describe('a setting that is made', () => {
  it('is so on both sides of its contract and on what is held there, and nowhere else', () => {
    const bench = hedged();
    make(bench, LEVERAGE);
    const eth = ['ETHUSDT LONG 20 CROSSED', 'ETHUSDT SHORT 20 CROSSED'];
    const btc = (how: string) => [`BTCUSDT LONG ${how}`, `BTCUSDT SHORT ${how}`];
    expect(known(bench)).toEqual([...btc('5 CROSSED'), ...eth, ...btc('5 CROSSED'), ...eth]);
    bench.pass(1);
    make(bench, TYPE);
    expect(known(bench)).toEqual([...btc('5 ISOLATED'), ...eth, ...btc('5 ISOLATED'), ...eth]);
    bench.pass(1);
    make(bench, { ...LEVERAGE, leverage: 7, marginType: 'CROSSED' } as Setting);
    expect(known(bench)).toEqual([...btc('7 CROSSED'), ...eth, ...btc('7 CROSSED'), ...eth]);
  });

  it.each([
    [false, 'BTCUSDT BOTH 5 CROSSED'],
    [true, 'BTCUSDT LONG 5 CROSSED'],
  ])('is so for a contract of which nothing was known (hedge mode: %s)', (hedge, told) => {
    const blank = new Bench({ futures: true, more: [{ ...FUTURES_ACCOUNT, id: 'other' }] });
    blank.event({ type: 'venue.settings', exchange: 'other', hedge, leverage: [] });
    const sent = blank.ask({ type: 'setting', exchange: 'other', setting: LEVERAGE });
    const [effect] = blank.kinds('setting');
    done(blank, effect?.kind === 'setting' ? effect.id : '', DONE);
    expect(sent.reply().status).toBe(200);
    const info = [...(blank.engine.memory.account('other').futures?.leverage.all() ?? [])];
    expect(
      info.map(({ symbol, side, leverage, marginType }) => `${symbol} ${side} ${leverage} ${marginType}`),
    ).toEqual([told]);
  });

  it('is newer than what was asked before it, and older than what is asked or told after it', () => {
    const bench = hedged();
    const {
      wallet: { versions },
      futures,
    } = bench.engine.memory.account(FUTURES);
    const askedAt = versions.heard;
    make(bench, LEVERAGE);
    bench.pass(1);
    make(bench, { kind: 'hedgeMode', on: false });
    const old = (at?: number) => ({
      exchange: FUTURES,
      ...(at === undefined ? {} : { askedAt: at }),
    });
    const answer = { hedge: true, leverage: [of('BTCUSDT', 'LONG')] };
    bench.event({ type: 'venue.settings', ...old(askedAt), ...answer });
    bench.event({ type: 'venue.positions', ...old(askedAt), changed: [POSITION] });
    expect(futures?.hedge).toBe(false);
    expect(known(bench)).toContain('BTCUSDT LONG 5 CROSSED');
    expect(known(bench)).not.toContain('BTCUSDT LONG 20 CROSSED');
    bench.event({ type: 'venue.settings', ...old(versions.heard), ...answer });
    bench.event({ type: 'venue.positions', ...old(versions.heard), changed: [POSITION] });
    expect(futures?.hedge).toBe(true);
    expect(known(bench)).not.toContain('BTCUSDT LONG 5 CROSSED');
  });
});

describe('an account', () => {
  it('on spot has no positions and no settings, whatever is told of them', () => {
    const bench = new Bench();
    expect(bench.event({ type: 'venue.positions', exchange: SPOT, changed: [POSITION], all: true })).toEqual(
      [],
    );
    expect(bench.event({ type: 'venue.settings', exchange: SPOT, hedge: true, leverage: [] })).toEqual([]);
  });

  it('knows its settings once both its mode and its leverages were told together', () => {
    const account = { ...FUTURES_ACCOUNT, id: 'other' };
    const bench = new Bench({ futures: true, more: [account] });
    const { unread } = bench.engine.memory.account('other');
    bench.event({ type: 'venue.settings', exchange: 'other', hedge: false });
    expect(unread.has('settings')).toBe(true);
    bench.event({ type: 'venue.settings', exchange: 'other', leverage: [] });
    expect(unread.has('settings')).toBe(true);
    bench.event({ type: 'venue.settings', exchange: 'other', hedge: false, leverage: [] });
    expect(unread.has('settings')).toBe(false);
  });

  it('tells which symbols and assets have moved since somebody looked, and none that have not', () => {
    const bench = new Bench({ futures: true });
    const { moved } = bench.engine.memory.account(FUTURES);
    moved.assets.clear();
    moved.symbols.clear();
    const tell = (position: Partial<ExchangePosition>, all = false) =>
      bench.event({
        type: 'venue.positions',
        exchange: FUTURES,
        changed: [{ ...POSITION, side: 'BOTH', ...position }],
        all,
      });
    tell({ amount: '0' });
    expect([...moved.symbols]).toEqual([]);
    tell({ amount: '1' });
    expect([...moved.symbols]).toEqual(['BTCUSDT']);
    moved.symbols.clear();
    tell({ amount: '1.0', entryPrice: '61000' });
    expect([...moved.symbols]).toEqual([]);
    tell({ amount: '-1' });
    expect([...moved.symbols]).toEqual(['BTCUSDT']);
    moved.symbols.clear();
    bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [], all: true });
    expect([...moved.symbols]).toEqual(['BTCUSDT']);
    moved.symbols.clear();
    bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [], all: true });
    expect([...moved.symbols]).toEqual([]);
    const balance = (free: string, locked: string) =>
      bench.event({ type: 'venue.balances', exchange: FUTURES, changed: [{ asset: 'USDT', free, locked }] });
    balance('4', '6');
    moved.assets.clear();
    balance('5', '5');
    expect([...moved.assets]).toEqual([]);
    balance('5', '5.5');
    expect([...moved.assets]).toEqual(['USDT']);
  });
});
