/**
 * A bot type is a folder: a type that only these tests have is added to the two lists, and every part of the
 * code knows it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBacktest } from '../../../src/bots/backtest/backtest.ts';
import { ladderOf } from '../../../src/bots/ladder/ladder.ts';
import { creationProblems } from '../../../src/bots/runtime/creation.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import { BOT_TYPES, BOT_WORDS, type BotType } from '../../../src/bots/types/index.ts';
import { BOT_KINDS } from '../../../src/bots/types/kinds.ts';
import { settingsLevels } from '../../../src/console/bots/bot-levels.ts';
import { botTemplate } from '../../../src/console/bots/bot-templates.ts';
import { formTree } from '../../../src/console/bots/editor/fields.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { botFields } from '../../../src/schemas/bots/index.ts';
import { SPOT } from '../../engine/support/market.ts';
import { DEPOSIT, PAIR, rules, T, table, world } from '../backtest/support.ts';
import { LiveTest } from '../rules/live.ts';
import { BotsBench } from '../runtime/support.ts';
import { pulse } from './pulse/kind.ts';
import { PULSE } from './pulse/settings.ts';
import { pulseWords } from './pulse/words.ts';

const SETTINGS = { ...PAIR, deposit: DEPOSIT, below: '10', above: '10' };
const TYPES = BOT_TYPES as BotType[];

// All that a new type adds to src: its line in each of the two lists.
beforeAll(() => {
  Object.assign(BOT_WORDS, { [PULSE]: pulseWords });
  Object.assign(BOT_KINDS, { [PULSE]: pulse });
  TYPES.push(PULSE);
});

afterAll(() => {
  Reflect.deleteProperty(BOT_WORDS, PULSE);
  Reflect.deleteProperty(BOT_KINDS, PULSE);
  TYPES.pop();
});

function compiled(settings: object) {
  return compileBot(PULSE, settings, undefined, { ...world(), now: T });
}

describe('a new bot type', () => {
  it('is checked field by field, with its own and the shared ones', () => {
    expect(compiled(SETTINGS)).toMatchObject({ ok: true, settings: { type: PULSE, above: dec('10') } });
    expect(compiled({ ...SETTINGS, below: 'x', deposit: undefined })).toMatchObject({
      ok: false,
      problems: [{ path: 'deposit' }, { path: 'below' }],
    });
  });

  it('can be created, and only on an account that there is', () => {
    expect(creationProblems(PULSE, SETTINGS, world())).toEqual([]);
    expect(creationProblems(PULSE, { ...SETTINGS, exchange: 'none' }, world())).toHaveLength(1);
  });

  it('trades on the desk', () => {
    const bench = new BotsBench();
    const bot = bench.started(PULSE, { ...SETTINGS, exchange: SPOT });
    bench.tick('100');
    const [order] = [...bench.bench.engine.memory.orders.values()];
    expect(order).toMatchObject({ creator: 'BOT', creatorId: bot.id, side: 'BUY', price: '90' });
  });

  it('buys, sells and ends as its strategy says', () => {
    const test = new LiveTest(PULSE, { ...SETTINGS, deposit: { value: '100', asset: 'USDT' } });
    for (const [i, price] of ['100', '89', '100', '111'].entries()) test.tick(i, price);
    expect(test.run.state).toMatchObject({ phase: 'ended', reason: 'completed' });
    expect(test.run.stats()).toMatchObject({ cycles: 1, fills: 2 });
  });

  it('is played over candles', () => {
    const rows = [
      [100, 100, 100, 100],
      [100, 100, 80, 90],
      [90, 120, 90, 120],
    ] as const;
    const bot = { type: PULSE, settings: SETTINGS };
    const result = runBacktest({ bot, candles: [table(rows)], world: world() });
    expect(result).toMatchObject({ ok: true, result: { figures: { cycles: 1 } } });
  });

  it('has a ladder', () => {
    const made = compiled(SETTINGS);
    if (!made.settings) throw new Error(JSON.stringify(made));
    const ladder = ladderOf(made.settings, {
      rules: rules(),
      price: dec('100'),
      now: T,
      available: dec('5000'),
      base: 0n,
      position: null,
      tiers: [],
      crossed: false,
      leverage: 1,
    });
    expect(ladder.lines.map(({ kind, price }) => `${kind} ${str(price)}`)).toEqual([
      'target 110',
      'entry 90',
    ]);
  });

  it('has a form, a template that is valid as it stands, and lines on the chart', () => {
    expect(formTree(PULSE).fields.map(({ name }) => name)).toContain('below');
    expect(botFields(PULSE)).toContainEqual(expect.objectContaining({ path: 'above', default: '1' }));
    const instrument = { exchange: 'paper', symbol: 'BTCUSDT', base: 'BTC', quote: 'USDT', tickSize: '0.1' };
    const text = botTemplate(PULSE, { instrument: instrument as never, last: '100', now: T });
    expect(compiled(JSON.parse(text).settings)).toMatchObject({ ok: true, warnings: [] });
    const lines = settingsLevels({ type: PULSE, settings: { stopBelow: '80' } }, T);
    expect(lines).toEqual([{ price: '80', name: 'ends' }]);
  });
});
