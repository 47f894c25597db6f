/**
 * Orders of bots that the exchange refuses or keeps for them, on a whole desk: stops are still carried out,
 * and nothing is retried forever.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, holding, ok } from './support.ts';

const FUTURES = 'paper-futures';
const RULE = {
  strategy: 'price_percent_buy',
  trigger: { type: 'exchange', value: '5' },
  order: { type: 'MARKET' },
  complete: true,
};
const CELL = {
  type: 'CHANNEL',
  settings: {
    ...LEVELS.settings,
    exchange: FUTURES,
    deposit: { value: '900', asset: 'USDT' },
    levels: [{ buy: '90', sell: '150' }],
    stop: [RULE],
  },
};

describe('a stop at the exchange', () => {
  // proves: bot stop-rule exchange-placed
  it('whose price the market has jumped over with the entry sells at once', async () => {
    const r = await openBots(['100', '100', '80', '79', '78']);
    await r.minutes(1);
    const { id } = await r.started(CELL);
    await r.minutes(3);
    const [sale] = (await r.orders('recent')).filter(({ side }) => side === 'SELL').slice(-1);
    expect(sale).toMatchObject({ type: 'MARKET', status: 'CLOSED', origQty: '10' });
    expect(await r.orders()).toEqual([]);
    expect((await r.bot(id)).stats).toMatchObject({ fills: 2, realised: '-100.58' });
    expect(await r.done('GET', `/portfolio/positions?exchange=${FUTURES}`)).toEqual({});
  });

  // proves: bot stop-rule exchange-placed
  it('that is refused because the price has passed it meanwhile sells at once', async () => {
    let refusals = 1;
    const venue = (paper: Venue) => {
      const place = paper.submit.bind(paper);
      paper.submit = async (order) =>
        order.type === 'STOP_MARKET' && refusals-- > 0
          ? {
              kind: 'rejected',
              reason: 'STOP_PASSED',
              code: '-2021',
              message: 'It is too late for this one.',
            }
          : place(order);
    };
    const r = await openBots(['100', '100', '89', '89'], { ports: { venues: holding(venue) } });
    await r.minutes(1);
    const { id } = await r.started(CELL);
    await r.minutes(3);
    expect(refusals).toBeLessThan(1);
    expect((await r.orders('recent')).map(({ side, type, status }) => [side, type, status])).toEqual(
      expect.arrayContaining([
        ['SELL', 'STOP_MARKET', 'ERROR'],
        ['SELL', 'MARKET', 'CLOSED'],
      ]),
    );
    expect((await r.bot(id)).stats).toMatchObject({ fills: 2 });
  });
});

// proves: bot deposit no_reserve
it.each([
  [FUTURES, 7],
  [EXCHANGE, 1],
])(
  'an entry that the balance does not cover makes few orders on %s: %d within two minutes',
  async (exchange, made) => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const leverage = exchange === FUTURES ? { leverage: 1 } : {};
    await r.started({
      type: 'CHANNEL',
      settings: {
        ...CELL.settings,
        stop: undefined,
        exchange,
        deposit: { value: '170000', asset: 'USDT', allocate: 'no_reserve', ...leverage },
        levels: [
          { buy: '90', sell: '150' },
          { buy: '89', sell: '150' },
        ],
      },
    });
    await r.minutes(2);
    expect(await r.orders('recent')).toHaveLength(made);
    expect(await r.open()).toEqual(['BUY 90']);
  },
);

// proves: bot run stored, bot deposit no_reserve
it.each([
  ['', true],
  [', stored without its wait and numbers', false],
])(
  'an entry that the balance did not cover when the desk ended is tried again by the next one%s',
  async (_how, kept) => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const deposit = { value: '170000', asset: 'USDT', allocate: 'no_reserve' };
    const { id } = await r.started({ ...LEVELS, settings: { ...LEVELS.settings, deposit } });
    await r.minutes(1);
    expect(await r.open()).toEqual(['BUY 90']);
    await r.t.stop();
    const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
    const [run] = store.runs(id, 1);
    if (!run) throw new Error('there is no run');
    expect(run.state).toContain('"starved":true');
    const old = run.state.replace('"starved":true', '"starved":false').replaceAll(/"wantNumber":\d+,/g, '');
    if (!kept) store.commit([{ kind: 'run', run: { ...run, state: old } }]);
    store.close();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    ok(await later.t.call('paper.balance', { exchange: EXCHANGE, asset: 'USDT', amount: '300000' }));
    await later.minutes(1);
    expect(await later.open()).toEqual(['BUY 80', 'BUY 90']);
  },
);

describe('a stop given to a running bot', () => {
  const ADDED = { ...RULE, trigger: { type: 'kline', value: '5', closed: true } };
  const bot = { ...CELL, settings: { ...CELL.settings, stop: undefined } };

  // proves: bot-rule commands, bot command add_stoploss, bot command update_stoploss
  it.each([
    ['add_stoploss', 60_000],
    ['add_stoploss', 180_000],
    ['update_stoploss', 180_000],
  ])('by %s is looked at at the closes of its own time frame, %d ms', async (message, timeFrame) => {
    const r = await openBots(['100', '100', '89', '89', '70', '70', '70', '70', '70']);
    await r.minutes(1);
    const { id, runId } = await r.started(bot);
    await r.minutes(2);
    const path = `/bots/${id}/runs/${runId}/message`;
    if (message === 'update_stoploss') await r.done('POST', path, { message: 'add_stoploss', params: ADDED });
    const params = { ...ADDED, trigger: { ...ADDED.trigger, timeFrame } };
    await r.done('POST', path, { message, params });
    await r.minutes(5);
    expect((await r.bot(id)).stats).toMatchObject({ fills: 2 });
    expect(await r.orders()).toEqual([]);
  });
});
