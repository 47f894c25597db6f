/**
 * A field contains what is typed into it, however the keys and pastes come and however late the screen is.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activeField } from '../../../src/console/forms/text-fields.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import type { Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';

const open = rigPerTest();

const BACKSPACE = '\x7f';
const LEFT = '\x1b[D';
const RIGHT = '\x1b[C';
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

/** The quantity of a new order, empty and in focus. */
async function quantity(): Promise<Rig> {
  const opened = await open();
  await opened.press('2', 'n', '\t', '\t', '\t');
  expect(fieldOf(opened)).toBe('');
  return opened;
}

function fieldOf({ session }: Rig): string {
  const field = activeField(session.ui.getState());
  expect(field?.id).toBe('ticket.quantity');
  return field?.value ?? '';
}

describe('a text field', () => {
  it('draws each sign as wide as its place, whatever the font joins: no row leaves its frame', async () => {
    const it = await quantity();
    await it.send(paste('1⚠\ufe0f'));
    await it.send('5');
    const rows = it.screenLines().filter((row) => row.includes('│'));
    expect(rows.filter((row) => cellWidth(row) !== cellWidth(rows[0] ?? ''))).toEqual([]);
    expect(it.screenText()).toContain('1⚠5');
  });

  it('goes on behind a paste', async () => {
    const it = await quantity();
    await it.send(paste('12'));
    await it.send('3');
    await it.send(paste('4'));
    await it.send('5');
    expect(fieldOf(it)).toBe('12345');
  });

  it('takes keys that come faster than it is drawn, one after the other', async () => {
    const it = await quantity();
    for (const key of ['1', '2', BACKSPACE, '3', BACKSPACE, '4']) it.stdin.write(key);
    await it.settle();
    expect(fieldOf(it)).toBe('14');
  });

  it('takes what comes before it listens, and goes on behind it', async () => {
    const it = await quantity();
    // As if the field were drawn, but its input did not receive keys yet.
    it.session.ui.setState((ui) => ({ dialogs: ui.dialogs.slice(0, -1) }));
    await it.settle();
    it.stdin.write('n');
    for (const key of ['\t', '\t', '\t', '1', '2', '3']) it.stdin.write(key);
    await it.settle();
    await it.send('4');
    expect(fieldOf(it)).toBe('1234');
  });

  it('edits where the cursor is, which goes from the start to the end: any keys and pastes, each drawn before the next', async () => {
    const it = await quantity();
    const key = fc.oneof(
      fc.constantFrom('0', '1', '2', '7', '.'),
      fc.constantFrom(BACKSPACE, LEFT, RIGHT),
      fc.stringMatching(/^\d{1,4}$/).map(paste),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 12 }), async (keys) => {
        await it.send('\x15');
        let text = '';
        let at = 0;
        for (const each of keys) {
          await it.send(each);
          const pasted = /~(\d+)/.exec(each)?.[1];
          if (pasted !== undefined) {
            text += pasted;
            at = text.length;
          } else if (each === LEFT) at = at === 0 ? text.length : at - 1;
          else if (each === RIGHT) at = Math.min(text.length, at + 1);
          else if (each === BACKSPACE) {
            if (at > 0) text = text.slice(0, at - 1) + text.slice(at);
            at = Math.max(0, at - 1);
          } else {
            text = text.slice(0, at) + each + text.slice(at);
            at += 1;
          }
          expect(fieldOf(it)).toBe(text);
        }
      }),
      { numRuns: 25 },
    );
  });
});
