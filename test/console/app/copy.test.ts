/** Copying the row under the cursor, or one of its values: the console says what it copied. */
import { describe, expect, it } from 'vitest';
import { copyChoices } from '../../../src/console/lists/copy.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';

const open = rigPerTest(() => new FakeDesk());
const clip = (text: string) => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;

describe('Y on a list', () => {
  it('copies the row, parted by tabs', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'Y', ENTER);
    await screen.shows('copied the row: 14:06:31  BTCUSDT  BUY');
    const row = ['14:06:31', 'BTCUSDT', 'BUY', 'LIMIT', '0.50000', '60,500.00', '0 %', 'OPENED'];
    expect(screen.stdout.chunks).toContain(clip(row.join('\t')));
  });

  it('copies one value, a number without its separators', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'Y', 'j', 'j', 'j', 'j', 'j', 'j', ENTER);
    await screen.shows('copied price: 60,500.00');
    expect(screen.stdout.chunks).toContain(clip('60500.00'));
  });

  it('says so where there is no row', async () => {
    const screen = await open();
    await screen.press('Y');
    await screen.shows('there is no row to copy here');
    await screen.press('2', '/', 'zz', ENTER, 'Y');
    await screen.shows('there is no row to copy here');
  });

  it.each([
    ['1,234.50', '1234.50'],
    ['-1,234,567 %', '-1234567 %'],
    ['a, b', 'a, b'],
    ['1,2', '1,2'],
  ])('%s is copied as %s', (text, copied) => {
    expect(copyChoices([{ title: 't', text }])[1]?.copied).toBe(copied);
  });
});
