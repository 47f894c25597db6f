/**
 * A run that has failed as a whole while it holds something (R12): it enters nothing any more, whatever comes
 * after that, its exits go on, and it ends as an error when nothing is held.
 */
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import type { Pause, RunOrder } from '../../../src/bots/run/contract.ts';
import { Lonely } from './lonely.ts';

const LEVELS = {
  levels: [
    { buy: '44000', sell: '46000' },
    { buy: '43000', sell: '45500' },
  ],
  onetime: false,
  noticeLevel: 3,
};
const REFUSED: Pause = { why: 'the key is refused', withdraws: false, final: true };

/** Holds the upper level, whose exit rests beside the entry of the lower one. */
function held() {
  const lonely = new Lonely('LEVELS', LEVELS, '45000');
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  for (const { key } of [upper, lower]) lonely.change({ key, kind: 'accepted' });
  lonely.part(upper, upper.qty, '44000');
  lonely.change({ key: upper.key, kind: 'ended' });
  const [exit] = lonely.placed() as [RunOrder];
  lonely.change({ key: exit.key, kind: 'accepted' });
  const names = new Map([
    [lower.key, 'entry'],
    [exit.key, 'exit'],
  ]);
  return {
    lonely,
    lower,
    exit,
    pause: (pause: Pause | null) => lonely.run.input({ type: 'pause', pause }),
    /** What it has asked for and said since the last call. */
    did: () =>
      lonely
        .asked()
        .map((one) =>
          one.do === 'notice'
            ? one.text
            : one.do === 'cancel'
              ? `cancel ${names.get(one.key)}`
              : one.do === 'place'
                ? `place ${one.order.role}`
                : one.do,
        ),
  };
}

describe('a run that has failed', () => {
  it('says so once, and takes its entry back as soon as that is possible', () => {
    const { lonely, lower, pause, did } = held();
    did();
    pause(REFUSED);
    expect(did()).toEqual([
      'failed: the key is refused; it enters nothing any more, and what it holds keeps its exits and stops',
    ]);
    lonely.tick('44500');
    pause({ why: 'the account is closed', withdraws: false, final: true });
    pause({ why: 'there is no line', withdraws: false });
    expect(did()).toEqual([]);
    expect(lonely.run.label()).toBe('paused');
    pause(null);
    expect(did()).toEqual(['cancel entry']);
    lonely.change({ key: lower.key, kind: 'ended' });
    for (const price of ['45000', '43000', '42000', '45000']) lonely.tick(price);
    expect(did()).toEqual([]);
    expect(lonely.run.state).toMatchObject({ phase: 'running', failed: 'the key is refused' });
  });

  it.each([false, true])(
    'ends as an error with its first reason when its exit has sold all, restarted %s',
    (again) => {
      const { lonely, lower, exit, pause, did } = held();
      pause(REFUSED);
      pause({ why: 'something else', withdraws: true, final: true });
      if (again) lonely.again((state) => decodeState(encodeState(state)));
      did();
      lonely.change({ key: lower.key, kind: 'ended' });
      lonely.part(exit, exit.qty, '46000');
      lonely.change({ key: exit.key, kind: 'ended' });
      expect(did()).toEqual([
        expect.stringMatching(/^SELL .* at 46000/),
        expect.stringMatching(/^cycle 1 complete/),
        'run ended, error: the key is refused',
      ]);
      expect(lonely.run.state).toMatchObject({
        phase: 'ended',
        reason: 'error',
        error: 'the key is refused',
      });
      expect(lonely.run.label()).toBe('stopped');
    },
  );

  it('is none that is ending already: it ends as it was told', () => {
    const { lonely, lower, exit, pause } = held();
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
    pause(REFUSED);
    for (const { key } of [lower, exit]) lonely.change({ key, kind: 'ended' });
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator', error: null });
    expect(lonely.run.state.failed).toBeUndefined();
  });
});
