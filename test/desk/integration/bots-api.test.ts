/**
 * The life of a bot over HTTP on a whole desk: created, started, trading, stopped in every way, deleted.
 * strategies.md 2, "A run".
 */
import { describe, expect, it } from 'vitest';
import { BOT_TYPES, type BotType } from '../../../src/schemas/bots/bot-type.ts';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, until } from './support.ts';

const RUN_ID = /^[0-9a-z]{10}$/;
/** All fields that a bot may be shown with. */
const BOT_KEYS = 'exchange id metadata options runId settings stats state status symbol tag type'.split(' ');
const STATS_KEYS =
  'annualised budget cycles fees fills maxDrawdown realised roi skipped unfilled unrealised volume winningCycles';

const PAIR = { base: 'BTC', quote: 'USDT' };
const DEPOSIT = { value: '1000', asset: 'USDT' };
const LINE = { '1738540000000': 100.5, '1738550000000': 100.5 };

/** Settings for each type that can start on the market of these tests, in the form of the specification. */
const OF_TYPE: Readonly<Record<BotType, object>> = {
  FIBO: {
    symbol: PAIR,
    timeFrame: 60_000,
    deposit: DEPOSIT,
    channels: [
      { name: '0', depositePercent: '60', fiboPrice: '80' },
      { name: '0.500', depositePercent: '40', fiboPrice: '90' },
      { name: '1', depositePercent: '0', fiboPrice: '120' },
    ],
  },
  CHANNEL: LEVELS.settings,
  SQUEEZE: { symbol: PAIR, timeFrame: 60_000, deposit: DEPOSIT, price: { percent: { buy: '2', sell: '1' } } },
  INTRADAY: {
    symbol: PAIR,
    deposit: DEPOSIT,
    mode: 'bounce',
    trend: { '1738540000000': 95, '1738550000000': 95 },
    takeProfits: [{ percent: '1', size: 100 }],
  },
  ALGO: { symbol: 'BTCUSDT', timeFrame: 1, algo: 'twap', side: 'BUY', quantity: '2', duration: 10 },
  ALARM: { symbol: PAIR, ticker: 'BTCUSDT', timeFrame: 60_000, range: [{ type: 'price', trend: LINE }] },
  NOTIFY: { timeFrame: 300_000, conditions: [{ type: 'price_change', percent: '2' }] },
};

const ofType = (type: BotType) => ({ type, settings: { exchange: EXCHANGE, ...OF_TYPE[type] } });

/**
 * A run of LEVELS that has bought 5.55 BTC at 90 and holds them: SELL 110 and BUY 80 rest, the price is 100.
 */
async function holding(options: object = {}): Promise<{ r: BotsRig; id: string; runId: string }> {
  const r = await openBots(['100', '100', '89', '100', '100', '111', '100'], options);
  await r.minutes(1);
  const { id, runId } = await r.started();
  await r.minutes(3);
  expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
  return { r, id, runId };
}

describe('a bot', () => {
  // proves: endpoint POST /bots, bot-state none to NEW, bot record, bot record-status, bot-rule creation
  it('is made with whatever it is given, and is NEW', async () => {
    const r = await openBots(['100']);
    const settings = { exchange: EXCHANGE, nonsense: { deep: [1, null] } };
    const bot = await r.make({ type: 'FIBO', settings, metadata: '{"a":1}', tag: 'mine', options: { x: 1 } });
    expect(bot).toEqual({
      id: expect.stringMatching(/^b[0-9a-z]{10}$/),
      type: 'FIBO',
      exchange: EXCHANGE,
      symbol: null,
      status: 'NEW',
      settings,
      options: { x: 1 },
      metadata: '{"a":1}',
      tag: 'mine',
    });
    expect(await r.bot(bot.id)).toEqual(bot);
    const other = await r.make();
    expect(await r.done('GET', '/bots')).toEqual([bot, other]);
    expect(await r.done('GET', '/bots?type=CHANNEL')).toEqual([other]);
    expect(await r.done('GET', '/bots?type=ALARM')).toEqual([]);
  });

  // proves: bot-rule creation, bot-rule answers
  it.each([
    [
      { exchange: 'nowhere-spot' },
      'settings.exchange: "nowhere-spot" is not connected; connected: paper-spot, paper-futures',
    ],
    [
      { exchange: EXCHANGE, type: 'ALARM' },
      `settings.type: must be FIBO, the bot's own type, or left out, got "ALARM"`,
    ],
  ])('is refused with %j', async (settings, message) => {
    const r = await openBots(['100']);
    const refused = await r.refused('POST', '/bots', { type: 'FIBO', settings });
    expect(refused).toEqual([400, 'INVALID_REQUEST', message]);
    expect(await r.done('GET', '/bots')).toEqual([]);
  });

  it('takes a type inside the settings when it is the same', async () => {
    const r = await openBots(['100']);
    const { settings } = await r.make({ type: 'FIBO', settings: { exchange: EXCHANGE, type: 'FIBO' } });
    expect(settings).toEqual({ exchange: EXCHANGE, type: 'FIBO' });
  });

  // proves: bot-type FIBO, bot-type CHANNEL, bot-type SQUEEZE, bot-type INTRADAY, bot-type ALGO, bot-type ALARM, bot-type NOTIFY
  // proves: bot shapes, bot record, bot record-run, S1
  it.each(BOT_TYPES)('of type %s runs, and is never shown with more than it may be', async (type) => {
    const r = await openBots(['100', '100', '101', '99', '97', '94.9', '96', '101']);
    await r.minutes(1);
    const { id } = await r.make(ofType(type));
    const answer = await r.done('POST', `/bots/${id}/runs`);
    expect(answer).toEqual({
      id,
      status: 'STARTED',
      runId: expect.stringMatching(RUN_ID),
      startedAt: expect.any(Number),
    });
    await r.minutes(7);
    const bot = await r.bot(id);
    expect(BOT_KEYS).toEqual(expect.arrayContaining(Object.keys(bot)));
    expect(
      Object.keys(bot.stats ?? {})
        .sort()
        .join(' '),
    ).toBe(STATS_KEYS);
    expect(bot).toMatchObject({
      id,
      type,
      exchange: EXCHANGE,
      settings: OF_TYPE[type],
      state: expect.any(String),
    });
    expect(bot.symbol).toEqual('symbol' in OF_TYPE[type] ? OF_TYPE[type].symbol : null);
    const trades = type !== 'ALARM' && type !== 'NOTIFY';
    const orders = await r.orders('recent');
    expect(orders.length > 0).toBe(trades);
    for (const order of orders) {
      expect(order).toMatchObject({ creator: 'BOT', creatorId: id, exchange: EXCHANGE });
      expect(order.id.endsWith(`_${answer.runId}`)).toBe(true);
      expect(order.id.length).toBeLessThanOrEqual(36);
      expect(JSON.parse(order.metadata ?? '')).toMatchObject({ level: expect.any(String) });
    }
  });

  // proves: bot record
  it('is shown without what is internal, wherever it is shown', async () => {
    const { r, id, runId } = await holding();
    const texts = [
      (await r.ask('GET', '/bots')).text,
      (await r.ask('GET', `/bots/${id}`)).text,
      (await r.ask('POST', '/bots/batch/runs', { bots: [id] })).text,
      (await r.ask('DELETE', `/bots/${id}/runs/${runId}`)).text,
      (await r.ask('PATCH', `/bots/${id}`, { metadata: 'x' })).text,
    ];
    for (const text of texts) {
      expect(text).not.toMatch(
        /owner|"user|keyId|createdAt|updatedAt|restartAt|"restarts"|"slots"|"lots"|\$n/,
      );
      expect(text).not.toContain(r.client.keyId);
    }
  });
});

describe('a run', () => {
  // proves: endpoint POST /bots/{id}/runs, bot-state start, bot order-ids, S6, S25
  // proves: bot deposit reserve, bot run suffix, bot run metadata, bot stats shown
  it('places its orders, fills, and keeps what it needs for itself', async () => {
    const { r, id, runId } = await holding();
    const bot = await r.bot(id);
    expect(bot).toMatchObject({
      status: 'STARTED',
      runId,
      state: 'holding',
      stats: { fills: 1, budget: '1000' },
    });
    const [bought] = await r.done('GET', `/orders/trades?exchange=${EXCHANGE}&symbol=BTCUSDT`);
    expect(bought).toMatchObject({ side: 'BUY', price: '90', qty: '5.55555' });
    const orders = await r.orders('recent');
    expect(orders.map(({ metadata }) => JSON.parse(metadata ?? '').level).sort()).toEqual([
      'cell 80-120',
      'cell 90-110',
      'cell 90-110',
    ]);
    expect(Number((await r.balance('USDT')).lockedByBot)).toBeCloseTo(500, 2);
    const refused = await r.refused('POST', '/orders', {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '5',
    });
    expect(refused[2]).toMatch(
      /^insufficient balance: .* available \(.* reserved by bots\), the order needs 5$/,
    );
  });

  // proves: bot-state start, bot run keeps-status, bot run all-problems
  it('is refused with everything that speaks against it, and the bot stays as it was', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const settings = {
      exchange: EXCHANGE,
      symbol: PAIR,
      timeFrame: 61_000,
      deposit: { value: '-5', asset: 'EUR' },
      price: { percent: { buy: '200', sell: '0' } },
    };
    const { id } = await r.make({ type: 'SQUEEZE', settings });
    const [status, code, message] = await r.refused('POST', `/bots/${id}/runs`);
    expect([status, code]).toEqual([400, 'INVALID_REQUEST']);
    const problems = message.split('; ').map((problem) => problem.split(':')[0]);
    expect(problems).toEqual(
      expect.arrayContaining([
        'timeFrame',
        'deposit.value',
        'deposit.asset',
        'price.percent.buy',
        'price.percent.sell',
      ]),
    );
    expect(await r.bot(id)).toMatchObject({ status: 'NEW' });
    expect(await r.bot(id)).not.toHaveProperty('runId');
    expect(await r.open()).toEqual([]);
  });

  // proves: bot deposit insufficient
  it('is not started by a balance that does not cover it, in words', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id } = await r.make({
      ...LEVELS,
      settings: { ...LEVELS.settings, deposit: { value: '60000', asset: 'USDT' } },
    });
    await r.done('POST', `/bots/${id}/runs`);
    const other = await r.make({
      ...LEVELS,
      settings: { ...LEVELS.settings, deposit: { value: '60000', asset: 'USDT' } },
    });
    expect(await r.refused('POST', `/bots/${other.id}/runs`)).toEqual([
      400,
      'INVALID_REQUEST',
      'insufficient balance: the bot needs 60000 USDT, 40000 is available (60000 reserved by other bots)',
    ]);
  });

  it('goes on alone: a second one of the same bot is a conflict', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id, runId } = await r.started();
    expect(await r.refused('POST', `/bots/${id}/runs`)).toEqual([
      409,
      'CONFLICT',
      `bot ${id} is running already (run ${runId})`,
    ]);
  });

  // proves: bot record-run, bot-state start
  it('is a new one after a stop', async () => {
    const { r, id, runId } = await holding();
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const again = await r.done('POST', `/bots/${id}/runs`);
    expect(again.runId).toMatch(RUN_ID);
    expect(again.runId).not.toBe(runId);
    await r.minutes(1);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', runId: again.runId, stats: { fills: 0 } });
    const orders = await r.orders();
    expect(orders.map(({ id: order }) => order.split('_')[1])).toEqual([again.runId, again.runId]);
    expect(await r.refused('DELETE', `/bots/${id}/runs/${runId}`)).toEqual([
      404,
      'NOT_FOUND',
      `bot ${id} has no run ${runId} that goes on`,
    ]);
  });

  it('shows how the last one ended, also after the desk has started again', async () => {
    const { r, id, runId } = await holding();
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const before = await r.bot(id);
    expect(before).toMatchObject({ status: 'STOPPED', state: 'stopped', stats: { fills: 1 } });
    await r.t.stop();
    const again = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    expect(await again.bot(id)).toEqual(before);
  });
});

describe('a stop', () => {
  // proves: endpoint DELETE /bots/{id}/runs/{runId}, bot-state stop, S7
  // proves: bot run leaveAllOrders, bot run cancelBuyOrders, bot run cancelAllOrders
  it.each([
    ['', []],
    ['?cleanup=cancelAllOrders', []],
    ['?cleanup=cancelBuyOrders', ['SELL 110']],
    ['?cleanup=leaveAllOrders', ['BUY 80', 'SELL 110']],
  ])('with %j leaves %j and the position', async (query, left) => {
    const { r, id, runId } = await holding();
    expect(await r.done('DELETE', `/bots/${id}/runs/${runId}${query}`)).toEqual({
      id,
      status: 'STOPPED',
      runId,
      stoppedAt: expect.any(Number),
      reason: 'operator',
    });
    expect(await r.open()).toEqual(left);
    const bot = await r.bot(id);
    expect(bot).toMatchObject({ status: 'STOPPED', state: 'stopped' });
    expect(bot).not.toHaveProperty('runId');
    expect(await r.balance('BTC')).toMatchObject({ wallet: '5.54999445', lockedByBot: null });
    await r.minutes(2);
    const sold = left.includes('SELL 110');
    expect((await r.balance('BTC')).wallet).toBe(sold ? '0.00000445' : '5.54999445');
    expect(await r.open()).toEqual(left.filter((order) => order !== 'SELL 110'));
  });

  // proves: endpoint DELETE /bots/{id}/runs/{runId}, bot-state stop
  // proves: bot run stop_and_sell
  it.each(['leaveAllOrders', 'cancelBuyOrders', 'cancelAllOrders'])(
    'with stop_and_sell sells the position at MARKET, whatever else is asked: %s',
    async (cleanup) => {
      const { r, id, runId } = await holding();
      await r.done('DELETE', `/bots/${id}/runs/${runId}?cleanup=${cleanup}&action=stop_and_sell`);
      expect(await r.open()).toEqual([]);
      expect((await r.balance('BTC')).wallet).toBe('0.00000445');
      const [, sold] = await r.done('GET', `/orders/trades?exchange=${EXCHANGE}&symbol=BTCUSDT`);
      expect(sold).toMatchObject({ side: 'SELL', price: '100', qty: '5.54999' });
      expect((await r.bot(id)).stats).toMatchObject({ fills: 2, unrealised: '0.000044099099' });
    },
  );

  it('with stop_and_sell and nothing to sell just stops', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id, runId } = await r.started();
    await r.done('DELETE', `/bots/${id}/runs/${runId}?action=stop_and_sell`);
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', stats: { fills: 0 } });
  });

  // proves: bot run stop_and_sell-short
  it('buys back what a short has sold', async () => {
    const r = await openBots(['100', '100', '111', '100']);
    await r.minutes(1);
    const settings = { ...LEVELS.settings, exchange: 'paper-futures', short: true };
    const { id, runId } = await r.started({ type: 'CHANNEL', settings });
    await r.minutes(3);
    const positions = async () => Object.values(await r.done('GET', '/portfolio/positions'));
    expect(await positions()).toMatchObject([{ symbol: 'BTCUSDT', amount: expect.stringMatching(/^-/) }]);
    await r.done('DELETE', `/bots/${id}/runs/${runId}?action=stop_and_sell`);
    expect(await positions()).toEqual([]);
    expect(await r.open()).toEqual([]);
  });

  it('is answered when the exchange has done what was asked, and not before', async () => {
    const { r, id, runId } = await holding();
    await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
    let answered = false;
    const stopping = r.done('DELETE', `/bots/${id}/runs/${runId}`).then((data) => {
      answered = true;
      return data;
    });
    await until(r.t, async () => (await r.bot(id)).state === 'stopped');
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', runId });
    expect(await r.refused('PATCH', `/bots/${id}`, { metadata: 'x' })).toMatchObject([
      409,
      'CONFLICT',
      expect.anything(),
    ]);
    expect(await r.refused('POST', `/bots/${id}/runs`)).toMatchObject([409, 'CONFLICT', expect.anything()]);
    expect(answered).toBe(false);
    await r.t.clock.advance(3_000);
    expect(await stopping).toMatchObject({ id, runId, status: 'STOPPED', reason: 'operator' });
    expect(await r.open()).toEqual([]);
  });

  it('is answered to all who ask for it', async () => {
    const { r, id, runId } = await holding();
    await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
    const first = r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const second = r.done('DELETE', `/bots/${id}/runs/${runId}?action=stop_and_sell`);
    await until(r.t, async () => (await r.bot(id)).state === 'stopped');
    await r.t.clock.advance(3_000);
    expect(await first).toEqual(await second);
    expect((await r.balance('BTC')).wallet).toBe('5.54999445');
  });

  // proves: endpoint DELETE /bots/{id}/runs/{runId}, bot-state stop, bot run force
  it('with force ends a run that waits for the exchange at once, and is cleaned up behind it', async () => {
    const { r, id, runId } = await holding();
    await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
    const patient = r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await until(r.t, async () => (await r.bot(id)).state === 'stopped');
    const forced = await r.done('DELETE', `/bots/${id}/runs/${runId}?force=true`);
    expect(forced).toMatchObject({ status: 'STOPPED', reason: 'operator' });
    expect(await patient).toEqual(forced);
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED' });
    expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
    await r.t.clock.advance(3_000);
    expect(await r.open()).toEqual([]);
  });

  it('with force alone asks for the same clean-up as without', async () => {
    for (const [query, left, wallet] of [
      ['force=true', [], '5.54999445'],
      ['force=true&cleanup=leaveAllOrders', ['BUY 80', 'SELL 110'], '5.54999445'],
      ['force=true&cleanup=cancelBuyOrders', ['SELL 110'], '5.54999445'],
      ['force=true&action=stop_and_sell', [], '0.00000445'],
    ] as const) {
      const { r, id, runId } = await holding();
      await r.done('DELETE', `/bots/${id}/runs/${runId}?${query}`);
      expect(await r.bot(id)).toMatchObject({ status: 'STOPPED' });
      await r.t.clock.settle();
      expect([query, await r.open()]).toEqual([query, left]);
      expect((await r.balance('BTC')).wallet).toBe(wallet);
    }
  });

  it('with force does not try a sale again that the exchange rejects', async () => {
    const { r, id, runId } = await holding();
    await r.fault({ fault: 'reject', times: 3 });
    await r.done('DELETE', `/bots/${id}/runs/${runId}?force=true&action=stop_and_sell`);
    await r.t.clock.settle();
    await r.minutes(1);
    expect((await r.orders('recent')).filter(({ status }) => status === 'ERROR')).toHaveLength(1);
    expect((await r.balance('BTC')).wallet).toBe('5.54999445');
    const detail = await r.t.call('bots.detail', { id });
    expect(detail?.notices.map(({ text }) => text).join()).toContain('was rejected after the end of the run');
  });

  // proves: error NOT_FOUND, S7
  it.each([
    ['another bot', () => ['bnothing', 'rnothing']],
    ['another run', (id: string) => [id, 'rnothing']],
    ['a run of another bot', (_id: string, runId: string, other: string) => [other, runId]],
  ])('of %s is not found', async (_what, names) => {
    const { r, id, runId } = await holding();
    const other = await r.make();
    const [bot, run] = names(id, runId, other.id);
    const refused = await r.refused('DELETE', `/bots/${bot}/runs/${run}`);
    expect(refused.slice(0, 2)).toEqual([404, 'NOT_FOUND']);
    expect(refused[2]).toMatch(
      bot === 'bnothing' ? /^there is no bot bnothing$/ : /^bot \w+ has no run \w+ that goes on$/,
    );
    expect((await r.bot(id)).status).toBe('STARTED');
  });
});

describe('a run that fails', () => {
  /** A bot that has failed: its entries are tried at once and 1, 5 and 30 s later. */
  async function failed() {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id, runId } = await r.started();
    await r.fault({ fault: 'reject', times: 8 });
    await r.minutes(3);
    return { r, id, runId };
  }

  // proves: bot-state fail, S3, bot run entry-retry, bot run label stopped
  it('ends in ERROR when its entry is rejected for the last time', async () => {
    const { r, id, runId } = await failed();
    const bot = await r.bot(id);
    expect(bot).toMatchObject({ status: 'ERROR', state: 'stopped' });
    expect(bot).not.toHaveProperty('runId');
    expect(await r.open()).toEqual([]);
    const rejected = (await r.orders('recent')).filter(({ status }) => status === 'ERROR');
    expect(rejected.length).toBeGreaterThanOrEqual(4);
    expect((await r.balance('USDT')).lockedByBot).toBeNull();
    expect((await r.refused('DELETE', `/bots/${id}/runs/${runId}`))[0]).toBe(404);
  });

  // proves: D18, S4, bot run error-restart
  it('leaves a bot that may be changed, started and deleted', async () => {
    const { r, id } = await failed();
    const { bot, old } = await r.done('PATCH', `/bots/${id}`, { metadata: 'again' });
    expect([old.status, bot.status]).toEqual(['ERROR', 'ERROR']);
    await r.t.call('feed.control', { action: 'step' });
    const { runId } = await r.done('POST', `/bots/${id}/runs`);
    await r.minutes(1);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', runId });
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const second = await failed();
    expect(await second.r.done('DELETE', `/bots/${second.id}`)).toEqual({ id: second.id });
  });

  it('may be started by a change', async () => {
    const { r, id } = await failed();
    const { bot } = await r.done('PATCH', `/bots/${id}`, { restart: true });
    expect(bot).toMatchObject({ status: 'STARTED', runId: expect.stringMatching(RUN_ID) });
  });
});

describe('a bot that is deleted', () => {
  // proves: endpoint DELETE /bots/{id}, bot-state delete, S5, S42, bot decided delete-keeps
  it('is gone with its runs; its orders and fills stay', async () => {
    const { r, id, runId } = await holding();
    await r.done('DELETE', `/bots/${id}/runs/${runId}?cleanup=leaveAllOrders`);
    expect(await r.done('DELETE', `/bots/${id}`)).toEqual({ id });
    expect(await r.refused('GET', `/bots/${id}`)).toEqual([404, 'NOT_FOUND', `there is no bot ${id}`]);
    expect(await r.refused('DELETE', `/bots/${id}`)).toEqual([404, 'NOT_FOUND', `there is no bot ${id}`]);
    expect(await r.done('GET', '/bots')).toEqual([]);
    expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
    await r.minutes(2);
    expect(await r.open()).toEqual(['BUY 80']);
    expect(await r.done('GET', `/orders/trades?exchange=${EXCHANGE}&symbol=BTCUSDT`)).toHaveLength(2);
    expect(await r.t.call('bots.detail', { id })).toBeNull();
  });

  // proves: bot-rule delete-running, error CONFLICT
  it('must not be running, unless force is given: then it is stopped first', async () => {
    const { r, id } = await holding();
    for (const query of ['', '?force=false']) {
      expect(await r.refused('DELETE', `/bots/${id}${query}`)).toEqual([
        409,
        'CONFLICT',
        `bot ${id} is running; stop it first, or delete it with force=true`,
      ]);
    }
    expect(await r.open()).toEqual(['BUY 80', 'SELL 110']);
    expect(await r.done('DELETE', `/bots/${id}?force=true`)).toEqual({ id });
    await r.t.clock.settle();
    expect(await r.open()).toEqual([]);
    expect(await r.balance('BTC')).toMatchObject({ wallet: '5.54999445', lockedByBot: null });
    expect((await r.refused('GET', `/bots/${id}`))[0]).toBe(404);
    await r.minutes(2);
    expect(await r.open()).toEqual([]);
  });

  it('by force while a stop waits answers both', async () => {
    const { r, id, runId } = await holding();
    await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
    const stopping = r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await until(r.t, async () => (await r.bot(id)).state === 'stopped');
    expect(await r.done('DELETE', `/bots/${id}?force=true`)).toEqual({ id });
    expect(await stopping).toMatchObject({ status: 'STOPPED' });
    await r.t.clock.advance(3_000);
    expect(await r.open()).toEqual([]);
  });
});

describe('runs that end by themselves', () => {
  // proves: S42, bot options restart CHANNEL
  it('are started again with an id of their own each, even at the same moment', async () => {
    const r = await openBots(['100', '100', '131', '100']);
    await r.minutes(1);
    const settings = { ...LEVELS.settings, stopAbove: '130', deposit: { value: '500', asset: 'USDT' } };
    const bot = { type: 'CHANNEL', settings, options: { restart: true, restartDelay: 20_000 } };
    const first = await r.started(bot);
    const second = await r.started(bot);
    const third = await r.started(bot);
    await r.minutes(3);
    const started = [first, second, third];
    const again = await Promise.all(started.map(({ id }) => r.bot(id)));
    const runIds = [...started, ...again].map(({ runId }) => runId);
    for (const runId of runIds) expect(runId).toMatch(RUN_ID);
    expect(new Set(runIds).size).toBe(6);
    expect(await r.open()).toEqual(['BUY 80', 'BUY 80', 'BUY 80', 'BUY 90', 'BUY 90', 'BUY 90']);
    for (const { id } of started) await r.done('DELETE', `/bots/${id}?force=true`);
    await r.t.clock.settle();
    expect(await r.open()).toEqual([]);
  });
});

describe('a FIBO', () => {
  // proves: bot no-fibo-restart, bot FIBO no-restart
  it('ends when its sells have filled, and is not started again whatever its options say', async () => {
    const r = await openBots(['100', '100', '89', '121', '121', '89', '121']);
    await r.minutes(1);
    const settings = {
      exchange: EXCHANGE,
      symbol: PAIR,
      timeFrame: 60_000,
      deposit: DEPOSIT,
      channels: [
        { name: '0', depositePercent: '0', fiboPrice: '80' },
        { name: '0.500', depositePercent: '100', fiboPrice: '90' },
        { name: '1', depositePercent: '0', fiboPrice: '120' },
      ],
    };
    const options = { restart: true, restartDelay: 1_000, reuse: true };
    const { id } = await r.started({ type: 'FIBO', settings, options });
    await r.minutes(6);
    const bot = await r.bot(id);
    expect(bot).toMatchObject({
      status: 'STOPPED',
      state: 'completed',
      options,
      stats: { cycles: 1, fills: 2 },
    });
    expect(bot).not.toHaveProperty('runId');
    expect(await r.open()).toEqual([]);
  });
});

describe('a desk that starts again', () => {
  // proves: bot run recovery
  it('takes a run up where it was', async () => {
    const { r, id, runId } = await holding();
    const before = await r.bot(id);
    await r.t.stop();
    const again = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    expect(await again.bot(id)).toEqual(before);
    expect(await again.open()).toEqual(['BUY 80', 'SELL 110']);
    expect(await again.done('DELETE', `/bots/${id}/runs/${runId}`)).toMatchObject({ status: 'STOPPED' });
    expect(await again.open()).toEqual([]);
  });
});
