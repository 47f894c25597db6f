/**
 * Bots of every kind on drawn markets do what they did when it was written down, order for order. It judges nothing: the
 * rules have tests of their own, and this one tells that something has changed that none of them speaks of. Where the change is
 * wanted, `npm test -- test/bots/recorded -u` writes down the new state; the lines that differ say which cases it moves, and by how
 * much money. The whole story of a case is `storyOf(seed, kind).lines`.
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
