/** How often changed runs are reported: each at most once a second, in the order of their changes (S42). */
import { describe, expect, it } from 'vitest';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { UpdatePace } from '../../../src/bots/runtime/update-pace.ts';

const live = (botId: string, toldAt = 0) => ({ going: true, parts: { botId }, toldAt }) as unknown as LiveRun;

describe('changed runs', () => {
  it('are reported once, in order, from exactly a second after they were last', () => {
    const pace = new UpdatePace();
    const [a, b, c] = [live('a', 5_000), live('b', 4_500), live('c', 4_400)];
    for (const one of [c, a, b, c]) pace.changed(one);
    expect(pace.take(5_400)).toEqual(['c']);
    expect(pace.take(5_499)).toEqual([]);
    expect(pace.take(5_500)).toEqual(['b']);
    pace.changed(b);
    expect(pace.take(6_000)).toEqual(['a', 'b']);
    expect(pace.take(60_000)).toEqual([]);
  });

  it('that have been reported otherwise meanwhile wait from then on', () => {
    const pace = new UpdatePace();
    const a = live('a', 0);
    pace.changed(a);
    a.toldAt = 900;
    expect([pace.take(1_899), pace.take(1_900)]).toEqual([[], ['a']]);
  });

  it('that have ended or are gone are reported no more', () => {
    const pace = new UpdatePace();
    const [a, b, c] = [live('a'), live('b'), live('c')];
    for (const one of [a, b, c]) pace.changed(one);
    Object.assign(a, { going: false });
    pace.forget(b);
    expect(pace.take(5_000)).toEqual(['c']);
    Object.assign(a, { going: true });
    expect(pace.take(9_000)).toEqual([]);
  });
});
