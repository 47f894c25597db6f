/** The mouse: the terminal's mouse reports are removed from the keys whole, and only scroll and select. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOUSE_OFF, MOUSE_ON, type MouseEvent, MouseReader } from '../../../src/console/input/mouse.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, type Rig, type RigOptions } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';

const open = rigPerTest();
const withMouse = (options: RigOptions = {}) => open(new FakeDesk(), { mouse: true, ...options });
const press = (column: number, row: number) => `\x1b[<0;${column};${row}M`;
const WHEEL_DOWN = '\x1b[<65;10;10M';
const WHEEL_UP = '\x1b[<64;10;10M';

function read(pieces: readonly string[]): { keys: string; events: MouseEvent[] } {
  const events: MouseEvent[] = [];
  const reader = new MouseReader((event) => events.push(event));
  return { keys: pieces.map((piece) => reader.taken(piece)).join(''), events };
}

describe('reports of the mouse', () => {
  const report = fc
    .tuple(fc.constantFrom(0, 1, 2, 32, 35, 64, 65, 128), fc.nat(400), fc.nat(400), fc.constantFrom('M', 'm'))
    .map(([button, column, row, end]) => `\x1b[<${button};${column};${row}${end}`);
  const key = fc.constantFrom('j', 'y', '7', 'é', '\r', '\x1b[A', '\x1b[27u');

  it('are taken out of keys, however the line hands them over behind their first byte', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(report, key), { maxLength: 12 }),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (parts, cuts) => {
          const text = parts.join('');
          const at = cuts.filter((cut) => !text.slice(0, cut).endsWith('\x1b')).sort((a, b) => a - b);
          const pieces = [...at, text.length].map((cut, n) => text.slice(at[n - 1] ?? 0, cut));
          const { keys, events } = read(pieces);
          expect(keys).toBe(parts.filter((part) => !part.startsWith('\x1b[<')).join(''));
          expect(events).toHaveLength(
            parts.filter((part) => part.startsWith('\x1b[<') && /<(0|64|65);.*M$/.test(part)).length,
          );
        },
      ),
    );
  });

  it('whose first byte came alone are not typed', () => {
    expect(read(['\x1b', '[<0;1;2Mj']).keys).toBe('\x1bj');
    expect(read(['\x1b', '[A']).keys).toBe('\x1b[A');
  });

  it('that are none hold nothing back beyond their length', () => {
    expect(read(['\x1b[<0;1', ';2M']).events).toEqual([{ kind: 'press', column: 1, row: 2 }]);
    const long = `\x1b[<${'1'.repeat(40)}`;
    expect(read([long, 'x']).keys).toBe(`${long}x`);
    expect(read(['\x1b[<0;1', 'x']).keys).toBe('\x1b[<0;1x');
  });
});

describe('with the mouse', () => {
  const rowOf = (screen: Rig, text: string) =>
    screen.screenLines().findIndex((line) => line.includes(text)) + 1;

  it.each([
    [80, 24],
    [200, 50],
  ])('at %ix%i a press selects a row or a tab, and the wheel scrolls', async (columns, rows) => {
    const screen = await withMouse({ columns, rows });
    const tab = (screen.screenLines()[1] ?? '').indexOf('2 Ord') + 1;
    await screen.press(press(tab, 2));
    await screen.shows('─ Orders');
    await screen.press(press(20, rowOf(screen, 'SOLUSDT')));
    expect(screen.screenText()).toMatch(/▸ .*SOLUSDT/);
    await screen.press(WHEEL_UP);
    expect(screen.screenText()).toMatch(/▸ .*XRPUSDT/);
    await screen.press(WHEEL_DOWN);
    expect(screen.screenText()).toMatch(/▸ .*SOLUSDT/);
    await screen.press(press(20, rowOf(screen, 'SOLUSDT') + 8));
    expect(screen.screenText()).toMatch(/▸ .*SOLUSDT/);
  });

  it('nothing is confirmed, closed or typed by it', async () => {
    const screen = await withMouse();
    await screen.press('2', 'j', 'x');
    await screen.shows('Cancel order');
    for (let row = 1; row <= 24; row++) await screen.press(press(30, row), WHEEL_DOWN);
    expect(screen.session.ui.getState().dialogs).toMatchObject([{ kind: 'confirm', busy: false }]);
    await screen.press('\x1b[27u', '/', 'b', press(3, 3), '\x1b[<0;3;3m', 't');
    expect(screen.session.ui.getState().orders.filter).toBe('bt');
  });

  it('the terminal reports until the console is left, and is told to end it', async () => {
    const screen = await withMouse();
    expect(screen.stdout.chunks.join('')).toContain(MOUSE_ON);
    await screen.close();
    const all = screen.stdout.chunks.join('');
    expect(all.lastIndexOf(MOUSE_OFF)).toBeGreaterThan(all.lastIndexOf(MOUSE_ON));
  });

  it('without the setting nothing is asked of the terminal, and what it tells all the same does nothing', async () => {
    const screen = await open(new FakeDesk());
    await screen.press(press(13, 2), '/');
    expect(screen.stdout.chunks.join('')).not.toContain('1000h');
    expect(screen.session.ui.getState().screen).toBe('overview');
  });

  it('is switched on and off at the console, and kept for whenever its operator comes back', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    const sent = () => screen.stdout.chunks.join('');
    await screen.press(':', ...'mouse on', ENTER);
    await screen.shows('the mouse is on');
    expect(sent().lastIndexOf(MOUSE_ON)).toBeGreaterThan(-1);
    await screen.press(press((screen.screenLines()[1] ?? '').indexOf('2 Ord') + 1, 2));
    await screen.shows('─ Orders');
    await screen.press(':', ...'mouse off', ENTER);
    await screen.shows('the mouse is off');
    expect(sent().lastIndexOf(MOUSE_OFF)).toBeGreaterThan(sent().lastIndexOf(MOUSE_ON));
    // What was on its way is not typed.
    await screen.press('/', press(3, 3), 'b');
    expect(screen.session.ui.getState().orders.filter).toBe('b');
    await screen.close();
    expect(desk.calls.findLast(({ method }) => method === 'memory.write')?.params).toMatchObject({
      memory: { mouse: { chosen: 'off', asked: 'false' } },
    });
    desk.answers['memory.read'] = () => ({ mouse: { chosen: 'on', asked: 'false' } });
    const again = await open(desk);
    await again.shows('Watchlist');
    expect(again.stdout.chunks.join('')).toContain(MOUSE_ON);
  });
});
