/**
 * Ten bots that trade, and two that only send alerts, in a process that is killed at a random moment, five
 * times: every run continues, no order is doubled or left over, and positions, balances and reservations add
 * up. Then all bots are stopped, and none of their orders rests.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { type Dec, dec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import type { RunPair } from '../../../src/schemas/bot.ts';
import { seedOr } from '../../support/seeds.ts';
import { checkRows, checkRuns, heldBy, readBooks, reservations, runsOn } from '../support/bot-books.ts';
import {
  clientOf,
  type DeskProcess,
  EXCHANGE,
  generateKey,
  startDesk,
  temporaryFolder,
  until,
} from '../support/desk-process.ts';
import { seeded } from '../support/seeded.ts';
import { ASSETS, FUTURES, STOCK, WAVE_BOTS, writeWaves } from '../support/wave-bots.ts';

/** The seed of all actions; the moments of the kills are in real time. */
const FIXED_SEED = 20_260_107;
const KILLS = 5;
const START_USDT = '100000';
const MAX_FILLS = 10_000;
const QUESTIONS_LIMIT_MS = 20_000;
const TRADING_LIMIT_MS = 30_000;
/** Bots whose orders only rest, and bots without orders. */
const STILL: readonly string[] = ['tpsl', 'alarm', 'notify'];

// proves: bot run recovery
it(`ten bots go on over ${KILLS} kills, and their books add up`, async () => {
  await run(seeded(seedOr(FIXED_SEED)));
});

async function run(random: () => number): Promise<void> {
  const dataDir = join(temporaryFolder(), 'data');
  const args = ['--feed', writeWaves(random), '--speed', '30000', '--hold'];
  let desk = await startDesk(dataDir, args);
  const key = await generateKey(desk);
  let client = clientOf(desk, key);
  const runs = await begin(desk, client);
  for (let kill = 1; kill <= KILLS; kill++) {
    const traded = await fillsIn(client);
    await desk.line.call('feed.control', { action: 'play' });
    const more = 10 + random() * 20;
    await until('they trade', async () => (await fillsIn(client)) > traded + more, TRADING_LIMIT_MS);
    await desk.kill('SIGKILL');
    desk = await startDesk(dataDir, args);
    client = clientOf(desk, key);
    await checkRunning(client, runs, `kill ${kill}`);
    // Requests that were on their way at the kill are being looked up.
    await eventually(() => checkBooks(desk, client, `kill ${kill}`));
  }
  await until('every outcome is known', async () => !(await openQuestions(client)), QUESTIONS_LIMIT_MS);
  await desk.line.call('feed.control', { action: 'play' });
  await until('each has traded', async () => (await idle(client)).length === 0, TRADING_LIMIT_MS);
  await desk.line.call('feed.control', { action: 'pause' });
  await checkRunning(client, runs, 'at the end');
  // The work of the last tick may not be done yet.
  await eventually(() => checkBooks(desk, client, 'at the end'));
  await stopAll(desk, client, runs);
}

/**
 * Buys what tpsl will sell, makes the bots and starts them all with one request; returns their runs by bot.
 */
async function begin(desk: DeskProcess, client: Client): Promise<readonly RunPair[]> {
  for (const _symbol of ASSETS) await desk.line.call('feed.control', { action: 'step' });
  const order = { exchange: EXCHANGE, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET' } as const;
  await client.orders.place({ ...order, quantity: str(dec(STOCK) + dec('0.1')) });
  const ids: string[] = [];
  for (const bot of WAVE_BOTS) ids.push((await client.bots.create(bot)).id);
  const started = await client.bots.batchStart(ids);
  return started.map((one): RunPair => {
    if (!one.success) throw new Error(`${one.id} does not start: ${JSON.stringify(one)}`);
    return [one.id, one.runId as string];
  });
}

async function checkRunning(client: Client, runs: readonly RunPair[], where: string): Promise<void> {
  const bots = await client.bots.list();
  const found = bots.map(({ id, runId, status, tag }) => ({ id, runId, status, tag }));
  const expected = runs.map(([id, runId], i) => ({ id, runId, status: 'STARTED', tag: WAVE_BOTS[i]?.tag }));
  expect(found, where).toEqual(expected);
}

/** Checks the books of a desk that is held. */
async function checkBooks(desk: DeskProcess, client: Client, where: string): Promise<void> {
  const books = readBooks(desk.dataDir);
  checkRows(books, where);
  checkRuns(books, where);
  await checkBalances(desk, client, where);
  for (const exchange of [EXCHANGE, FUTURES]) {
    const { balances = [] } = await client.portfolio.get({ exchange, full: true });
    const told = balances.filter(({ lockedByBot }) => lockedByBot !== null);
    const shown = Object.fromEntries(told.map(({ asset, lockedByBot }) => [asset, lockedByBot]));
    expect(shown, `${where}: lockedByBot on ${exchange}`).toEqual(
      Object.fromEntries(reservations(books, exchange)),
    );
    for (const { asset, wallet, lockedByBot } of told)
      expect(dec(lockedByBot as string) <= dec(wallet), `${where}: more ${asset} kept than there is`).toBe(
        true,
      );
  }
  await checkPositions(client, books, where);
}

/**
 * Per asset of the spot account: free + locked = wallet, and start + fills - fees = wallet, to the last
 * digit.
 */
async function checkBalances(desk: DeskProcess, client: Client, where: string): Promise<void> {
  const expected = new Map<string, Dec>([['USDT', dec(START_USDT)]]);
  const add = (asset: string, amount: Dec) => expected.set(asset, (expected.get(asset) ?? ZERO) + amount);
  for (const fill of (await fillsOf(desk)).filter(({ exchange }) => exchange === EXCHANGE)) {
    const sign = fill.side === 'BUY' ? 1n : -1n;
    add(fill.symbol.slice(0, -4), sign * dec(fill.qty));
    add('USDT', -sign * mul(dec(fill.price), dec(fill.qty)));
    add(fill.commAsset, -dec(fill.comm));
  }
  const { balances = [] } = await client.portfolio.get({ exchange: EXCHANGE, full: true });
  for (const { asset, free, locked, wallet } of balances) {
    expect(str(dec(free) + dec(locked)), `${where}: ${asset}`).toBe(wallet);
    expect(wallet, `${where}: fills of ${asset}`).toBe(str(expected.get(asset) ?? ZERO));
  }
}

/** Checks that the account holds what the runs' own books say, on futures as the position. */
async function checkPositions(
  client: Client,
  books: ReturnType<typeof readBooks>,
  where: string,
): Promise<void> {
  const { balances = [] } = await client.portfolio.get({ exchange: EXCHANGE, full: true });
  for (const base of ASSETS) {
    const wallet = balances.find(({ asset }) => asset === base)?.wallet ?? '0';
    const held = runsOn(books, EXCHANGE, base).reduce((sum, { state }) => sum + heldBy(state), ZERO);
    // Bought before the first run, with a little more for the fee.
    const over = base === 'BTC' ? mul(dec(STOCK) + dec('0.1'), dec('0.999')) - dec(STOCK) : ZERO;
    expect(str(held + over), `${where}: ${base} of the runs`).toBe(wallet);
    const short = runsOn(books, FUTURES, base).reduce((sum, { state }) => sum + heldBy(state), ZERO);
    const positions = Object.values(await client.portfolio.positions({ exchange: FUTURES }));
    const position = positions.find(({ symbol }) => symbol === `${base}USDT`)?.amount ?? '0';
    expect(str(-short), `${where}: position of ${base}`).toBe(position);
  }
}

/** Repeats a check for some seconds; fails with the last error. */
async function eventually(check: () => Promise<void>): Promise<void> {
  let failed: unknown;
  await until('the books agree', async () => {
    try {
      await check();
      return true;
    } catch (error) {
      failed = error;
      return false;
    }
  }).catch(() => {
    throw failed;
  });
}

/** Returns the number of executions of all runs. */
async function fillsIn(client: Client): Promise<number> {
  const bots = await client.bots.list();
  return bots.reduce((sum, { stats }) => sum + (stats?.fills ?? 0), 0);
}

/** Returns the trading bots that have no fills yet. */
async function idle(client: Client): Promise<(string | undefined)[]> {
  const bots = await client.bots.list();
  const names = bots.filter(({ stats }) => !stats?.fills).map(({ tag }) => tag);
  return names.filter((name) => !STILL.includes(name ?? ''));
}

async function openQuestions(client: Client): Promise<boolean> {
  const orders = await client.orders.list({ status: 'open' });
  return orders.some(({ specific }) => specific.unresolved || specific.cancelPending);
}

async function fillsOf(desk: DeskProcess): Promise<FillRecord[]> {
  const lists = await Promise.all(
    [EXCHANGE, FUTURES].flatMap((exchange) =>
      ASSETS.map((asset) =>
        desk.line.call('trades.list', { exchange, symbol: `${asset}USDT`, limit: MAX_FILLS }),
      ),
    ),
  );
  return lists.flat();
}

/**
 * Stops all bots and sells their positions: no order rests, nothing is reserved, and the desk agrees with the
 * exchange to the end.
 */
async function stopAll(desk: DeskProcess, client: Client, runs: readonly RunPair[]): Promise<void> {
  const stopped = await client.bots.batchStop({
    bots: runs,
    cleanup: 'cancelAllOrders',
    action: 'stop_and_sell',
  });
  expect(stopped.filter(({ success }) => !success)).toEqual([]);
  for (const { status, runId } of await client.bots.list())
    expect({ status, runId }).toEqual({ status: 'STOPPED', runId: undefined });
  expect(await client.orders.list({ status: 'open' })).toEqual([]);
  expect(Object.values(await client.portfolio.positions({ exchange: FUTURES }))).toEqual([]);
  for (const exchange of [EXCHANGE, FUTURES]) {
    const { balances = [] } = await client.portfolio.get({ exchange, full: true });
    for (const { lockedByBot, locked } of balances)
      expect({ lockedByBot, locked }).toEqual({ lockedByBot: null, locked: '0' });
  }
  await checkBalances(desk, client, 'after the stop');
  expect(await desk.kill('SIGTERM')).toBe(0);
  const books = readBooks(desk.dataDir);
  checkRows(books, 'after the stop');
  expect(books.runs).toEqual([]);
  expect(books.there.orders.filter(({ end }) => !end)).toEqual([]);
}
