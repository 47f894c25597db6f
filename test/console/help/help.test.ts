/**
 * The help page: made from the table of keys, fits into 80x24 as a whole, and describes the screen below it.
 */

import { describe, expect, it } from 'vitest';
import { ALL_BINDINGS, KEYS } from '../../../src/console/app/bindings.ts';
import { helpLines } from '../../../src/console/help/help-lines.ts';
import { applyKeys } from '../../../src/console/input/overrides.ts';
import { shownKey } from '../../../src/console/input/shown-key.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { PLACES } from '../support/parts.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';

const open = rigPerTest();

const text = (lines: ReturnType<typeof helpLines>) =>
  lines.map((line) => line.map((part) => part.text).join(''));

describe('the lines of the help', () => {
  it.each(PLACES.map(({ id }) => id))('%s: every key of the screen and of everywhere, nothing cut', (id) => {
    const screen = PLACES.find((entry) => entry.id === id) ?? PLACES[0];
    if (!screen) throw new Error('no screen');
    for (const width of [72, 92]) {
      const lines = helpLines(ALL_BINDINGS, screen, [id, 'list', 'global', 'always'], width);
      for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
      const words = text(lines).join(' ');
      expect(words).not.toContain('…');
      for (const { scope, keys, label } of ALL_BINDINGS) {
        if (![id, 'list', 'global', 'always', 'form', 'choice', 'confirm'].includes(scope)) continue;
        for (const key of keys) expect(words).toContain(shownKey(key));
        for (const word of label.split(' ')) expect(words).toContain(word);
      }
    }
  });

  it('names the panes in force and leaves out the others', () => {
    const orders = { id: 'orders', title: 'Orders' } as const;
    const without = text(helpLines(ALL_BINDINGS, orders, ['orders', 'list'], 72)).join('\n');
    expect(without).toContain('Orders');
    expect(without).not.toContain('Detail');
    expect(text(helpLines(ALL_BINDINGS, orders, ['detail', 'orders'], 72)).join('\n')).toContain('Detail');
  });

  it('shows keys of the user’s own', () => {
    const { bindings } = applyKeys(KEYS, [['order.cancel', ['%', 'ctrl-x']]]);
    const orders = { id: 'orders', title: 'Orders' } as const;
    const lines = text(helpLines(bindings, orders, ['orders'], 72));
    expect(lines.some((line) => /^% ctrl-x +cancel /.test(line))).toBe(true);
    expect(lines.some((line) => /^x +cancel/.test(line))).toBe(false);
  });
});

describe('the help on the screen', () => {
  it('is about the screen below, scrolls to its end and not beyond, and closes', async () => {
    const screen = await open();
    await screen.press('6', '?');
    await screen.shows('Help');
    expect(screen.screenText()).toMatch(/│ Keys +Everywhere/);
    expect(screen.screenText()).toMatch(/more, j {3}esc close/);
    for (let at = 0; at < 12; at++) await screen.press('\x04');
    await screen.shows('Enter never places, cancels, revokes or starts anything.');
    expect(screen.screenText()).not.toContain('more, j');
    await screen.press('k');
    await screen.shows('1 more, j');
    await screen.press(ESC);
    expect(screen.session.ui.getState().dialogs).toEqual([]);
  });

  it('fits at 200x50 without scrolling', async () => {
    const screen = await open(new FakeDesk(), { columns: 200, rows: 50 });
    await screen.press('2', '?');
    await screen.shows('Enter never places');
    expect(screen.screenText()).not.toContain('more, ');
  });
});

describe('keys of the user’s own on the screen', () => {
  const keys = [
    ['order.cancel', '%'],
    ['confirm.yes', 'Y'],
    ['quit.open', 'ctrl-q'],
    ['form.review', 'ctrl-g'],
  ] as const;

  it('work, and stand in footer, help, palette and dialogs', async () => {
    const desk = new FakeDesk();
    const rig = await open(desk, { keys });
    await rig.press('2', 'j');
    await rig.shows('% cancel');
    await rig.press('x');
    expect(rig.session.ui.getState().dialogs).toEqual([]);
    await rig.press('%');
    await rig.shows('Y cancel');
    await rig.press('y');
    expect(desk.acting).toEqual([]);
    await rig.press('Y');
    await rig.until(() => desk.acting.length === 1);
    expect(desk.acting).toEqual(['orders.cancel']);
    await rig.press('?', '\x04');
    await rig.shows('ctrl-q');
    await rig.press(ESC, ':', 'quit');
    expect(rig.screenLines().some((line) => /▸ quit +ctrl-q/.test(line))).toBe(true);
    await rig.press(ESC, 'q');
    expect(rig.session.ui.getState().dialogs).toEqual([]);
  });

  it('a review by its own key; the old one does nothing', async () => {
    const screen = await open(new FakeDesk(), { keys });
    await screen.press('n', 'BTCUSDT', CTRL_R);
    expect(screen.session.ui.getState().dialogs).toHaveLength(1);
    await screen.shows('ctrl-g reviews');
    await screen.shows('ctrl-g review ');
  });

  it('stand where a screen names a key, and one that was kept stays', async () => {
    const desk = new FakeDesk(deskState({ orders: {} }));
    const rig = await open(desk, {
      keys: [
        ['ticket.open', '&'],
        ['list.back', ['ctrl-b', 'esc']],
      ],
    });
    await rig.press('2');
    await rig.shows('no orders · & new');
    await rig.press('/', 'xyz', ENTER);
    await rig.shows('esc');
    expect(rig.screenText()).not.toContain('ctrl-b');
  });

  it('stand in the hints of bots, trades, panic and the bot editor', async () => {
    const desk = new FakeDesk(deskState({ bots: {}, alerts: [] }));
    desk.answers['trades.page'] = () => ({ trades: [], next: null });
    desk.answers['bots.check'] = () => ({ problems: [], warnings: [], text: '' });
    const rig = await open(desk, {
      keys: [
        ['bot.new-json', 'J'],
        ['orders.trades', '%'],
        ['choice.next', '+'],
        ['editor.review', 'ctrl-t'],
        ['editor.add', 'ctrl-o'],
        ['bot.start', '='],
      ],
    });
    await rig.press('3');
    await rig.shows('J takes JSON');
    await rig.press('2', '%');
    await rig.shows('% back to the orders');
    await rig.press(':', 'panic', ENTER);
    await rig.shows('+ chooses a part');
    await rig.press(ESC, '3', 'n', ENTER, '\x1b[Z', '\x1b[Z');
    await rig.shows('ctrl-t or enter shows what is saved;');
    expect(rig.screenText()).toMatch(/Starting is = *\n on the Bots screen/);
  });

  it('those that are ignored stand on the Overview, all of them a command away', async () => {
    const screen = await open(new FakeDesk(), {
      keys: [
        ['order.cancle', 'c'],
        ['order.split', 'x'],
      ],
      problems: ['/data/config.toml is not TOML at line 3, column 1: something'],
    });
    await screen.shows('! /data/config.toml is not TOML at line 3');
    expect(screen.screenText()).toMatch(/2 more {2}:problems/);
    await screen.press(':', 'problems', ENTER);
    await screen.shows('"order.cancle" is no command; did you mean order.cancel?');
    await screen.shows('order.split cannot be x: that is order.cancel already (cancel)');
    await screen.press(ESC, '2');
    expect(screen.screenText()).not.toContain(':problems');
  });

  it('without any the Overview has all its rows', async () => {
    const screen = await open();
    expect(screen.screenText()).not.toContain(':problems');
    await screen.press(':', 'problems', ENTER);
    await screen.shows('nothing of the configuration is ignored');
  });
});
