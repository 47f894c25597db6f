/**
 * A setting that takes two calls of the port: a refusal of the first is the answer, and the second is not
 * made.
 */
import { expect, it } from 'vitest';
import { makeSetting } from '../../../src/desk/core/make-setting.ts';
import type { SettingOutcome } from '../../../src/domain/position.ts';
import type { Venue } from '../../../src/venues/venue.ts';

const DONE: SettingOutcome = { kind: 'done' };
const REFUSED: SettingOutcome = { kind: 'rejected', code: '-4047', message: 'there is an open order' };
const UNKNOWN: SettingOutcome = { kind: 'unknown', cause: 'no answer' };

function venueOf(marginType: SettingOutcome, leverage: SettingOutcome) {
  const calls: string[] = [];
  const futures = {
    setMarginType: async (symbol: string, to: string) => {
      calls.push(`${symbol} ${to}`);
      return marginType;
    },
    setLeverage: async (change: object) => {
      calls.push(JSON.stringify(change));
      return leverage;
    },
  };
  return { calls, venue: { account: { id: 'f' }, futures } as unknown as Venue };
}

const SETTING = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5, marginType: 'ISOLATED' } as const;

it.each([
  ['refused', REFUSED, DONE, REFUSED, 1],
  ['unknown', UNKNOWN, DONE, UNKNOWN, 1],
  ['made', DONE, DONE, DONE, 2],
  ['made, and the leverage refused', DONE, REFUSED, REFUSED, 2],
] as const)(
  'leverage with a margin type that is %s',
  async (_what, marginType, leverage, expected, calls) => {
    const rig = venueOf(marginType, leverage);
    expect(await makeSetting(rig.venue, SETTING as never)).toBe(expected);
    const all = ['BTCUSDT ISOLATED', '{"symbol":"BTCUSDT","leverage":5}'];
    expect(rig.calls).toEqual(all.slice(0, calls));
  },
);
