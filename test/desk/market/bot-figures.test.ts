/** The look at what a price has moved: within a second of it, once a second at most, again and again. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FIGURES_MS, watchFigures } from '../../../src/desk/market/bot-figures.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const step = fc.record({
  after: fc.integer({ min: 0, max: 2 * FIGURES_MS }),
  watched: fc.boolean(),
});

it('comes for every price that somebody watches, and for none after the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const clock = new VirtualClock();
      const from = clock.monotonic();
      const looks: number[] = [];
      let watched = false;
      const figures = watchFigures({
        clock,
        bots: () => null,
        watched: () => watched,
        exchanges: () => ['a'],
        mark: () => looks.push(clock.monotonic() - from),
      });
      const expected: number[] = [];
      let now = 0;
      for (const { after, watched: on } of steps) {
        await clock.advance(after);
        now += after;
        watched = on;
        figures.moved();
        const next = expected.at(-1) ?? Number.NEGATIVE_INFINITY;
        if (on && next <= now) expected.push(now + FIGURES_MS);
      }
      figures.cancel();
      figures.moved();
      await clock.advance(5 * FIGURES_MS);
      expect(looks).toEqual(expected.filter((at) => at <= now));
    }),
  );
});
