/**
 * A futures position from its ticket to its end, at a real terminal: opened, seen unprotected, protected,
 * closed.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, review } from '../../support/terminal/dialogs.ts';
import { Stage } from '../../support/terminal/stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

test.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('a long is opened, protected and closed at $columns x $rows', async (size) => {
  const terminal = stage.host(stage.dataDir(), size);
  await terminal.waitFor(/BTCUSDT +\d/, 'the first prices');
  terminal.press('5');
  await terminal.waitFor(/no open positions/, 'the empty screen');

  terminal.press('n');
  await terminal.waitFor(/account +paper-futures/, 'the ticket on the futures account');
  terminal.type('BTCUSDT');
  terminal.press('tab', 'tab', 'right');
  await terminal.waitFor(/type +◂ MARKET/, 'the type');
  terminal.press('tab', 'tab', 'tab');
  await terminal.waitFor(/▸ quantity/, 'the quantity in focus');
  terminal.type('0.1');
  await terminal.waitFor(/margin [\d,.]+ USDT needed at 20x/, 'the margin needed');
  await review(terminal, /y place this order/);
  expect(terminal.text()).toMatch(/PAPER[\s\S]*paper-futures[\s\S]*BUY 0\.1 BTC BTCUSDT[\s\S]*fee/);
  await answer(terminal, /y place this order/, 'y');
  await terminal.waitFor(/▸ BTCUSDT +LONG +0\.100 .* NO/, 'the position without a stop');
  await terminal.waitFor(/! 1 without a stop/, 'the warning');
  terminal.press('1');
  await terminal.waitFor(/no stop 1 of 1/, 'the count on the Overview');

  terminal.press('5', 's');
  await terminal.waitFor(/▸ stop price/, 'the form of the stop');
  terminal.type('50000');
  await terminal.waitFor(/once the mark price reaches 50,000/, 'the live check');
  await review(terminal, /y place this stop/);
  await answer(terminal, /y place this stop/, 'y');
  await terminal.waitFor(/▸ BTCUSDT +LONG +0\.100 .* yes/, 'the position covered');
  terminal.press('enter');
  await terminal.waitFor(/at the exchange · 100 % · 0\.1 of 0\.1 +since/, 'since when it is protected');
  await terminal.waitFor(/STOP_MARKET +all of it stop 50,000/, 'the resting stop');

  terminal.press('x');
  await answer(terminal, /y close this position/, 'y');
  await terminal.waitFor(/no open positions/, 'the empty screen again');
  expect(terminal.lines().every((line) => [...line].length <= size.columns)).toBe(true);
});
