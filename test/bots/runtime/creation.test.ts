/** What is checked when a bot is created (specification, Bots rule 1). */
import { describe, expect, it } from 'vitest';
import { creationProblems } from '../../../src/bots/runtime/creation.ts';
import { KINDS, settingsOf, texts, typeOf, world } from '../settings/support.ts';

const CONNECTED = 'connected: paper-spot, paper-futures, paper-hedge';

function refused(type: unknown, settings: unknown): string[] {
  return texts(creationProblems(type, settings, world()));
}

// proves: bot-rule creation
describe('creating a bot', () => {
  it('takes any settings with a known exchange', () => {
    for (const kind of KINDS) expect(refused(typeOf(kind), settingsOf(kind))).toEqual([]);
    expect(refused('FIBO', { exchange: 'paper-spot' })).toEqual([]);
    expect(refused('FIBO', { exchange: 'paper-spot', channels: 'none', deposit: -1 })).toEqual([]);
    expect(refused('FIBO', { exchange: 'paper-spot', type: null })).toEqual([]);
  });

  it.each([
    [undefined, 'nothing'],
    ['fibo', '"fibo"'],
    ['GRID', '"GRID"'],
    [7, '7'],
  ])('refuses the type %j', (type, came) => {
    expect(refused(type, { exchange: 'paper-spot' })).toEqual([
      `type: must be one of FIBO, CHANNEL, SQUEEZE, INTRADAY, ALGO, ALARM, NOTIFY, got ${came}`,
    ]);
  });

  it.each([
    [undefined, 'settings: must be an object, got nothing'],
    [[], 'settings: must be an object, got an array of 0'],
    ['{}', 'settings: must be an object, got "{}"'],
    [{}, `settings.exchange: missing; ${CONNECTED}`],
    [{ exchange: '' }, `settings.exchange: "" is not connected; ${CONNECTED}`],
    [{ exchange: 'okx-swap' }, `settings.exchange: "okx-swap" is not connected; ${CONNECTED}`],
    [{ exchange: ['paper-spot'] }, `settings.exchange: an array of 1 is not connected; ${CONNECTED}`],
    [
      { exchange: 'paper-spot', type: 'ALGO' },
      `settings.type: must be FIBO, the bot's own type, or left out, got "ALGO"`,
    ],
  ])('refuses the settings %j', (settings, problem) => {
    expect(refused('FIBO', settings)).toEqual([problem]);
  });

  it('names all that is wrong at once', () => {
    expect(refused('X', { exchange: 'y' })).toHaveLength(2);
  });
});
