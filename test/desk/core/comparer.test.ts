/**
 * When an account is compared: a need that arises while a comparison runs is neither forgotten nor served
 * twice.
 */
import { expect, it } from 'vitest';
import { type Compared, Comparer, RECONCILE_EVERY_MS } from '../../../src/desk/core/comparer.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

it('one more that is needed while one runs comes a second after it, though that one was whole; then only the usual one', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  const from = clock.monotonic();
  const comparer = new Comparer({
    clock,
    compare: () => {
      at.push(clock.monotonic() - from);
      return new Promise((resolve) => clock.after(500, () => resolve(true)));
    },
    isUp: () => true,
  });
  void comparer.now();
  await clock.advance(100);
  comparer.again();
  await clock.advance(60_000);
  expect(at).toEqual([0, 1_500]);
  await clock.advance(RECONCILE_EVERY_MS);
  expect(at).toEqual([0, 1_500, 2_000 + RECONCILE_EVERY_MS]);
  comparer.close();
});

it('who waits for one while the line is closed goes on, and none begins any more', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  let answer: (whole: boolean) => void = () => {};
  const comparer = new Comparer({
    clock,
    compare: () => {
      begun += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    isUp: () => true,
  });
  const ended: string[] = [];
  void comparer.now().then(() => ended.push('first'));
  void comparer.now().then(() => ended.push('second'));
  comparer.close();
  await clock.settle();
  expect(ended).toEqual(['second']);
  answer(false);
  await clock.settle();
  expect(ended).toEqual(['second', 'first']);
  expect(clock.pendingTimers).toBe(0);
  await comparer.now();
  comparer.again();
  await clock.advance(2 * RECONCILE_EVERY_MS);
  expect(begun).toBe(1);
  expect(clock.pendingTimers).toBe(0);
});

it('one that is asked for while the next one is due takes its place', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  const comparer = new Comparer({
    clock,
    compare: async () => {
      begun += 1;
      return true;
    },
    isUp: () => true,
  });
  await comparer.now();
  for (let n = 0; n < 5; n++) {
    await clock.advance(RECONCILE_EVERY_MS - 1);
    await comparer.now();
    expect(begun).toBe(n + 2);
  }
  expect(clock.pendingTimers).toBe(1);
  // A further need is served in its place, too.
  comparer.again();
  comparer.again();
  expect(clock.pendingTimers).toBe(1);
  comparer.close();
});

/** Records when each comparison began; `whole`: how the next ones end. */
function watched() {
  const clock = new VirtualClock();
  const at: number[] = [];
  const from = clock.monotonic();
  const line = { isUp: true, whole: true };
  const compare = async () => {
    at.push(clock.monotonic() - from);
    return line.whole;
  };
  return { clock, at, line, comparer: new Comparer({ clock, compare, isUp: () => line.isUp }) };
}

it('one that is needed for many reasons before it has begun comes as soon as for the first of them', async () => {
  const { clock, at, comparer } = watched();
  await comparer.now();
  for (let n = 0; n < 10; n++) {
    comparer.again();
    await clock.advance(50);
  }
  await clock.advance(60_000);
  expect(at).toEqual([0, 1_000]);
  // Each is a need of its own, not one more failure.
  for (let n = 0; n < 10; n++) {
    comparer.again();
    await clock.advance(10_000);
  }
  expect(at.slice(2)).toEqual(Array.from({ length: 10 }, (_, n) => 61_500 + n * 10_000));
  comparer.close();
});

it('what has failed while the line was down does not count when the first one after its return fails', async () => {
  const { clock, at, line, comparer } = watched();
  line.isUp = false;
  line.whole = false;
  await comparer.now();
  await clock.advance(8 * RECONCILE_EVERY_MS);
  expect(at).toHaveLength(9);
  line.isUp = true;
  const back = at.length;
  await comparer.now();
  await clock.advance(10_000);
  const begun = 8 * RECONCILE_EVERY_MS;
  expect(at.slice(back)).toEqual([begun, begun + 1_000, begun + 3_000, begun + 8_000]);
  comparer.close();
});

it('one more that is needed while a whole one runs comes a second after it, however many failed before', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  const from = clock.monotonic();
  let whole = false;
  let needs = 0;
  const comparer: Comparer = new Comparer({
    clock,
    compare: async () => {
      at.push(clock.monotonic() - from);
      await null;
      if (whole && needs++ === 0) comparer.again();
      return whole;
    },
    isUp: () => true,
  });
  await comparer.now();
  await clock.advance(120_000);
  expect(at.at(-1)).toBe(108_000);
  whole = true;
  await clock.advance(RECONCILE_EVERY_MS);
  const usual = 108_000 + RECONCILE_EVERY_MS;
  expect(at.slice(7)).toEqual([usual, usual + 1_000]);
  comparer.close();
});

it('who asks while one runs waits for the one after it, all of them for the same; and so the next time', async () => {
  const clock = new VirtualClock();
  const answers: (() => void)[] = [];
  const comparer = new Comparer({
    clock,
    compare: () => new Promise((resolve) => answers.push(() => resolve(true))),
    isUp: () => true,
  });
  const ended: string[] = [];
  const ask = (who: string) => void comparer.now().then(() => ended.push(who));
  const answer = async () => {
    answers.at(-1)?.();
    await clock.settle();
    return ended.splice(0);
  };
  for (const round of ['a', 'b']) {
    for (const who of ['1', '2', '3']) ask(round + who);
    await clock.settle();
    expect(await answer()).toEqual([`${round}1`]);
    expect(await answer()).toEqual([`${round}2`, `${round}3`]);
    expect(answers).toHaveLength(round === 'a' ? 2 : 4);
  }
  expect(clock.pendingTimers).toBe(1);
  comparer.close();
  expect(clock.pendingTimers).toBe(0);
});

it('one that wants another is followed by six sooner ones, then by the usual one, and that again by six', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  const from = clock.monotonic();
  const compare = async () => {
    at.push((clock.monotonic() - from) / 1_000);
    return 'again' as const;
  };
  const comparer = new Comparer({ clock, compare, isUp: () => true });
  await comparer.now();
  await clock.advance(2 * RECONCILE_EVERY_MS + 216_500);
  const six = [0, 1, 3, 8, 18, 48, 108];
  expect(at).toEqual([...six, ...six.map((s) => 1_008 + s), 2_016]);
  comparer.close();
});

it('one that is needed before there was any comes a second later, and at its usual time while the line is down', async () => {
  const { clock, at, line, comparer } = watched();
  comparer.again();
  await clock.advance(1_500);
  expect(at).toEqual([1_000]);
  line.isUp = false;
  comparer.again();
  await clock.advance(RECONCILE_EVERY_MS - 501);
  expect(at).toEqual([1_000]);
  await clock.advance(1);
  expect(at).toEqual([1_000, 1_000 + RECONCILE_EVERY_MS]);
  comparer.close();
});

it('one that throws is one that has failed: the next one comes a second later', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  const comparer = new Comparer({
    clock,
    compare: async () => {
      begun += 1;
      if (begun === 1) throw new Error('broken');
      return true;
    },
    isUp: () => true,
  });
  await expect(comparer.now()).rejects.toThrow('broken');
  await clock.advance(1_000);
  expect(begun).toBe(2);
  comparer.close();
});

it('one that is due is not put off by those that are asked for again and again', async () => {
  const { clock, at, line, comparer } = watched();
  line.whole = false;
  await comparer.now();
  await clock.advance(108_000);
  // Six earlier comparisons have failed.
  expect(at).toHaveLength(7);
  for (let n = 0; n < 3 * 60; n++) {
    comparer.again();
    await clock.advance(RECONCILE_EVERY_MS / 60);
  }
  expect(at.slice(7)).toEqual([1, 2, 3].map((n) => 108_000 + n * RECONCILE_EVERY_MS));
  comparer.close();
});

it('while events may be missing, those that fail are followed by another a minute later, however many there were', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  const from = clock.monotonic();
  const line = { hasGap: true };
  const comparer = new Comparer({
    clock,
    compare: async () => {
      at.push((clock.monotonic() - from) / 1_000);
      return false;
    },
    isUp: () => true,
    hasGap: () => line.hasGap,
  });
  await comparer.now();
  await clock.advance(300_000);
  expect(at).toEqual([0, 1, 3, 8, 18, 48, 108, 168, 228, 288]);
  line.hasGap = false;
  await clock.advance(60_000 + RECONCILE_EVERY_MS);
  expect(at.slice(10)).toEqual([348, 348 + RECONCILE_EVERY_MS / 1_000]);
  comparer.close();
});

it('what is found first after looks that could not judge gets looks of its own; then only the usual one is left', async () => {
  const clock = new VirtualClock();
  const from = clock.monotonic();
  const at: number[] = [];
  const outcomes: Compared[] = [...Array(6).fill('unsure'), ...Array(7).fill('again'), 'unsure', 'again'];
  const comparer = new Comparer({
    clock,
    compare: async () => {
      at.push((clock.monotonic() - from) / 1_000);
      return outcomes[at.length - 1] ?? 'unsure';
    },
    isUp: () => true,
  });
  void comparer.now();
  for (let s = 0; s < 4_000; s++) await clock.advance(1_000);
  const [usual, sooner] = [RECONCILE_EVERY_MS / 1_000, [1, 3, 8, 18, 48, 108]];
  const first = [0, ...sooner, ...sooner.map((s) => s + 108)];
  // The second time one comparison cannot judge, the next one can; later ones cannot, and their retries end.
  const second = [0, 1, ...sooner.map((s) => s + 1)].map((s) => s + 216 + usual);
  const third = [0, ...sooner].map((s) => s + 216 + usual + 109 + usual);
  expect(at.slice(0, 28)).toEqual([...first, ...second, ...third]);
  comparer.close();
});

it('the first one that fails after a new gap comes again 5 s later, however many have failed before it', async () => {
  const clock = new VirtualClock();
  const at: number[] = [];
  let from = clock.monotonic();
  const comparer = new Comparer({
    clock,
    compare: async () => {
      at.push(clock.monotonic() - from);
      return false;
    },
    isUp: () => true,
    hasGap: () => true,
  });
  void comparer.now();
  await clock.advance(120_000);
  from = clock.monotonic();
  at.length = 0;
  comparer.anew();
  void comparer.now();
  await clock.advance(16_000);
  expect(at).toEqual([0, 5_000, 15_000]);
  comparer.close();
});
