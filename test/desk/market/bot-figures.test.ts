/**
 * The check for bots and accounts that a price change affects: within a second of the change, and at most
 * once a second.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { FIGURES_MS, watchFigures } from '../../../src/desk/market/bot-figures.ts';
import type { Dec } from '../../../src/domain/decimal.ts';
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

it('tells of a bot when its open profit has moved since it was told last, and of none that holds nothing or has ended', async () => {
  const clock = new VirtualClock();
  const run = (id: string, open: Dec, { lots = 1, going = true } = {}) => [
    id,
    {
      id,
      going,
      parts: { botId: `bot of ${id}` },
      run: { lots: { open: Array.from({ length: lots }) }, unrealised: () => open },
    },
  ];
  let runs: unknown[] = [];
  const marks: string[] = [];
  const figures = watchFigures({
    clock,
    bots: () => ({ book: { runs: new Map(runs as [string, unknown][]) } }) as unknown as BotEngine,
    watched: () => true,
    exchanges: () => ['a', 'b'],
    mark: (mark) =>
      void (mark.kind === 'bot' ? marks.push(mark.id) : marks.push(`${mark.kind} ${Object.values(mark)[1]}`)),
  });
  const look = async (...now: unknown[]) => {
    runs = now;
    figures.moved();
    await clock.advance(FIGURES_MS);
    return marks.splice(0);
  };
  const accounts = ['portfolio a', 'portfolio b'];
  expect(await look(run('r1', 5n), run('r2', -3n))).toEqual(['bot of r1', 'bot of r2', ...accounts]);
  expect(await look(run('r1', 5n), run('r2', -4n))).toEqual(['bot of r2', ...accounts]);
  expect(await look(run('r1', 5n, { lots: 0 }), run('r2', 9n, { going: false }))).toEqual(accounts);
  expect(await look(run('r1', 5n, { lots: 0 }), run('r2', 9n))).toEqual(['bot of r2', ...accounts]);
  expect(await look(run('r1', 5n, { going: false }), run('r2', 8n))).toEqual(['bot of r2', ...accounts]);
  expect(await look()).toEqual(accounts);
  // Price changes from before it held a position no longer count.
  expect(await look(run('r1', 5n), run('r2', -4n))).toEqual(['bot of r1', 'bot of r2', ...accounts]);
  // However often it is looked at.
  for (let n = 0; n < 3; n++) expect(await look(run('r1', 5n), run('r2', -4n))).toEqual(accounts);
});
