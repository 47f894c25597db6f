/** The countdown of a futures symbol: what starts, renews and ends it, and which answers prove that it runs. */
import { describe, expect, it } from 'vitest';
import type { Dispatch } from '../../../src/venues/venue.ts';
import { futuresRig } from './futures-rig.ts';
import { HandAnswers } from './hand-answers-support.ts';

const COUNTDOWN = 'POST /fapi/v1/countdownCancelAll';

async function opened() {
  const rig = futuresRig();
  await rig.open();
  const hand = new HandAnswers(rig.net);
  const arm = (symbol: string | null, seconds: number, dispatch?: Dispatch) =>
    rig.during(rig.venue.deadMan.arm?.({ symbol, seconds }, dispatch) ?? Promise.reject(), 60_000);
  return { rig, hand, arm };
}

describe('the countdown of a symbol', () => {
  it('is asked for in milliseconds, for each symbol of its own, and ended by zero', async () => {
    const { hand, arm } = await opened();
    hand.by(COUNTDOWN, ({ symbol, countdownTime }) => ({
      ...{ kind: 'answer', status: 200, headers: {}, body: JSON.stringify({ symbol, countdownTime }) },
    }));
    for (const [symbol, seconds] of [
      ['BTCUSDT', 120],
      ['ETHUSDT', 3_600],
      ['BTCUSDT', 0],
    ] as const)
      expect(await arm(symbol, seconds)).toEqual({ kind: 'done' });
    expect(hand.asked().map(({ parameters }) => parameters)).toEqual([
      { symbol: 'BTCUSDT', countdownTime: '120000' },
      { symbol: 'ETHUSDT', countdownTime: '3600000' },
      { symbol: 'BTCUSDT', countdownTime: '0' },
    ]);
    expect(await arm(null, 120)).toMatchObject({ kind: 'rejected', code: 'SYMBOL' });
    expect(hand.names()).toEqual([]);
  });

  it.each<[string, number, unknown, object]>([
    ['another symbol', 200, { symbol: 'ETHUSDT', countdownTime: '1' }, { kind: 'unknown' }],
    ['no symbol', 200, { countdownTime: '1' }, { kind: 'unknown' }],
    ['a page', 200, '<html>', { kind: 'unknown' }],
    ['a refusal', 400, { code: -4044, msg: 'no' }, { kind: 'rejected', code: '-4044', message: 'no' }],
    ['the last of refusals', 499, { code: -1003, msg: 'no' }, { kind: 'rejected', code: '-1003' }],
    ['a code of the server', 500, { code: -1001, msg: 'no' }, { kind: 'unknown' }],
    ['a redirection', 399, { code: -1, msg: 'no' }, { kind: 'unknown' }],
    ['a page of a gate', 403, '<html>', { kind: 'unknown' }],
  ])('that is answered with %s is told so, and sent once', async (_, status, body, outcome) => {
    const { hand, arm } = await opened();
    hand.on(COUNTDOWN, body, status);
    expect(await arm('BTCUSDT', 120)).toMatchObject(outcome);
    expect(hand.names()).toEqual([COUNTDOWN]);
  });

  it('may run where its answer was lost, does not where it never left, and waits no longer than it is told', async () => {
    const { rig, hand, arm } = await opened();
    hand.lose(COUNTDOWN);
    expect(await arm('BTCUSDT', 120)).toEqual({ kind: 'unknown', cause: 'lost on its way' });
    hand.lose(COUNTDOWN, 'unsent');
    expect(await arm('BTCUSDT', 120)).toEqual({
      ...{ kind: 'rejected', code: 'UNSENT', message: 'unsent on its way' },
    });
    hand.asked();
    const until = rig.clock.monotonic() - 1;
    const late: Dispatch = {
      ...{ lane: 'renewal', notAfter: until, waitUntil: Number.POSITIVE_INFINITY, onWaits: () => {} },
      leaves: () => ({ notAfter: until }),
    };
    expect(await arm('BTCUSDT', 120, late)).toMatchObject({ kind: 'rejected', code: 'UNSENT' });
    expect(hand.names()).toEqual([]);
  });
});
