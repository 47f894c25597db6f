/**
 * Stores made by released versions, one for each format (`test/fixtures/stores`, with the views of those
 * versions): this version opens them, has every order, execution and bot, shows them as before, and continues
 * their waiting work.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublicBot } from '../../../src/schemas/bot.ts';
import type { Order, Trade } from '../../../src/schemas/order.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type BotsRig, openBots } from './bots-rig.ts';
import { temporaryFolder } from './support.ts';

const STORES = join(import.meta.dirname, '../../fixtures/stores');
/** The market of those versions, a price a minute; they were stopped after the first eight. */
const PRICES = ['100', '100', '95', '89', '92', '100', '112', '104', '100', '58', '50'];

interface Told {
  readonly open: readonly Order[];
  readonly recent: readonly Order[];
  readonly trades: readonly Trade[];
  readonly futuresTrades: readonly Trade[];
  readonly bots: readonly PublicBot[];
  readonly portfolio: object;
  readonly positions: Readonly<Record<string, { readonly mmr?: string }>>;
  readonly wall: number;
}

async function opened(
  format: string,
): Promise<{ rig: BotsRig; told: Told; dataDir: string; clock: VirtualClock }> {
  const told: Told = JSON.parse(readFileSync(join(STORES, format, 'told.json'), 'utf8'));
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(join(STORES, format, 'store.db'), join(dataDir, 'outcry.db'));
  const clock = new VirtualClock(told.wall, { autoTurns: true });
  const rig = await openBots(PRICES, { dataDir, clock });
  return { rig, told, dataDir, clock };
}

/**
 * Bots without the figures that follow the last price: the test's market is a new one, and has not ticked
 * yet.
 */
function withoutPrices(bots: readonly PublicBot[]): object[] {
  return bots.map(({ stats, ...bot }) => {
    const { roi: _1, unrealised: _2, ...rest } = stats ?? {};
    return { ...bot, stats: rest };
  });
}

describe.each(['format-2', 'format-5'])('a store of %s', (format) => {
  it('has every order, execution, bot and balance as it was told then', async () => {
    const { rig, told, dataDir } = await opened(format);
    expect(existsSync(join(dataDir, `outcry.db.v${format.slice(-1)}.bak`))).toBe(true);
    const byId = <T extends { readonly id: string }>(list: readonly T[]) =>
      list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(told.open.length).toBeGreaterThan(8);
    for (const status of ['open', 'recent'] as const)
      expect(byId(await rig.orders(status))).toMatchObject(byId(told[status]));
    const trades = (exchange: string) =>
      rig.done('GET', `/orders/trades?symbol=BTCUSDT&exchange=${exchange}`);
    expect(await trades('paper-spot')).toEqual(told.trades);
    expect(await trades('paper-futures')).toEqual(told.futuresTrades);
    expect(withoutPrices(await rig.done('GET', '/bots'))).toMatchObject(withoutPrices(told.bots));
    expect(await rig.done('GET', '/portfolio')).toMatchObject(told.portfolio);
    const positions = await rig.done('GET', '/portfolio/positions?exchange=paper-futures');
    // Format 2 computed maintenance margin by the entry price; now it is computed by the mark price.
    const known = Object.entries(told.positions).map(([key, { mmr: _, ...rest }]) => [key, rest]);
    expect(positions).toMatchObject(Object.fromEntries(known));
  });

  it('opens a ledger of wallets that had none: what was traded before is in the opening', async () => {
    const { rig, clock } = await opened(format);
    await clock.advance(20_000);
    for (const exchange of ['paper-spot', 'paper-futures']) {
      const { rows } = await rig.t.call('portfolio.ledger', { exchange, limit: 100 });
      expect(rows.filter(({ kind }) => kind === 'unexplained')).toEqual([]);
      const opening = rows.filter(({ kind }) => kind === 'opening').map(({ asset }) => asset);
      expect(opening).toContain('USDT');
    }
  });

  it('fires what it held, and keeps with the exchange what waited there', async () => {
    const { rig, told } = await opened(format);
    const stops = told.open.filter(({ type }) => type.startsWith('STOP'));
    expect(stops.length).toBe(5);
    // The price falls through every stop that sells.
    await rig.minutes(3);
    const recent = await rig.orders('recent');
    const now = (id: string) => recent.find((order) => order.id === id)?.status;
    const ends = stops.map(({ exchange, type, side, id }) => `${exchange} ${type} ${side} ${now(id)}`).sort();
    expect(ends).toEqual([
      'paper-futures STOP_LIMIT BUY NEW',
      'paper-futures STOP_MARKET SELL CLOSED',
      'paper-spot STOP_LIMIT SELL OPENED',
      'paper-spot STOP_MARKET SELL CLOSED',
      'paper-spot STOP_MARKET SELL CLOSED',
    ]);
  });
});
