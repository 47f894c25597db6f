/**
 * Runs of every kind on an exchange that answers late, in parts, or with a refusal: none loses or invents a
 * unit, sells more than it has, or leaves orders after its stop; a run that is rebuilt from its state before
 * each tick does the same as one that goes on; and all act as they did when it was recorded (see
 * `recorded.test.ts`).
 */
import { expect, it } from 'vitest';
import { BOT_KINDS, caseOf } from '../../differential/draw.ts';
import { playRough } from './rough.ts';
import { SEEDS } from './seeds.ts';
import { digestOf } from './story.ts';

it.each(BOT_KINDS.filter((kind) => kind !== 'NOTIFY'))('%s', async (kind) => {
  const told: string[] = [];
  for (const seed of SEEDS[kind].filter((_seed, i) => i % 2 === 0)) {
    const one = caseOf(seed, kind);
    const whole = playRough(one, false);
    if (!whole) continue;
    const { lines, fills, wrong } = whole;
    expect.soft(wrong, `seed ${seed}`).toEqual([]);
    expect.soft(playRough(one, true)?.lines, `seed ${seed}, made anew`).toEqual(lines);
    told.push(`${seed}: ${lines.length} lines, ${fills} fills, ${digestOf(lines)}`);
  }
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(`./plays/rough-${kind}.txt`);
});
