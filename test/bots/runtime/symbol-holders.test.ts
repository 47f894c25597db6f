/**
 * Several runs and positions on one futures symbol: each of them may keep another run from its start, or a
 * setting from being changed, whatever else comes before it (strategies.md, R13).
 */
import { describe, expect, it } from 'vitest';
import type { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import { type SymbolUse, settingConflict, startConflict } from '../../../src/bots/runtime/symbol-users.ts';
import type { LeverageInfo } from '../../../src/domain/position.ts';
import { Leverages } from '../../../src/engine/leverage.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';

const BTC = 'BTCUSDT';
const ETH = 'ETHUSDT';

interface Given {
  readonly id: string;
  readonly leverage?: number;
  readonly marginType?: LeverageInfo['marginType'];
  readonly short?: boolean;
  readonly symbol?: string;
  readonly exchange?: string;
  readonly type?: string;
  readonly kind?: string;
  readonly ended?: true;
}

interface Position {
  readonly symbol?: string;
  readonly side?: 'BOTH' | 'LONG' | 'SHORT';
  readonly amount: string;
  readonly leverage?: number;
  readonly marginType?: LeverageInfo['marginType'];
}

function liveOf({ id, symbol = BTC, exchange = 'f', ended, ...more }: Given) {
  const { leverage = 10, marginType = 'CROSSED', short = false, type = 'CHANNEL', kind = 'futures' } = more;
  const settings = { type, name: '', short, positionSide: 'BOTH', deposit: { leverage }, marginType };
  const run = { settings, rules: { symbol, kind } };
  return { id, going: ended !== true, parts: { exchange, botId: `bot-${id}` }, run };
}

/** An account with these runs and positions, BTC and ETH at 10x crossed. */
function account(given: readonly Given[], positions: readonly Position[] = [], hedge = false) {
  const leverage = new Leverages();
  for (const symbol of [BTC, ETH])
    leverage.set({ symbol, side: 'BOTH', leverage: 10, marginType: 'CROSSED', realizedPnl: '0' });
  const all = positions.map((one) => ({
    symbol: BTC,
    side: 'BOTH',
    leverage: 10,
    marginType: 'CROSSED',
    ...one,
  }));
  const futures = { hedge, leverage, positions: new Map(all.map((one, at) => [`${at}`, one])) };
  const of = { futures };
  const accounts = new Map<string, object>([
    ['f', of],
    ['spot', { futures: null }],
  ]);
  const memory = { accounts, account: () => of } as unknown as EngineMemory;
  const book = { runs: new Map(given.map((one) => [one.id, liveOf(one)])) } as unknown as BotBook;
  const { run } = liveOf({ id: 'new' });
  return {
    start: () => startConflict(memory, book, { runId: 'new', exchange: 'f', ...run } as unknown as SymbolUse),
    set: (setting: object, exchange = 'f') =>
      settingConflict(memory, book, exchange, setting as Parameters<typeof settingConflict>[3]),
  };
}

/** Runs that neither keep a run of BTC on this account from its start, nor a setting of BTC. */
const ASIDE: readonly (readonly [name: string, run: Given])[] = [
  ['that has ended', { id: 'a', leverage: 20, short: true, ended: true }],
  ['of another account', { id: 'a', leverage: 20, short: true, exchange: 'g' }],
  ['of another symbol', { id: 'a', leverage: 20, short: true, symbol: ETH }],
  ['that only tells of prices', { id: 'a', leverage: 20, short: true, type: 'ALARM' }],
  ['of a spot symbol', { id: 'a', leverage: 20, short: true, kind: 'spot' }],
];

describe('a start', () => {
  it.each(ASIDE)('does not mind a run %s, but minds one that comes after it', (_, run) => {
    expect(account([run]).start()).toBeNull();
    expect(account([run, { id: 'last', leverage: 5 }]).start()).toContain('is LONG at 5x by bot bot-last');
  });

  it('minds what the second does of those who trade the symbol', () => {
    const fits = { id: 'fits' };
    expect(account([fits, { id: 'too' }]).start()).toBeNull();
    for (const [last, words] of [
      [{ id: 'last', short: true }, 'is SHORT at 10x by bot bot-last'],
      [{ id: 'last', leverage: 7 }, 'is LONG at 7x by bot bot-last'],
      [{ id: 'last', marginType: 'ISOLATED' }, 'is LONG with ISOLATED margin by bot bot-last'],
    ] as const)
      expect(account([fits, last]).start()).toContain(words);
  });

  it('minds a position beside runs, the second of two, and none that is flat or of another symbol', () => {
    const by = 'by a position held by hand';
    expect(account([{ id: 'fits' }], [{ amount: '1' }]).start()).toBeNull();
    expect(account([{ id: 'fits' }], [{ amount: '-1' }]).start()).toContain(`is SHORT at 10x ${by}`);
    expect(account([], [{ amount: '0', leverage: 20 }]).start()).toBeNull();
    expect(account([], [{ amount: '5', leverage: 20, symbol: ETH }]).start()).toBeNull();
    const two = (second: number, amount = '2') =>
      account(
        [],
        [
          { side: 'LONG', amount: '1' },
          { side: 'SHORT', amount, leverage: second },
        ],
        true,
      ).start();
    expect(two(10)).toBeNull();
    expect(two(20)).toContain(`is SHORT at 20x ${by}`);
    expect(two(20, '0')).toBeNull();
  });

  it('does not mind the run itself', () => {
    expect(account([{ id: 'new', leverage: 20, short: true }]).start()).toBeNull();
  });
});

describe('a setting of the symbol', () => {
  const LEVERAGE = { kind: 'leverage', symbol: BTC, leverage: 5 };

  it.each(ASIDE)('may be changed beside a run %s, but not where one comes after it', (_, run) => {
    expect(account([run]).set(LEVERAGE)).toBeNull();
    const words = account([run, { id: 'last' }]).set(LEVERAGE);
    expect(words).toContain(`the leverage of ${BTC} on f stays as it is while bot bot-last trades ${BTC}`);
  });

  it('of the whole account is kept by a run on any symbol, and by none elsewhere', () => {
    const mode = { kind: 'hedgeMode', on: true };
    const last = { id: 'last', symbol: ETH };
    for (const [name, run] of ASIDE.filter(([, { symbol }]) => symbol !== ETH)) {
      expect([name, account([run]).set(mode)]).toEqual([name, null]);
      expect(account([run, last]).set(mode)).toContain(
        `the position mode of f stays as it is while bot bot-last trades ${ETH} there`,
      );
    }
    expect(account([last]).set({ kind: 'hedgeMode', on: false })).toBeNull();
    expect(account([last], [], true).set({ kind: 'hedgeMode', on: false })).toContain('stays as it is');
    expect(account([last]).set(mode, 'spot')).toBeNull();
  });
});
