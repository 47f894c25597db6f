/**
 * The command palette on a whole console: what it finds, where choosing leads, and that Enter does nothing to
 * the desk.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALL_BINDINGS } from '../../../src/console/app/bindings.ts';
import { openPalette } from '../../../src/console/palette/commands.ts';
import { paletteEntries } from '../../../src/console/palette/palette.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { PLACES, SCREENS } from '../support/parts.ts';
import { ENTER, ESC, type Rig, type RigOptions } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const DARK = fileURLToPath(new URL('../../../themes/dark.json', import.meta.url));
const DOWN = '\x1b[B';
const UP = '\x1b[A';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-palette-'));
  mkdirSync(join(folder, 'themes'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const openWith = rigPerTest();
function open(desk?: FakeDesk, options: RigOptions = {}): Promise<Rig> {
  return openWith(desk, { dataDir: folder, ...options });
}

const source = {
  state: deskState({ bots: someBots() }),
  bindings: ALL_BINDINGS,
  places: PLACES,
  themes: ['dark', 'mono'],
  at: { exchange: 'paper-spot', symbol: 'BTCUSDT' },
};
const labels = (text: string, screen: 'overview' | 'orders' = 'orders') =>
  paletteEntries(text, { ...source, screen }).map(({ label }) => label);

describe('what the palette finds', () => {
  it('names each command once, the screen’s own first', () => {
    for (const { id } of SCREENS) {
      const all = paletteEntries('', { ...source, screen: id }).map(({ label }) => label);
      expect(new Set(all).size).toBe(all.length);
      expect(all).toContain('quit');
      expect(all).toContain('theme dark');
    }
    expect(labels('')[0]).toBe('new');
    // Symbols, bots and orders are listed only once a text is typed.
    expect(labels('')).not.toContain('BTCUSDT');
  });

  it('screens, commands, themes, symbols, bots and orders', () => {
    expect(labels('ord')[0]).toBe('Orders');
    expect(labels('split')[0]).toBe('split');
    expect(labels('thmo')[0]).toBe('theme mono');
    expect(labels('btcu')[0]).toBe('BTCUSDT');
    const bot = Object.values(source.state.bots)[0];
    expect(paletteEntries(bot?.id ?? '', { ...source, screen: 'log' })[0]?.target).toEqual({
      to: 'bot',
      id: bot?.id,
    });
    expect(labels('buy xrp')[0]).toBe('BUY 8000 XRPUSDT LIMIT 0.5990');
    expect(paletteEntries('q1a2d', { ...source, screen: 'log' })[0]?.target).toEqual({
      to: 'order',
      id: 'oc-7f3k2m9q1a2d',
    });
    expect(labels('no such thing at all')).toEqual([]);
  });

  it('commands of other screens by the screen’s name', () => {
    expect(labels('revoke')[0]).toBe('Keys: revoke');
    expect(labels('orders: cancel', 'overview')).toContain('Orders: cancel');
    expect(labels('orders: cancel', 'orders')).not.toContain('Orders: cancel');
  });

  it('open orders before ended ones, and no more than can be looked through', () => {
    const orders = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => {
        const id = `oc-${String(at).padStart(6, '0')}`;
        return [id, order(id, { status: at % 50 === 0 ? 'OPENED' : 'CLOSED', orderTime: NOON - at })];
      }),
    );
    const many = { ...source, state: { ...source.state, orders }, screen: 'orders' as const };
    const found = paletteEntries('buy btc', many);
    expect(found.length).toBe(200);
    expect(found.slice(0, 100).every(({ hint }) => hint === 'order, OPENED')).toBe(true);
  });
});

describe('choosing', () => {
  it('a symbol selects it in the watchlist', async () => {
    const screen = await open();
    await screen.press('9', ':', 'ltc', ENTER);
    expect(screen.session.ui.getState().screen).toBe('overview');
    await screen.until(() => screen.screenLines().some((line) => /▸ LTCUSDT/.test(line)));
  });

  it('an order selects its row, whatever was filtered', async () => {
    const screen = await open();
    await screen.press('2', '/', 'sol', ENTER);
    await screen.press(':', '8000 xrp', ENTER);
    await screen.until(() => screen.screenLines().some((line) => /▸.*XRPUSDT/.test(line)));
    expect(screen.session.ui.getState().orders.filter).toBe('');
  });

  it('a bot selects it', async () => {
    const bots = someBots();
    const screen = await open(new FakeDesk(deskState({ bots })));
    const bot = Object.values(bots)[1];
    await screen.press(':', bot?.id ?? '', ENTER);
    expect(screen.session.ui.getState()).toMatchObject({
      screen: 'bots',
      bots: { selection: { id: bot?.id } },
    });
  });

  it('a command of another screen goes there and says its key, without doing it', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press(':', 'orders: cancel all', ENTER);
    expect(screen.session.ui.getState().screen).toBe('orders');
    expect(screen.session.ui.getState().dialogs).toEqual([]);
    await screen.shows('press X for: cancel all shown');
    expect(desk.acting).toEqual([]);
  });

  it('has the keys of the trades, and goes there and back', async () => {
    const desk = new FakeDesk();
    desk.answers['trades.page'] = () => ({ trades: [], next: null });
    const screen = await open(desk);
    await screen.press(':', 'trades: read', ENTER);
    const opened = () => screen.session.ui.getState().trades.open;
    expect([screen.session.ui.getState().screen, opened()]).toEqual(['orders', true]);
    await screen.shows('press r for: read again');
    await screen.press(':', 'reverse', ENTER);
    expect(screen.session.ui.getState().trades.reverse).toBe(true);
    await screen.press('?');
    await screen.shows('│ Trades ');
    expect(screen.screenText()).toMatch(/│ r +read again/);
    await screen.press(ESC, ':', 'orders: cancel all', ENTER);
    expect([screen.session.ui.getState().screen, opened()]).toEqual(['orders', false]);
  });

  it('takes what is under the cursor even when the desk has changed since', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press(':', 'sell', DOWN);
    const dialog = screen.session.ui.getState().dialogs[0];
    const target = dialog?.kind === 'palette' ? dialog.entries[dialog.index]?.target : null;
    expect(target?.to).toBe('order');
    desk.push({ orders: { 'oc-zz': order('oc-zz', { side: 'SELL', orderTime: NOON }) } });
    await screen.settle();
    await screen.press(ENTER);
    expect(screen.session.ui.getState().orders.selection.id).toBe(target?.to === 'order' ? target.id : null);
  });

  it('Enter on any entry of any screen neither acts nor confirms', async () => {
    const desk = new FakeDesk(deskState({ bots: someBots() }));
    const screen = await open(desk);
    for (const { id } of SCREENS) {
      const entries = paletteEntries('', { ...source, screen: id });
      for (const [at, { target }] of entries.entries()) {
        const own = ALL_BINDINGS.some(
          ({ scope, command }) => scope === id && target.to === 'command' && target.command === command,
        );
        // Commands of every screen are tried once.
        if (!own && id !== 'orders') continue;
        screen.session.ui.setState({ screen: id, dialogs: [], message: null });
        openPalette(screen.session);
        screen.session.ui.setState((ui) => ({
          dialogs: ui.dialogs.map((dialog) =>
            dialog.kind === 'palette' ? { ...dialog, index: at } : dialog,
          ),
        }));
        await screen.press(ENTER, ENTER);
      }
    }
    expect(desk.acting).toEqual([]);
    expect(screen.exit()).toBeNull();
  });
});

describe('themes in the palette', () => {
  const theme = (screen: Rig) => screen.session.ui.getState().theme.name;

  it('are shown while the cursor is on them; esc takes them back, enter keeps them', async () => {
    const screen = await open();
    await screen.press(':', 'theme light');
    expect(theme(screen)).toBe('light');
    await screen.press(ESC);
    expect(theme(screen)).toBe('dark');
    await screen.press(':', 'theme ');
    const first = theme(screen);
    await screen.press(DOWN);
    expect(theme(screen)).not.toBe(first);
    await screen.press(UP);
    expect(theme(screen)).toBe(first);
    await screen.press('mono');
    expect(theme(screen)).toBe('mono');
    await screen.press('\x15', 'orders');
    expect(theme(screen)).toBe('dark');
    await screen.press('\x15', 'theme mono', ENTER);
    expect(theme(screen)).toBe('mono');
    await screen.shows('theme mono, here and whenever you come back');
    await screen.press(':', ESC);
    expect(theme(screen)).toBe('mono');
  });

  it('one of the user’s own stands beside them', async () => {
    const mine = { ...JSON.parse(readFileSync(DARK, 'utf8')), name: 'mine' };
    writeFileSync(join(folder, 'themes', 'mine.json'), JSON.stringify(mine));
    const screen = await open();
    await screen.press(':', 'mine', ENTER);
    expect(theme(screen)).toBe('mine');
  });

  it('a broken one of the user’s own is told of and changes nothing', async () => {
    writeFileSync(join(folder, 'themes', 'mine.json'), '{"name": "mine", "tokens": {"txt": null}}');
    const screen = await open();
    await screen.press(':', 'mine', ENTER);
    await screen.shows('themes/mine.json is ignored: unknown token "txt": did you mean "text"?');
    expect(theme(screen)).toBe('dark');
  });

  it('a broken one chosen at the start is told of on the Overview, and dark is used', async () => {
    writeFileSync(join(folder, 'themes', 'mine.json'), '{"name": "mine",}');
    const screen = await open(new FakeDesk(), { theme: 'mine' });
    await screen.shows('! themes/mine.json is ignored: it is not JSON');
    expect(theme(screen)).toBe('dark');
    await screen.press(':', 'problems', ENTER);
    await screen.shows('Ignored in the configuration');
  });
});
