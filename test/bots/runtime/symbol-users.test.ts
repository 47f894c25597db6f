/**
 * Runs on a futures symbol whose sides an exchange separates in hedge mode: each side has its own leverage
 * and margin type.
 */
import { describe, expect, it } from 'vitest';
import type { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { RunLife } from '../../../src/bots/runtime/run-life.ts';
import { type SymbolUse, settingConflict, startConflict } from '../../../src/bots/runtime/symbol-users.ts';
import type { LeverageInfo } from '../../../src/domain/position.ts';
import { Leverages } from '../../../src/engine/leverage.ts';
import { EngineMemory } from '../../../src/engine/memory.ts';
import { StepContext } from '../../../src/engine/step-context.ts';

const BTC = 'BTCUSDT';
const rules = { symbol: BTC, kind: 'futures' };

/** A run of this direction that takes the present settings, unless it asks for others. */
function run(short: boolean, asks: { leverage?: number; marginType?: string } = {}) {
  return {
    settings: {
      type: 'CHANNEL',
      name: '',
      short,
      positionSide: 'BOTH',
      deposit: { leverage: asks.leverage ?? null },
      marginType: asks.marginType ?? null,
    },
    rules,
  };
}

/** LONG at 20x crossed, SHORT at 5x isolated, and an active run. */
function sides(present: ReturnType<typeof run>, known = true) {
  const leverage = new Leverages();
  const info = (side: 'LONG' | 'SHORT', at: number, marginType: LeverageInfo['marginType']) =>
    leverage.set({ symbol: BTC, side, leverage: at, marginType, realizedPnl: '0' });
  if (known) {
    info('LONG', 20, 'CROSSED');
    info('SHORT', 5, 'ISOLATED');
  }
  const account = { futures: { hedge: true, leverage, positions: new Map() } };
  const memory = { accounts: new Map([['f', account]]), account: () => account } as unknown as EngineMemory;
  const live = { id: 'r1', going: true, parts: { exchange: 'f', botId: 'b1' }, run: present };
  const book = { runs: new Map([['r1', live]]) } as unknown as BotBook;
  return {
    start: (asked: ReturnType<typeof run>) =>
      startConflict(memory, book, { runId: 'r2', exchange: 'f', ...asked } as unknown as SymbolUse),
    set: (setting: object) =>
      settingConflict(memory, book, 'f', { symbol: BTC, ...setting } as Parameters<
        typeof settingConflict
      >[3]),
  };
}

describe('a start beside a run that took what was set', () => {
  it.each([
    [true, { leverage: 5 }, null],
    [true, { leverage: 20 }, 'is SHORT at 5x'],
    [true, { marginType: 'ISOLATED' }, null],
    [true, { marginType: 'CROSSED' }, 'is SHORT with ISOLATED margin'],
    [false, { leverage: 20 }, null],
    [false, { leverage: 5 }, 'is LONG at 20x'],
    [false, { marginType: 'CROSSED' }, null],
    [false, { marginType: 'ISOLATED' }, 'is LONG with CROSSED margin'],
  ])('short %s, that asks for %j: %s', (short, asks, words) => {
    const said = sides(run(short)).start(run(short, asks));
    if (words === null) expect(said).toBeNull();
    else expect(said).toContain(words);
  });
});

describe('a setting of the symbol while a run goes on', () => {
  it.each([
    ['leverage', { leverage: 20 }],
    ['leverage', { leverage: 5 }],
    ['marginType', { marginType: 'CROSSED' }],
    ['marginType', { marginType: 'ISOLATED' }],
  ])('is refused where it changes one side: %s %j', (kind, setting) => {
    expect(sides(run(true)).set({ kind, ...setting })).toContain('stays as it is');
    expect(sides(run(true)).set({ kind, ...setting, symbol: 'ETHUSDT' })).toBeNull();
  });

  it('of one side may be what it is', () => {
    const at = sides(run(true));
    expect(at.set({ kind: 'leverage', leverage: 5, side: 'SHORT' })).toBeNull();
    expect(at.set({ kind: 'leverage', leverage: 20, side: 'SHORT' })).not.toBeNull();
    expect(at.set({ kind: 'leverage', leverage: 20, side: 'LONG' })).toBeNull();
    const both = { kind: 'leverage', leverage: 5, marginType: 'CROSSED', side: 'SHORT' };
    expect(at.set(both)).not.toBeNull();
  });

  it('is refused where nothing is known of the symbol', () => {
    expect(sides(run(false), false).set({ kind: 'leverage', leverage: 1 })).not.toBeNull();
  });
});

describe('before its start a run asks for what its own side is not set to, margin type first', () => {
  it.each([
    [false, { leverage: 20, marginType: 'CROSSED' }, 'starts'],
    [true, { leverage: 5, marginType: 'ISOLATED' }, 'starts'],
    [true, { leverage: 20, marginType: 'ISOLATED' }, 'leverage'],
    [false, { leverage: 5, marginType: 'CROSSED' }, 'leverage'],
    [true, { leverage: 20, marginType: 'CROSSED' }, 'marginType'],
    [false, {}, 'starts'],
  ])('short %s that asks for %j: %s', (short, asks, first) => {
    const leverage = new Leverages();
    const known = { symbol: BTC, realizedPnl: '0' };
    leverage.set({ ...known, side: 'LONG', leverage: 20, marginType: 'CROSSED' });
    leverage.set({ ...known, side: 'SHORT', leverage: 5, marginType: 'ISOLATED' });
    const memory = new EngineMemory();
    memory.account = () => ({ futures: { hedge: true, leverage }, caps: {} }) as never;
    const step = new StepContext(memory, { wall: 0, market: 0, mono: 0 });
    const did: string[] = [];
    const life = new RunLife({
      settle: () => did.push('starts'),
      pauseOf: () => null,
    } as unknown as BotEngine);
    const live = {
      id: 'r',
      parts: { exchange: 'f' },
      settings: [],
      run: { ...run(short, asks), state: {}, start() {} },
    };
    life.arrange(step, live as unknown as LiveRun);
    for (const effect of step.effects) if (effect.kind === 'setting') did.push(effect.setting.kind);
    expect(did).toEqual([first]);
    expect(memory.settings.size).toBe(first === 'starts' ? 0 : 1);
  });
});

describe('in one-way mode a twap', () => {
  const twap = (side: 'BUY' | 'SELL') => ({
    settings: { type: 'ALGO', algo: 'twap', name: '', side, deposit: null, marginType: null },
    rules,
  });
  const position = (amount: string) => ({
    symbol: BTC,
    amount,
    side: 'BOTH',
    leverage: 20,
    marginType: 'CROSSED',
  });
  /** The refusal of a run beside one other run, or beside a position that is held by hand. */
  const said = (asked: object, others: { runs?: object[]; position?: string; exchange?: string }) => {
    const positions = new Map(others.position ? [['p', position(others.position)]] : []);
    const account = { futures: { hedge: false, leverage: new Leverages(), positions } };
    const memory = { account: () => account } as unknown as EngineMemory;
    const { exchange = 'f' } = others;
    const lives = (others.runs ?? []).map((run, at) => ({
      id: `r${at}`,
      going: true,
      parts: { exchange, botId: 'b1' },
      run,
    }));
    const book = { runs: new Map(lives.map((live) => [live.id, live])) } as unknown as BotBook;
    return startConflict(memory, book, {
      runId: 'new',
      exchange: 'f',
      ...asked,
    } as unknown as SymbolUse);
  };

  it.each([
    ['SELL', false, 'is LONG'],
    ['SELL', true, null],
    ['BUY', true, 'is SHORT'],
    ['BUY', false, null],
  ] as const)('that %ss beside a run that is short %s: %s', (side, short, words) => {
    const beside = { runs: [run(short)] };
    if (words === null) expect(said(twap(side), beside)).toBeNull();
    else expect(said(twap(side), beside)).toContain(words);
    // Runs of another account do not matter.
    expect(said(twap(side), { ...beside, exchange: 'other' })).toBeNull();
  });

  it('may go against a position that is held by hand, which another bot may not', () => {
    expect(said(twap('SELL'), { position: '2' })).toBeNull();
    expect(said(twap('BUY'), { position: '-2' })).toBeNull();
    expect(said(run(true), { position: '2' })).toContain('is LONG at 20x by a position held by hand');
    expect(said(run(true), { position: '-2' })).toBeNull();
  });
});
