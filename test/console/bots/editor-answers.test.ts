/**
 * The desk's answers to a bot editor that is typed in meanwhile: each counts for the draft that it was asked
 * for, and the newest draft is asked for last.
 */
import { describe, expect, it } from 'vitest';
import type { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';

const open = rigPerTest(botDesk);
const sent = (desk: FakeDesk, method: string) =>
  desk.calls.filter((call) => call.method === method).map(({ params }) => params);

function editorOf(screen: Rig) {
  const editor = screen.session.ui.getState().dialogs.find(({ kind }) => kind === 'bot-editor');
  if (editor?.kind !== 'bot-editor') throw new Error('no editor is open');
  return editor;
}

/** Types into the editor and waits until the desk was asked about it. */
async function types(screen: Rig, desk: FakeDesk, key: string): Promise<void> {
  const before = sent(desk, 'bots.check').length;
  await screen.press(key);
  await screen.until(() => sent(desk, 'bots.check').length > before);
  await screen.settle();
}

describe('ladders', () => {
  /** A desk whose ladders come when they are let. */
  function slow() {
    const desk = botDesk();
    const waiting: (() => void)[] = [];
    desk.answers['bots.ladder'] = () => {
      const text = `ladder ${waiting.length}`;
      return new Promise((resolve) => waiting.push(() => resolve({ ok: false, text })));
    };
    return { desk, waiting };
  }

  it('are asked for one at a time, the newest draft last', async () => {
    const { desk, waiting } = slow();
    const screen = await open(desk);
    await screen.press('3', 'n', ENTER);
    await screen.until(() => waiting.length === 1);
    await types(screen, desk, 'X');
    await types(screen, desk, 'Y');
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    await screen.until(() => waiting.length === 2);
    expect(sent(desk, 'bots.ladder').at(-1)).toEqual(sent(desk, 'bots.check').at(-1));
    // The first one is shown meanwhile, as one of the settings before.
    expect(editorOf(screen).ladder).toMatchObject({ view: { text: 'ladder 0' } });
    expect(editorOf(screen).ladder?.draft).not.toBe(editorOf(screen).form.draft);
    waiting[1]?.();
    await screen.until(() => editorOf(screen).ladder?.draft === editorOf(screen).form.draft);
    expect(editorOf(screen).ladder).toMatchObject({ view: { text: 'ladder 1' } });
    expect(waiting).toHaveLength(2);
  });

  it('of an editor that was left are those of none, and the next editor gets its own', async () => {
    const { desk, waiting } = slow();
    const screen = await open(desk);
    await screen.press('3', 'n', ENTER);
    await screen.until(() => waiting.length === 1);
    await types(screen, desk, 'X');
    // The first says that what is written would be lost.
    await screen.press(ESC, ESC);
    waiting[0]?.();
    await screen.settle();
    await screen.press('n', ENTER);
    await screen.until(() => waiting.length === 2);
    expect(editorOf(screen).ladder).toBeNull();
    waiting[1]?.();
    await screen.until(() => editorOf(screen).ladder !== null);
    expect(editorOf(screen).ladder).toMatchObject({ view: { text: 'ladder 1' } });
  });
});

it('a check counts for its own draft, and nothing is saved before there is one of the present draft', async () => {
  const desk = botDesk();
  const checks: ((message: string) => void)[] = [];
  desk.answers['bots.check'] = () =>
    new Promise((resolve) =>
      checks.push((message) => resolve({ problems: [{ path: '', message }], warnings: [], text: '' })),
    );
  const screen = await open(desk);
  await screen.press('3', 'n', ENTER);
  await screen.until(() => checks.length === 1);
  await types(screen, desk, 'X');
  const asked = checks.length;
  checks[0]?.('of the draft before');
  await screen.settle();
  expect(editorOf(screen).check).toBeNull();
  await screen.press(CTRL_R);
  await screen.shows('still checking; press again');
  checks[asked - 1]?.('of this draft');
  await screen.until(() => editorOf(screen).check !== null);
  expect(editorOf(screen).check?.problems).toEqual([{ path: '', message: 'of this draft' }]);
  await screen.press(CTRL_R);
  await screen.shows('y create this bot');
  expect(screen.screenText()).toContain('of this draft');
});
