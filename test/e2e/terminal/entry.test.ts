/**
 * How many keys everyday trades take at a real terminal: a limit order for a share of the free balance, its
 * change, a price alert, and closing half of a position. Typed numbers do not count.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, listening } from '../../support/terminal/dialogs.ts';
import { fallingCandles, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** Presses keys one by one and counts those that are not digits. */
class Counted {
  keys = 0;

  private readonly terminal: Terminal;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  press(...names: readonly string[]): void {
    for (const name of names) {
      if (!/^\d$/.test(name)) this.keys++;
      this.terminal.press(name);
    }
  }

  /** Presses the confirming key; `answer` repeats it where the machine was too slow, which counts as one. */
  async confirm(shown: RegExp): Promise<void> {
    this.keys++;
    await listening(this.terminal, shown);
    await answer(this.terminal, shown, 'y');
  }
}

test.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('a limit order, its change, an alert and half a close take few keys at $columns x $rows', async (size) => {
  const feed = stage.candles('BTCUSDT', fallingCandles());
  const terminal = stage.host(stage.dataDir(), {
    ...size,
    args: ['--feed', feed, '--hold', '--speed', '600'],
  });
  await terminal.waitFor(/Watchlist/, 'the first screen');
  terminal.press('.');
  await terminal.waitFor(/BTCUSDT +60,000/, 'the first price');

  const placed = new Counted(terminal);
  placed.press('b');
  await terminal.waitFor(/available 100,000 USDT/, 'the ticket');
  placed.press('2', '5', '%', 'tab', '-', '1', '%');
  await terminal.waitFor(/= 59,400\.00/, 'the price that is meant');
  expect(terminal.text()).toMatch(/= 0\.42087 BTC, 25% of 100,000 USDT/);
  placed.press('ctrl-r');
  await placed.confirm(/y place this order/);
  await terminal.waitFor(/BUY 0\.42087 BTCUSDT: OPENED/, 'the order resting');
  expect(placed.keys).toBeLessThanOrEqual(8);

  terminal.press('2');
  await terminal.waitFor(/▸ .*BTCUSDT +BUY +LIMIT +0\.42087 +59,400\.00/, 'the order under the cursor');
  const changed = new Counted(terminal);
  changed.press('m');
  await terminal.waitFor(/Change order/, 'the form of the change');
  changed.press('5', '9', '0', '0', '0', 'ctrl-r');
  await terminal.waitFor(/59,400\.00 → 59,000\.00/, 'what is to be another');
  await changed.confirm(/y change the order/);
  await terminal.waitFor(/BTCUSDT +BUY +LIMIT +0\.42087 +59,000\.00 .*OPENED/, 'the order at its new price');
  expect(changed.keys).toBeLessThanOrEqual(4);

  const told = new Counted(terminal);
  told.press('A');
  await terminal.waitFor(/Price alert/i, 'the form of the alert');
  told.press('5', '9', '5', '0', '0', 'enter');
  await terminal.waitFor(/alert set: BTCUSDT below 59,500/, 'the alert set');
  expect(told.keys).toBeLessThanOrEqual(3);

  terminal.press(':');
  await terminal.waitFor(/─ Command/, 'the palette');
  terminal.type('buy 0.1 btc futures');
  await terminal.waitFor(/BUY 0\.1 BTCUSDT MARKET on paper-futures/, 'the order in one line');
  terminal.press('enter');
  await terminal.waitFor(/account +paper-futures/, 'the filled ticket');
  terminal.press('ctrl-r');
  await answer(terminal, /y place this order/, 'y');
  await terminal.waitFor(/BUY 0\.1 BTCUSDT: FILLED/, 'the entry filled');
  terminal.press('5');
  await terminal.waitFor(/▸ BTCUSDT +LONG +0\.100/, 'the position');
  const closed = new Counted(terminal);
  closed.press('p');
  await terminal.waitFor(/◂ 50 % ▸ {2}= 0\.05/, 'half of it chosen');
  closed.press('ctrl-r');
  await closed.confirm(/y close this part/);
  await terminal.waitFor(/▸ BTCUSDT +LONG +0\.050/, 'half of the position');
  expect(closed.keys).toBeLessThanOrEqual(4);
  expect(terminal.lines().every((line) => [...line].length <= size.columns)).toBe(true);
});
