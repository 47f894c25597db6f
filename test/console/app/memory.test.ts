/**
 * A console that has run long holds no more than one that has just begun.
 * Its bytes: `npm run bench -- --only console-memory`.
 */
import { expect, it } from 'vitest';
import { LOG_LINES } from '../../../src/desk/console/protocol.ts';
import { BusyConsole, stateWithOrders } from '../support/busy-console.ts';
import { ALIVE, churn } from '../support/churn.ts';

it('30,000 order updates and 500 frames leave no listener and nothing in the stores behind', {
  timeout: 120_000,
}, async () => {
  const busy = new BusyConsole({ columns: 80, rows: 24, state: stateWithOrders(ALIVE) });
  const before = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const seen: { listeners: number; orders: number; log: number; ui: number; dialogs: number }[] = [];
  const framesBefore = busy.stdout.frames;
  await churn(busy, 500, 60, 100, () => {
    const ui = busy.mounted.session.ui.getState();
    const state = busy.mounted.session.desk.getState().state;
    seen.push({
      listeners: busy.listeners(),
      orders: Object.keys(state?.orders ?? {}).length,
      log: state?.log.length ?? 0,
      ui: JSON.stringify(ui).length,
      dialogs: ui.dialogs.length,
    });
  });
  const [first] = seen;
  if (!first) throw new Error('nothing was looked at');
  expect(seen).toHaveLength(5);
  expect(busy.stdout.frames - framesBefore).toBeGreaterThan(400);
  for (const { listeners, orders, log, ui, dialogs } of seen) {
    expect(listeners).toBeLessThanOrEqual(first.listeners + 2);
    expect(orders).toBeLessThanOrEqual(ALIVE + 5);
    expect(log).toBeLessThanOrEqual(LOG_LINES);
    expect(ui).toBeLessThan(60_000);
    expect(dialogs).toBeLessThanOrEqual(2);
  }
  await busy.close();
  expect(
    process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  ).toBeLessThanOrEqual(before);
});
