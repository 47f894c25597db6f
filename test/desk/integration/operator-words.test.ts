/** An operator's setting survives a kill in the next moment, once the console was told that it is done. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flat, ok, openTestDesk, temporaryFolder, writeCandles } from './support.ts';

/** A copy of the folder as a process killed now would leave it. */
function killed(dataDir: string): string {
  const grave = join(temporaryFolder(), 'grave');
  mkdirSync(grave, { mode: 0o700 });
  for (const part of ['', '-wal']) cpSync(join(dataDir, `outcry.db${part}`), join(grave, `outcry.db${part}`));
  return grave;
}

async function heldDesk() {
  const feed = writeCandles({ BTCUSDT: Array.from({ length: 20 }, () => flat('100')).flat() });
  const desk = await openTestDesk({ feed, hold: true });
  for (let step = 0; step < 8; step++) {
    await desk.call('feed.control', { action: 'step' });
    await desk.clock.settle();
  }
  const again = () => openTestDesk({ feed, hold: true, dataDir: killed(desk.dataDir) });
  return { desk, again };
}

describe('after a kill', () => {
  it('a mute that was answered is still there', async () => {
    const { desk, again } = await heldDesk();
    ok(await desk.call('alerts.mute', { kind: 'target', id: 'bell', on: true }));
    expect((await again()).desk.state().mutes).toEqual({ bots: [], targets: ['bell'] });
  });

  it('money that was paid in is no profit of the day', async () => {
    const { desk, again } = await heldDesk();
    ok(await desk.call('paper.balance', { exchange: 'paper-spot', asset: 'USDT', amount: '150000' }));
    const { equity } = desk.desk.state();
    expect((await again()).desk.state().equity).toMatchObject({
      usd: equity.usd,
      dayStartUsd: equity.dayStartUsd,
    });
    expect(equity.dayStartUsd).toBe(equity.usd);
  });
});

it('the log has who has stopped the market and let it go on, and none of its single steps', async () => {
  const { desk } = await heldDesk();
  for (const action of ['play', 'pause', 'step', 'step'] as const) {
    ok(await desk.call('feed.control', { action }));
    await desk.clock.settle();
  }
  const said = desk.desk.state().log.map(({ text }) => text);
  expect(said.filter((text) => text.endsWith('asked by operator'))).toEqual([
    'play asked by operator',
    'pause asked by operator',
  ]);
});
