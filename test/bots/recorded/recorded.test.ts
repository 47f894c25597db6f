/**
 * Bots of every kind on drawn markets act as they did when it was recorded, order for order. This judges
 * nothing: the rules have tests of their own, and this one reports a change that none of them covers. If the
 * change is wanted, `npm test -- test/bots/recorded -u` records the new state; the lines that differ show
 * which cases change, and by how much money. The full story of a case is `storyOf(seed, kind).lines`.
 */
import { expect, it } from 'vitest';
import { BOT_KINDS } from '../../differential/draw.ts';
import { SEEDS } from './seeds.ts';
import { storyOf } from './story.ts';

it.each(BOT_KINDS)('%s does what it did', async (kind) => {
  const stories = SEEDS[kind].map((seed) => storyOf(seed, kind));
  const text = `${stories.map(({ summary }) => summary).join('\n')}\n`;
  await expect(text).toMatchFileSnapshot(`./plays/${kind}.txt`);
});
