/**
 * A key that is refused after it had worked, or that may no longer trade, on a whole desk: runs there fail at
 * once, and the exits and stops of their positions remain.
 */
import { expect, it } from 'vitest';
import type { Permissions } from '../../../src/domain/permissions.ts';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, holding } from './support.ts';

const RIGHTS: Permissions = { trade: true, withdraw: false, transfer: false, addresses: [], expiresAt: null };
const REFUSED = {
  kind: 'rejected',
  reason: 'BAD_CREDENTIALS',
  code: '-2015',
  message: 'Invalid API-key',
} as const;

/** The paper spot account with a key that the test revokes. */
class Keyed {
  rights: Permissions | null = RIGHTS;
  isRefused = false;
  readonly ports = { venues: holding((venue) => this.#hold(venue)) };

  #hold(venue: PaperVenue): void {
    if (venue.account.id !== EXCHANGE) return;
    const submit = venue.submit.bind(venue);
    Object.assign(venue, {
      permissions: async () => this.rights,
      submit: (order: Parameters<typeof submit>[0]) =>
        this.isRefused ? Promise.resolve(REFUSED) : submit(order),
    });
  }
}

/** Three levels: a buy at the second places the exit again. */
const ONE = {
  ...LEVELS,
  settings: {
    ...LEVELS.settings,
    levels: [
      { buy: '90', sell: '110' },
      { buy: '80', sell: '110' },
    ],
  },
};

it('a key that is refused after ten minutes fails a run at once, whose exits are asked for on', async () => {
  const keyed = new Keyed();
  const prices = [
    '100',
    '100',
    '89',
    ...Array<string>(10).fill('89'),
    '111',
    '111',
    '100',
    '89',
    '89',
    '111',
  ];
  const r = await openBots(prices, { ports: keyed.ports });
  await r.minutes(1);
  const { id, runId } = await r.started(ONE);
  await r.minutes(2);
  await r.t.clock.advance(11 * 60_000);
  Object.assign(keyed, { isRefused: true, rights: null });
  // A request by which the desk finds out.
  await r.ask('POST', '/orders', {
    exchange: EXCHANGE,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: '1',
  });
  await r.ticks(1);
  expect(await r.bot(id)).toMatchObject({ status: 'ERROR', runId });
  expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
  expect(r.t.desk.state().log.filter(({ text }) => text.includes('bots there have failed'))).toHaveLength(1);
  Object.assign(keyed, { isRefused: false, rights: RIGHTS });
  await r.minutes(12);
  expect(await r.bot(id)).toMatchObject({ status: 'ERROR', stats: { cycles: 1 } });
  expect((await r.bot(id)).runId).toBeUndefined();
  expect(await r.open()).toEqual([]);
});

it('a run that is started while the key is refused has failed at once, and a key that is mended is found out within a minute', async () => {
  const keyed = new Keyed();
  const r = await openBots(['100'], { ports: keyed.ports });
  await r.minutes(1);
  await r.t.clock.advance(11 * 60_000);
  const order = { exchange: EXCHANGE, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '1' };
  Object.assign(keyed, { isRefused: true, rights: null });
  await r.ask('POST', '/orders', order);
  const { id } = await r.make(ONE);
  await r.ask('POST', `/bots/${id}/runs`);
  await r.ticks(1);
  expect(await r.bot(id)).toMatchObject({ status: 'ERROR' });
  expect((await r.bot(id)).runId).toBeUndefined();
  Object.assign(keyed, { isRefused: false, rights: RIGHTS });
  await r.t.clock.advance(61_000);
  expect(r.t.desk.state().log.map(({ text }) => text)).toContain(`${EXCHANGE} takes its key again`);
  const { id: next } = await r.started(ONE);
  await r.ticks(1);
  expect(await r.bot(next)).toMatchObject({ status: 'STARTED' });
});

it('a right to trade that is given back counts within a minute, not a day', async () => {
  const keyed = new Keyed();
  keyed.rights = { ...RIGHTS, trade: false };
  const r = await openBots(['100'], { ports: keyed.ports });
  await r.minutes(1);
  const order = {
    exchange: EXCHANGE,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    price: '90',
    quantity: '1',
  };
  expect((await r.ask('POST', '/orders', order)).status).toBe(503);
  keyed.rights = RIGHTS;
  await r.t.clock.advance(61_000);
  expect((await r.ask('POST', '/orders', order)).status).toBe(200);
});

it('a key that is refused before that lets a run wait, without counting', async () => {
  const keyed = new Keyed();
  const r = await openBots(['100'], { ports: keyed.ports });
  await r.minutes(1);
  keyed.isRefused = true;
  const { id } = await r.started();
  await r.minutes(5);
  expect(await r.bot(id)).toMatchObject({ status: 'STARTED' });
  expect(await r.open()).toEqual([]);
  keyed.isRefused = false;
  await r.minutes(1);
  expect(await r.open()).toEqual(['BUY 80', 'BUY 90']);
});

const PRICES = ['100', '100', '89', '89', '89', '111'];

it('a key that may not trade any more fails its runs: one with nothing held ends, one that holds keeps its exit', async () => {
  const keyed = new Keyed();
  const r = await openBots(PRICES, { ports: keyed.ports });
  await r.minutes(1);
  const { id, runId } = await r.started(ONE);
  await r.minutes(2);
  const { id: empty } = await r.started({
    ...LEVELS,
    settings: { ...LEVELS.settings, levels: [{ buy: '50', sell: '110' }] },
  });
  await r.ticks(1);
  await r.t.stop();
  keyed.rights = { ...RIGHTS, trade: false };
  const { dataDir, clock } = r.t;
  const again = await openBots(PRICES, { ports: keyed.ports, dataDir, clock, feed: r.feed });
  await again.ticks(1);
  expect(await again.bot(empty)).toMatchObject({ status: 'ERROR' });
  expect((await again.bot(empty)).runId).toBeUndefined();
  expect(await again.bot(id)).toMatchObject({ status: 'ERROR', runId });
  expect(await again.open()).toContain('SELL 110');
  await again.minutes(4);
  expect((await again.bot(id)).runId).toBeUndefined();
});
