/**
 * The emergency keys over a line that delivers keys in batches every 250 ms, and key by key: panic and
 * cancel-all at a real terminal of 80x24 and of 200x50.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AGAIN, answer, finished, typeWord } from '../../support/terminal/dialogs.ts';
import { batches, typeInBatches } from '../../support/terminal/slow-line.ts';
import { type Attached, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const PRICES = ['61000', '62000', '63000'];

/** A held desk with three resting orders, seen on the screen of `digit`. */
async function withOrders(
  size: { columns: number; rows: number },
  digit: string,
): Promise<{ terminal: Terminal; attached: Attached }> {
  const dataDir = stage.dataDir();
  const terminal = await stage.hostHeld(dataDir, size);
  const attached = await stage.attach(dataDir);
  for (const price of PRICES) {
    const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const;
    const placed = await attached.desk.call('orders.place', { ...order, quantity: '0.01', price });
    expect(placed.ok).toBe(true);
  }
  terminal.press(digit);
  await terminal.waitFor(digit === '1' ? /open +3/ : /3 open/, 'the orders');
  return { terminal, attached };
}

async function openOrders(attached: Attached): Promise<number> {
  return Object.values((await attached.state()).orders).filter(({ status }) => status === 'OPENED').length;
}

const ACTS = [
  { name: 'panic', digit: '1', keys: ['P', 'enter'], word: 'panic' },
  { name: 'cancel all', digit: '2', keys: ['X'], word: 'cancel 3' },
] as const;

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('at $columns x $rows', (size) => {
  test.each(ACTS)('$name, in batches', async ({ digit, keys, word }) => {
    const { terminal, attached } = await withOrders(size, digit);
    const letters = [...word].map((char) => (char === ' ' ? 'space' : char));
    // Up to the last batch, so that the y arrives together with other keys.
    const typed = [...keys, ...letters, 'y'];
    expect(batches(typed).at(-1)).not.toBe('y');
    await typeInBatches(terminal, typed);
    await terminal.waitFor(finished(word), 'the whole word');
    await terminal.waitFor(AGAIN, 'that the y did not count');
    expect(await openOrders(attached)).toBe(PRICES.length);
    await answer(terminal, finished(word), 'y');
    await attached.when('no open order', (state) =>
      Object.values(state.orders).every(({ status }) => status === 'CANCELLED'),
    );
  });

  test.each(ACTS)('$name, key by key', async ({ digit, keys, word }) => {
    const { terminal, attached } = await withOrders(size, digit);
    for (const key of keys) {
      terminal.press(key);
      await terminal.waitFor(key === 'P' ? /stop all bots/ : `type ${word} :`, `what ${key} opens`);
    }
    await typeWord(terminal, word);
    await attached.when('no open order', (state) =>
      Object.values(state.orders).every(({ status }) => status === 'CANCELLED'),
    );
  });
});
