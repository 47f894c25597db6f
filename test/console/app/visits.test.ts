/** Moving back and forth between screens, and keys that say why they did nothing. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScreenId } from '../../../src/console/state/ui.ts';
import { FIRST_VISIT, steppedTo, visited } from '../../../src/console/state/visits.ts';
import { SCREENS } from '../support/parts.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';

const open = rigPerTest();
const screens = fc.array(fc.constantFrom(...SCREENS.map(({ id }) => id)));
const at = (screen: Rig): ScreenId => screen.session.ui.getState().screen;

describe('visits', () => {
  it('lead back the way that was come, and forward again', () => {
    fc.assert(
      fc.property(screens, (seen) => {
        const all = ['overview', ...seen].filter((id, index, list) => id !== list[index - 1]).slice(-50);
        let visits = seen.reduce(visited, FIRST_VISIT);
        for (const expected of all.slice(0, -1).reverse()) {
          const step = steppedTo(visits, -1);
          expect(step?.screen).toBe(expected);
          if (step) visits = step.visits;
        }
        expect(steppedTo(visits, -1)).toBeNull();
        for (const expected of all.slice(1)) {
          const step = steppedTo(visits, 1);
          expect(step?.screen).toBe(expected);
          if (step) visits = step.visits;
        }
        expect(steppedTo(visits, 1)).toBeNull();
      }),
    );
  });

  it('are made by keys and by jumps alike', async () => {
    const screen = await open();
    await screen.press('2', '6', '9', '[', '[');
    expect(at(screen)).toBe('orders');
    await screen.press(']', '-');
    expect(at(screen)).toBe('orders');
    await screen.press('-');
    expect(at(screen)).toBe('keys');
    await screen.press('[', '[', '[', '[', '[');
    await screen.shows('there was no screen before');
    expect(at(screen)).toBe('overview');
  });
});

describe('keys', () => {
  it('ctrl-f and ctrl-b go by pages', async () => {
    const screen = await open();
    await screen.press('2', '\x06');
    const selected = () => screen.screenLines().findIndex((line) => line.startsWith('▸'));
    expect(selected()).toBe(3 + 6);
    await screen.press('\x02');
    expect(selected()).toBe(4);
  });

  it('on the row that reviews a form there is nothing to choose', async () => {
    const screen = await open();
    await screen.press('2', 'n', '\x1b[Z', '\x1b[Z');
    expect(screen.screenText()).toContain('▸  Review');
    expect(screen.screenLines().at(-1)).not.toContain('choice');
  });

  it('leaving after the word is no yes, and says so', async () => {
    const screen = await open();
    await screen.press('2', 'X', ...'cancel 4', ESC);
    await screen.shows('nothing was done');
    expect(screen.session.ui.getState().dialogs).toEqual([]);
    await screen.press('2', 'j', 'x', ENTER, CTRL_R);
    expect(screen.screenText()).not.toContain('nothing was done');
  });
});
