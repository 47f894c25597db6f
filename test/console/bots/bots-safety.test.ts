/**
 * No bot is made, started, stopped or deleted, and no desk ended under them, except by `y` in a confirmation
 * that was visible.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CTRL_C, CTRL_R, ENTER, ESC, openRig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';

const open = rigPerTest(botDesk);

const KEYS = [
  ...'nNesxdcrtvoOuA /:?!138jkgGqbSm{}".5',
  'start 6',
  'delete b2error',
  'stop',
  '59000',
  ENTER,
  ENTER,
  ENTER,
  '\t',
  '\t',
  '\x1b[Z',
  '\x1b[A',
  '\x1b[B',
  '\x1b[C',
  '\x1b[D',
  '\x15',
  '\x1a',
  '\x0e',
  CTRL_R,
  CTRL_R,
  ESC,
];

describe('without y', () => {
  it('no keys on Bots, Alerts and their dialogs change anything', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...KEYS), { minLength: 10, maxLength: 40 }), async (keys) => {
        const desk = botDesk();
        const screen = await openRig(desk);
        try {
          await screen.press('3');
          for (const key of keys) {
            if (screen.exit()) break;
            await screen.press(key);
          }
          expect(desk.acting.filter((method) => method !== 'feed.control')).toEqual([]);
          expect(screen.exit()?.action).not.toBe('stop');
        } finally {
          await screen.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('Enter alone starts, stops and deletes nothing', { timeout: 60_000 }, async () => {
    for (const way of [
      ['n'],
      ['n', ENTER, '\t', '\t'],
      ['n', ENTER, CTRL_R],
      ['N', '\t', '\t'],
      ['N', CTRL_R],
      ['G', 'k', 'e', CTRL_R],
      ['c'],
      ['s'],
      ['G', 's'],
      ['j', 'x'],
      ['j', 'x', CTRL_R],
      ['d'],
      ['j', 'j', 'j', 'r', '\t', '\t', '\t', '1', CTRL_R],
      ['A', 's'],
      ['A', 'x'],
      ['A', 'd'],
      [':', 'start', ENTER],
      [':', 'delete', ENTER],
    ]) {
      const desk = botDesk();
      const screen = await openRig(desk);
      await screen.press('3', ...way);
      for (let times = 0; times < 6; times++) await screen.press(ENTER);
      expect(desk.acting, way.join(' ')).toEqual([]);
      await screen.close();
    }
  });
});

describe('a confirmation', () => {
  it('is deaf for 300 ms, and to a y that came with other keys', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'G', 's');
    await screen.shows('y start this bot');
    screen.session.ui.setState(({ dialogs }) => ({
      dialogs: dialogs.map((dialog) =>
        dialog.kind === 'confirm' ? { ...dialog, openedAt: screen.time.now } : dialog,
      ),
    }));
    await screen.send('y');
    expect(desk.acting).toEqual([]);
    await screen.press('yy', 'sy');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.until(() => desk.acting.length === 1);
    expect(desk.acting).toEqual(['bots.start']);
  });

  it('keys typed ahead on the list confirm nothing', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'dy', ESC, 'jxy', ESC, 'Ady');
    await screen.settle();
    expect(desk.acting).toEqual([]);
  });

  it('takes no word that is pasted, and no other word', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'd', '\x1b[200~delete b2error\x1b[201~', 'y', ...'elete b2erro', 'y');
    expect(desk.acting).toEqual([]);
    await screen.press('\x15', ...'delete b2error');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.until(() => desk.acting.length === 1);
  });

  it('is about the bots that it names, whatever moves behind it', async () => {
    const desk = botDesk();
    const screen = await open(desk);
    await screen.press('3', 'd', ...'delete b2erro');
    desk.push({ bots: { b2errorxxx0: null } });
    await screen.until(() => screen.screenText().includes('5 in all'));
    await screen.press('r', 'y');
    await screen.until(() => desk.acting.length === 1);
    expect(desk.calls.findLast(({ method }) => method === 'bots.delete')?.params).toMatchObject({
      id: 'b2errorxxx0',
    });
  });
});

describe('leaving with bots running', () => {
  it('stops the desk only after the word; detaching needs none', async () => {
    const screen = await open();
    await screen.press('q', 's');
    await screen.shows('Stop the desk with 3 bots running');
    await screen.press(ENTER, 's', 'y');
    expect(screen.exit()).toBeNull();
    await screen.press('\x15', ...'stop', ENTER);
    expect(screen.exit()).toBeNull();
    await screen.press(ESC, 'q', 's', ...'stop', 'y');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'stop' });
  });

  it('d leaves them at work, and so does a second ctrl-c', async () => {
    const screen = await open();
    await screen.press('q', 's', CTRL_C, CTRL_C);
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'detach' });
    await screen.close();
    const other = await open();
    await other.press('q', 'd');
    await other.until(() => other.exit() !== null);
    expect(other.exit()).toEqual({ action: 'detach' });
  });

  it('without running bots nothing more is asked', async () => {
    const screen = await open(botDesk({ bots: {} }));
    await screen.press('q', 's');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'stop' });
  });
});
