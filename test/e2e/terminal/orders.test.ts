/** The main path at the keyboard: an order is written, reviewed, placed, filled, cancelled, split. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, listening, review } from '../../support/terminal/dialogs.ts';
import { fallingCandles, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';
import { until } from '../../support/terminal/wait.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

/** Starts a replay that is held one tick after its start: the price is 60,000 and will fall. */
async function hostReplay(size: { columns: number; rows: number }) {
  const dataDir = stage.dataDir();
  const feed = stage.candles('BTCUSDT', fallingCandles());
  const terminal = stage.host(dataDir, { ...size, args: ['--feed', feed, '--hold', '--speed', '600'] });
  await terminal.waitFor(/Watchlist/, 'the first screen');
  terminal.press('.');
  await terminal.waitFor(/BTCUSDT +60,000/, 'the first price');
  return { dataDir, terminal, attached: await stage.attach(dataDir) };
}

/** Fills in the ticket up to its review: by default LIMIT BUY. */
async function writeTicket(terminal: Terminal, quantity: string, price: string): Promise<void> {
  terminal.press('n');
  await terminal.waitFor(/BUY BTCUSDT/, 'the ticket');
  terminal.press('tab', 'tab', 'tab');
  await terminal.waitFor(/▸ quantity/, 'the quantity in focus');
  terminal.type(quantity);
  terminal.press('tab');
  await terminal.waitFor(/▸ price/, 'the price in focus');
  terminal.type(price);
  await terminal.waitFor(/distance [-+]\d/, 'the live check');
}

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('at $columns x $rows', (size) => {
  test('an order is placed, rests, is filled by the feed, and the console says why', async () => {
    const { terminal } = await hostReplay(size);
    terminal.press('2');
    await terminal.waitFor(/no orders/, 'the empty table');
    await writeTicket(terminal, '0.01', '59900');
    await review(terminal, /y place/);
    expect(terminal.text()).toMatch(/PAPER[\s\S]*BTCUSDT[\s\S]*599(\.00)?/);
    await answer(terminal, /y place/, 'y');
    await terminal.waitFor(/BTCUSDT +BUY +LIMIT +0\.01000 +59,900\.00 .*OPENED/, 'the order resting');

    terminal.press('1');
    await terminal.waitFor(/Watchlist/, 'the overview');
    terminal.press('p');
    await terminal.waitFor(/1 ended/, 'the order filled by the feed');
    terminal.press('p', '2');
    await terminal.waitFor(/BTCUSDT +BUY +LIMIT +0\.01000 +59,900\.00 .*FILLED/, 'the order closed');
    terminal.press('enter');
    await terminal.waitFor(/Why/, 'the detail');
    await terminal.waitFor(/filled +0\.01 +100 %.*at +59,?900/, 'the fill price');
    // The end of the list is known only after the desk's response.
    await terminal.waitFor(/created +BUY LIMIT 0\.01 BTCUSDT/, 'what has become of it');
    terminal.press('tab', 'G');
    await terminal.waitFor(/0\.01 at 59,900\.00 +fee/, 'the fill');
    expect(terminal.lines().every((line) => [...line].length <= size.columns)).toBe(true);
  });
});

test('an order is cancelled, and another split, each after a look at what will happen', async () => {
  const { terminal, attached } = await hostReplay({ columns: 80, rows: 24 });
  terminal.press('2');
  await terminal.waitFor(/no orders/, 'the empty table');
  await writeTicket(terminal, '0.01', '59000');
  await review(terminal, /y place/);
  await answer(terminal, /y place/, 'y');
  await terminal.waitFor(/59,000\.00 .*OPENED/, 'the order to cancel');
  terminal.press('x');
  await answer(terminal, /y cancel/, 'y');
  await terminal.waitFor(/59,000\.00 .*CANCELLED/, 'the order cancelled');

  await writeTicket(terminal, '0.02', '58000');
  await review(terminal, /y place/);
  await answer(terminal, /y place/, 'y');
  await terminal.waitFor(/▸.*58,000\.00 .*OPENED/, 'the order to split');
  terminal.press('s');
  await terminal.waitFor(/Split order/, 'the split');
  terminal.type('57900,57800');
  await terminal.waitFor(/57,900 +0\.01 +579\b[\s\S]*57,800 +0\.01 +578\b/, 'the preview of both parts');
  await review(terminal, /y split/);
  await answer(terminal, /y split/, 'y');
  await terminal.waitFor(/57,900\.00 .*OPENED/, 'the first part');
  await terminal.waitFor(/57,800\.00 .*OPENED/, 'the second part');
  // Another console is told a moment later.
  const open = await until('both parts and nothing else', async () => {
    const { orders } = await attached.state();
    const found = Object.values(orders).filter(({ status }) => status === 'OPENED');
    return found.length === 2 && found;
  });
  expect(open.map(({ price, origQty }) => `${origQty} at ${price}`).sort()).toEqual([
    '0.01 at 57800',
    '0.01 at 57900',
  ]);
});

test('Enter places nothing: not on the ticket, not in the confirmation', async () => {
  const { terminal, attached } = await hostReplay({ columns: 80, rows: 24 });
  terminal.press('2');
  await writeTicket(terminal, '0.01', '59000');
  await terminal.settled(200);
  // Through every field and, from the review button, into the confirmation.
  await until('the confirmation', () => {
    if (/y place/.test(terminal.text())) return true;
    terminal.press('enter');
    return false;
  });
  await answer(terminal, /y place/, 'enter');
  await terminal.waitFor(/▸ +Review/, 'the ticket again');
  terminal.press('enter');
  await listening(terminal, /y place/);
  // Several characters in one event, as from a paste: the confirmation does not take them.
  terminal.type('yy');
  await terminal.settled(200);
  await answer(terminal, /y place/, 'enter');
  const client = await stage.client(attached, 'read');
  expect(await client.orders.list({ status: 'recent' })).toEqual([]);
  expect(await client.orders.list()).toEqual([]);
});
