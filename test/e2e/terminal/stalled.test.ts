/** A terminal that does not read: ctrl-s, a dead link. Trading must go on unchanged. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { ROOMY_CONFIG } from '../../support/roomy-limits.ts';
import { Stage } from '../../support/terminal/stage.ts';
import { gone } from '../../support/terminal/wait.ts';

/** How long orders stream while nobody reads the screen. */
const STALLED_MS = 3_000;
/** More than the kernel buffers of a pseudo-terminal's output. */
const FULL_BYTES = 4_096;

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

async function hostBusy() {
  const dataDir = stage.dataDir();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Orders stream faster than the budget of POST /orders allows.
  writeFileSync(join(dataDir, 'config.toml'), ROOMY_CONFIG, { mode: 0o600 });
  const terminal = stage.host(dataDir, { columns: 200, rows: 50, args: ['--speed', '20'] });
  await terminal.waitFor(/BTCUSDT/, 'the first prices');
  const attached = await stage.attach(dataDir);
  return { dataDir, terminal, attached, pid: await stage.deskPid(dataDir) };
}

test('orders are taken and filled for seconds; when the terminal reads again it shows the truth', async () => {
  const { dataDir, terminal, attached, pid } = await hostBusy();
  const client = await stage.client(attached);
  terminal.stall();
  const bytes = terminal.bytes;
  const started = performance.now();
  let sent = 0;
  let slowest = 0;
  while (performance.now() - started < STALLED_MS) {
    // Redraws requested at the keyboard fill the rest of the kernel's buffer.
    terminal.press('ctrl-l');
    const from = performance.now();
    // Buys and sells by turns: buying only, a fast machine would soon have spent everything.
    const trade = sent % 2 === 0 ? { side: 'BUY', quantity: '0.001' } : { side: 'SELL', quantity: '0.0009' };
    const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', type: 'MARKET', ...trade } as CreateOrder;
    const { status } = await client.orders.place(order);
    expect(['CLOSED', 'OPENED']).toContain(status);
    slowest = Math.max(slowest, performance.now() - from);
    sent++;
    await client.ping();
  }
  expect(terminal.bytes).toBe(bytes);
  expect(slowest).toBeLessThan(STALLED_MS);
  const { prices } = await attached.state();
  await attached.when(
    'prices that move',
    (state) => state.prices['paper BTCUSDT']?.time !== prices['paper BTCUSDT']?.time,
  );
  await attached.when('every order filled', ({ orders }) =>
    Object.values(orders).every(({ status }) => status === 'CLOSED'),
  );
  await attached.desk.call('feed.control', { action: 'pause' });

  terminal.unstall();
  await terminal.waitFor(new RegExp(`open +0 +${sent} ended`), 'every order on the screen');
  expect(terminal.bytes - bytes).toBeGreaterThan(FULL_BYTES);
  const equity = (await attached.state()).equity.usd;
  const [whole, part = ''] = equity.split('.');
  const shown = `${Number(whole).toLocaleString('en-US')}.${part.padEnd(2, '0').slice(0, 2)}`;
  await terminal.waitFor(shown.slice(0, -1), 'the equity of now');
  expect(await stage.deskPid(dataDir)).toBe(pid);
});

test('SIGTERM stops a desk whose terminal stands still', async () => {
  const { terminal, attached, pid } = await hostBusy();
  terminal.stall();
  const { prices } = await attached.state();
  for (let redraw = 0; redraw < 20; redraw++) terminal.press('ctrl-l');
  await attached.when(
    'prices that move',
    (state) => state.prices['paper BTCUSDT']?.time !== prices['paper BTCUSDT']?.time,
  );
  process.kill(pid, 'SIGTERM');
  expect(await attached.closed).toMatch(/SIGTERM/);
  await gone(pid);
});
