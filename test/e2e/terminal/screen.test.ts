/** The screen under all conditions: no output when nothing happens, correct rows at every size. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';
import { until } from '../../support/terminal/wait.ts';

/** How long a screen that should not change is watched. */
const WATCHED_MS = 2_000;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

test('with the feed held not one byte is written, on the Overview and on Orders', async () => {
  const terminal = await stage.hostHeld(stage.dataDir(), { columns: 200, rows: 50 });
  for (const key of ['1', '2']) {
    terminal.press(key);
    let minute = 0;
    let bytes = 0;
    do {
      await terminal.settled(400);
      minute = thisMinute();
      bytes = await writtenMeanwhile(terminal);
      // The header's clock may change once a minute.
    } while (thisMinute() !== minute);
    expect(bytes).toBe(0);
  }
});

function thisMinute(): number {
  return Math.floor(Date.now() / 60_000);
}

async function writtenMeanwhile(terminal: Terminal): Promise<number> {
  const before = terminal.bytes;
  const from = performance.now();
  await until('the end of the watch', () => performance.now() - from > WATCHED_MS);
  return terminal.bytes - before;
}

test('below 80x24 one page says both sizes; a larger terminal has the screen back; q leaves', async () => {
  const dataDir = stage.dataDir();
  const terminal = await stage.hostHeld(dataDir);
  terminal.resize(60, 15);
  await terminal.waitFor(/too small[\s\S]*have 60x15, need 80x24/, 'the page for a small terminal');
  terminal.resize(80, 24);
  await terminal.waitFor(/Watchlist[\s\S]*BTCUSDT/, 'the screen again');
  terminal.resize(60, 15);
  await terminal.waitFor(/too small/, 'the small page again');
  const pid = await stage.deskPid(dataDir);
  terminal.press('q');
  expect(await terminal.ended).toEqual({ exitCode: 0, signal: 0 });
  expect(pid).toBe(await stage.deskPid(dataDir));
});

test('random sizes leave no wrong row: a redraw changes nothing', async () => {
  const terminal = await stage.hostHeld(stage.dataDir());
  const random = generator(20_261_120);
  for (let round = 0; round < 10; round++) {
    terminal.press(['1', '2', '6', '9', '?', 'esc'][Math.floor(random() * 5)] as string);
    // Many sizes in quick succession, as when a window's corner is dragged, then the final size.
    for (let step = 0; step < 3; step++) terminal.resize(...someSize(random));
    await terminal.waitFor((text, lines) => drawnFor(terminal, text, lines), 'a frame of the last size');
    await sameAfterRedraw(terminal);
  }
});

/**
 * Whether the program has drawn for the last size: the page names it, or header and footer are at its edges.
 */
function drawnFor({ emulator: { cols, rows } }: Terminal, text: string, lines: readonly string[]): boolean {
  if (cols < 80 || rows < 24) return text.includes(`have ${cols}x${rows},`);
  const [header = ''] = lines;
  return /\d\d:\d\d( UTC)?$/.test(header) && header.length === cols - 1 && lines.at(-1) !== '';
}

async function sameAfterRedraw(terminal: Terminal): Promise<void> {
  await terminal.settled(200);
  const shown = terminal.framed();
  const bytes = terminal.bytes;
  terminal.press('ctrl-l');
  await until('the redraw', () => terminal.bytes > bytes);
  await terminal.settled(150);
  expect(shown, 'before and after ctrl-l').toBe(terminal.framed());
}

function someSize(random: () => number): [number, number] {
  return [40 + Math.floor(random() * 180), 8 + Math.floor(random() * 50)];
}

/** A small linear congruential generator: the same sizes in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
