/**
 * Changes, commands, batches and repeated requests for bots over HTTP, on a whole desk. Specification,
 * "Bots" rules 3 to 6.
 */
import { describe, expect, it } from 'vitest';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, until } from './support.ts';

const ALARM = {
  type: 'ALARM',
  settings: {
    exchange: EXCHANGE,
    symbol: { base: 'BTC', quote: 'USDT' },
    ticker: 'BTCUSDT',
    range: [{ type: 'price', trend: { '1738540000000': 500, '1738550000000': 500 } }],
  },
};
const small = (value: string) => ({
  ...LEVELS,
  settings: { ...LEVELS.settings, deposit: { value, asset: 'USDT' } },
});

async function open(prices = ['100', '100', '89', '100']): Promise<BotsRig> {
  const r = await openBots(prices);
  await r.minutes(1);
  return r;
}

/** A run that holds 5.55 BTC bought at 90; the price is 100. */
async function holding() {
  const r = await open(['100', '100', '89', '100', '100', '94', '100']);
  const { id, runId } = await r.started();
  await r.minutes(3);
  return { r, id, runId };
}

describe('a change', () => {
  // proves: endpoint PATCH /bots/{id}, bot-state patch, S41, D30
  it('replaces what is given, removes what is null and keeps the rest; the answer has both', async () => {
    const r = await open();
    const options = { restart: true, restartDelay: 5 };
    const { id, runId } = await r.started({ ...LEVELS, options, metadata: 'first', tag: 'mine' });
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const before = await r.bot(id);
    const config = { stopAbove: '130', deposit: { value: '500', asset: 'USDT' }, unknown: { a: 1 } };
    const { bot, old } = await r.done('PATCH', `/bots/${id}`, {
      config,
      options: { restart: null, reuse: true },
    });
    expect(old).toEqual(before);
    expect(bot).toEqual({
      ...before,
      settings: { ...before.settings, ...config },
      options: { restartDelay: 5, reuse: true },
    });
    expect(await r.bot(id)).toEqual(bot);
    const second = await r.done('PATCH', `/bots/${id}`, { config: { unknown: null }, metadata: 'second' });
    expect(second.bot.settings).not.toHaveProperty('unknown');
    expect(second.bot).toMatchObject({ metadata: 'second', tag: 'mine', status: 'STOPPED' });
    expect(second.old).toMatchObject({ metadata: 'first' });
  });

  // proves: D19
  it('of a bot that never ran leaves it NEW', async () => {
    const r = await open();
    const { id } = await r.make();
    const { bot } = await r.done('PATCH', `/bots/${id}`, { config: { stopAbove: '130' } });
    expect(bot).toMatchObject({ status: 'NEW', settings: { stopAbove: '130' } });
  });

  it('is kept over a start of the desk', async () => {
    const r = await open();
    const { id } = await r.make();
    const { bot } = await r.done('PATCH', `/bots/${id}`, { config: { stopAbove: '130', levels: null } });
    await r.t.stop();
    const again = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    expect(await again.bot(id)).toEqual(bot);
  });

  // proves: S41
  it.each<[object, string]>([
    [{}, 'nothing to change; give config, options, metadata or restart'],
    [{ config: { exchange: null } }, 'settings.exchange: missing; connected: paper-spot, paper-futures'],
    [
      { config: { exchange: 'nowhere' } },
      'settings.exchange: "nowhere" is not connected; connected: paper-spot, paper-futures',
    ],
    [
      { config: { type: 'FIBO' } },
      `settings.type: must be CHANNEL, the bot's own type, or left out, got "FIBO"`,
    ],
  ])('of %j is refused, and nothing changes', async (change, message) => {
    const r = await open();
    const made = await r.make();
    expect(await r.refused('PATCH', `/bots/${made.id}`, change)).toEqual([400, 'INVALID_REQUEST', message]);
    expect(await r.bot(made.id)).toEqual(made);
  });

  it('may move a bot to another exchange', async () => {
    const r = await open();
    const { id } = await r.make();
    const { bot } = await r.done('PATCH', `/bots/${id}`, { config: { exchange: 'paper-futures' } });
    expect(bot).toMatchObject({ exchange: 'paper-futures', settings: { exchange: 'paper-futures' } });
  });

  // proves: bot-state patch-running, bot-rule patch-running, error CONFLICT
  it('of a running bot is a conflict', async () => {
    const r = await open();
    const { id } = await r.started();
    const before = await r.bot(id);
    for (const change of [{ metadata: 'x' }, { restart: true }, { config: {} }, {}]) {
      expect(await r.refused('PATCH', `/bots/${id}`, change)).toEqual([
        409,
        'CONFLICT',
        `bot ${id} is running; stop it before you change it`,
      ]);
    }
    expect(await r.bot(id)).toEqual(before);
  });

  // proves: bot-state patch-restart
  it('with restart starts the bot right away', async () => {
    const r = await open();
    const { id, runId } = await r.started();
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const { bot, old } = await r.done('PATCH', `/bots/${id}`, { metadata: 'x', restart: true });
    expect(old.status).toBe('STOPPED');
    expect(bot).toMatchObject({ status: 'STARTED', metadata: 'x', runId: expect.any(String) });
    expect(bot.runId).not.toBe(runId);
  });

  // proves: S41, bot decided restart-patch
  it('with a restart that fails is kept, and the answer says what is wrong', async () => {
    const r = await open();
    const { id, runId } = await r.started();
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const config = { levels: [{ buy: '90', sell: '80' }], deposit: { value: '-1', asset: 'USDT' } };
    const [status, code, message] = await r.refused('PATCH', `/bots/${id}`, { config, restart: true });
    expect([status, code]).toEqual([400, 'INVALID_REQUEST']);
    expect(message).toMatch(
      /^saved, not started: .*levels.*; .*deposit|^saved, not started: .*deposit.*; .*levels/,
    );
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', settings: config });
    const { bot } = await r.done('PATCH', `/bots/${id}`, {
      config: { levels: LEVELS.settings.levels, deposit: LEVELS.settings.deposit },
      restart: true,
    });
    expect(bot.status).toBe('STARTED');
  });

  // proves: rule idempotency-methods
  it('is made again under the same idempotency key', async () => {
    const r = await open();
    const { id } = await r.make();
    const idempotencyKey = crypto.randomUUID();
    for (const metadata of ['one', 'one', 'two']) {
      const answer = await r.ask('PATCH', `/bots/${id}`, { metadata }, { idempotencyKey });
      expect(answer.status).toBe(200);
      expect(answer.headers['x-idempotent-replayed']).toBeUndefined();
    }
    expect(await r.bot(id)).toMatchObject({ metadata: 'two' });
  });
});

describe('a message to a running bot', () => {
  const stop = (fields: object = {}, trigger: object = { type: 'kline' }) => ({
    strategy: 'fixed',
    trigger,
    order: { type: 'MARKET', stopPrice: '95' },
    complete: true,
    ...fields,
  });
  const rulesOf = async (r: BotsRig, id: string) =>
    (await r.t.call('bots.detail', { id }))?.live?.stops.map(({ strategy, trigger, level, disabled }) => ({
      strategy,
      trigger,
      level,
      disabled,
    }));

  // proves: endpoint POST /bots/{id}/runs/{runId}/message, bot-rule commands
  // proves: bot command add_stoploss, bot command update_stoploss, bot command delete_stoploss
  it('adds, changes and removes a stop, which sells when its price comes', async () => {
    const { r, id, runId } = await holding();
    const tell = (message: string, params: object) =>
      r.ask('POST', `/bots/${id}/runs/${runId}/message`, { message, params });
    expect(await rulesOf(r, id)).toEqual([]);
    const added = await tell('add_stoploss', stop({ disabled: true }));
    expect([added.status, added.data]).toEqual([200, null]);
    expect(await rulesOf(r, id)).toMatchObject([{ strategy: 'fixed', trigger: 'kline', disabled: true }]);
    await tell('update_stoploss', stop({ order: { type: 'MARKET', stopPrice: '93' } }));
    expect(await rulesOf(r, id)).toMatchObject([{ level: '93', disabled: false }]);
    expect((await tell('delete_stoploss', stop())).data).toBeNull();
    expect(await rulesOf(r, id)).toEqual([]);
    await tell('add_stoploss', stop());
    await r.minutes(2);
    expect((await r.balance('BTC')).wallet).toBe('0.00000445');
    const [, sold] = await r.done('GET', `/orders/trades?exchange=${EXCHANGE}&symbol=BTCUSDT`);
    expect(sold).toMatchObject({ side: 'SELL', price: '94' });
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED' });
  });

  // proves: bot-rule commands
  it('may put a stop at the exchange', async () => {
    const { r, id, runId } = await holding();
    const params = stop({ order: { type: 'STOP_MARKET', stopPrice: '95' } }, { type: 'exchange' });
    await r.done('POST', `/bots/${id}/runs/${runId}/message`, { message: 'add_stoploss', params });
    await r.minutes(2);
    expect((await r.balance('BTC')).wallet).toBe('0.00000445');
  });

  // proves: bot-rule commands, S42
  it.each<[string, string, object, RegExp]>([
    [
      'has fired already',
      'add_stoploss',
      stop({ order: { type: 'MARKET', stopPrice: '100.5' } }),
      /^the stop has already fired: price 100\.00 is below 100\.50$/,
    ],
    [
      'waits for a time',
      'add_stoploss',
      stop({}, { type: 'time', time: 1 }),
      /^params\.trigger\.type|^trigger\.type/,
    ],
    ['waits for a timeout', 'add_stoploss', stop({}, { type: 'timeout', value: '5' }), /trigger\.type/],
    ['has no strategy', 'add_stoploss', { ...stop(), strategy: undefined }, /strategy/],
    ['has no trigger', 'add_stoploss', { ...stop(), trigger: undefined }, /trigger/],
    ['has no order', 'add_stoploss', { ...stop(), order: undefined }, /order/],
    [
      'has a price that is none',
      'add_stoploss',
      stop({ order: { type: 'MARKET', stopPrice: 'x' } }),
      /order\.stopPrice/,
    ],
    ['is not there', 'delete_stoploss', stop(), /^there is no fixed stop with this trigger \(kline\)/],
    ['is not there to be changed', 'update_stoploss', stop(), /^there is no fixed stop/],
  ])('is refused when the stop %s', async (_what, message, params, words) => {
    const { r, id, runId } = await holding();
    const refused = await r.refused('POST', `/bots/${id}/runs/${runId}/message`, { message, params });
    expect(refused.slice(0, 2)).toEqual([400, 'INVALID_REQUEST']);
    expect(refused[2]).toMatch(words);
    expect(await rulesOf(r, id)).toEqual([]);
    expect((await r.bot(id)).status).toBe('STARTED');
  });

  it('finds no run that has ended, nor one of another bot', async () => {
    const { r, id, runId } = await holding();
    const other = await r.make();
    const body = { message: 'add_stoploss', params: stop() };
    expect((await r.refused('POST', `/bots/${other.id}/runs/${runId}/message`, body))[0]).toBe(404);
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    expect(await r.refused('POST', `/bots/${id}/runs/${runId}/message`, body)).toEqual([
      404,
      'NOT_FOUND',
      `bot ${id} has no run ${runId} that goes on`,
    ]);
  });

  // proves: bot command no-trader
  it('is refused by a bot that does not trade', async () => {
    const r = await open();
    const { id, runId } = await r.started(ALARM);
    const body = { message: 'add_stoploss', params: stop() };
    expect((await r.refused('POST', `/bots/${id}/runs/${runId}/message`, body))[2]).toBe(
      'ALARM has no stop rules: it does not trade',
    );
  });
});

describe('a batch', () => {
  // proves: endpoint POST /bots/batch/runs, bot-rule batch, S8, bot decided batch
  it('starts in order, each with its own result', async () => {
    const r = await open();
    const [first, second, wrong] = [
      await r.make(small('500')),
      await r.make(small('400')),
      await r.make(small('0')),
    ];
    const running = await r.started(small('300'));
    const bots = [second.id, wrong.id, 'bnothing', running.id, first.id];
    const results = await r.done('POST', '/bots/batch/runs', { bots });
    expect(results).toEqual([
      {
        id: second.id,
        success: true,
        runId: expect.any(String),
        bot: expect.objectContaining({ id: second.id, status: 'STARTED' }),
      },
      {
        id: wrong.id,
        success: false,
        error: { code: 'INVALID_REQUEST', message: expect.stringContaining('deposit.value') },
      },
      { id: 'bnothing', success: false, error: { code: 'NOT_FOUND', message: 'there is no bot bnothing' } },
      {
        id: running.id,
        success: false,
        error: { code: 'CONFLICT', message: `bot ${running.id} is running already (run ${running.runId})` },
      },
      {
        id: first.id,
        success: true,
        runId: expect.any(String),
        bot: expect.objectContaining({ id: first.id, status: 'STARTED' }),
      },
    ]);
    expect(results[0].bot.runId).toBe(results[0].runId);
    expect(results[0].runId).not.toBe(results[4].runId);
    expect(await r.bot(wrong.id)).toMatchObject({ status: 'NEW' });
  });

  // proves: limit batch-bots, bot-rule batch
  it('takes twenty, each with a run of its own', async () => {
    const r = await open();
    const bots: string[] = [];
    for (let i = 0; i < 20; i++) bots.push((await r.make(small('100'))).id);
    const results = await r.done('POST', '/bots/batch/runs', { bots });
    expect(results.map(({ id }: { id: string }) => id)).toEqual(bots);
    const runs = results.map(({ runId }: { runId: string }) => runId);
    expect(new Set(runs).size).toBe(20);
    const pairs = bots.map((id, i) => [id, runs[i]]);
    const stopped = await r.done('DELETE', '/bots/batch/runs', { bots: pairs });
    expect(stopped.every(({ success }: { success: boolean }) => success)).toBe(true);
    const deleted = await r.done('DELETE', '/bots/batch', { bots });
    expect(deleted).toEqual(bots.map((id) => ({ id, success: true })));
    expect(await r.done('GET', '/bots')).toEqual([]);
  });

  // proves: endpoint DELETE /bots/batch/runs, bot-rule batch
  it('stops in the way it says, and is answered when the last run has ended', async () => {
    const r = await open(['100', '100', '89', '100']);
    const first = await r.started(small('500'));
    const second = await r.started(small('400'));
    await r.minutes(3);
    await r.fault({ fault: 'delay', on: 'cancel', times: 1, ms: 3_000 });
    const bots = [
      [first.id, first.runId],
      [first.id.replace(/.$/, 'x'), second.runId],
      [second.id, second.runId],
    ];
    let answered = false;
    const stopping = r
      .done('DELETE', '/bots/batch/runs', { bots, action: 'stop_and_sell' })
      .finally(() => (answered = true));
    await until(r.t, async () => (await r.bot(second.id)).status === 'STOPPED');
    expect([answered, (await r.bot(first.id)).status]).toEqual([false, 'STARTED']);
    await r.t.clock.advance(3_000);
    const [one, missing, two] = await stopping;
    expect(one).toMatchObject({
      id: first.id,
      success: true,
      runId: first.runId,
      bot: { status: 'STOPPED' },
    });
    expect(missing).toMatchObject({ success: false, runId: second.runId, error: { code: 'NOT_FOUND' } });
    expect(two).toMatchObject({ id: second.id, success: true, runId: second.runId });
    expect(await r.open()).toEqual([]);
    expect(Number((await r.balance('BTC')).wallet)).toBeLessThan(0.0001);
  });

  it('of runs of which none goes on is answered at once', async () => {
    const r = await open();
    const { id } = await r.make();
    expect(await r.done('DELETE', '/bots/batch/runs', { bots: [[id, 'rnothing']] })).toEqual([
      {
        id,
        success: false,
        runId: 'rnothing',
        error: { code: 'NOT_FOUND', message: `bot ${id} has no run rnothing that goes on` },
      },
    ]);
  });

  // proves: endpoint DELETE /bots/batch, bot-rule batch
  it('deletes what does not run', async () => {
    const r = await open();
    const [first, second] = [await r.make(), await r.make()];
    const running = await r.started();
    const results = await r.done('DELETE', '/bots/batch', {
      bots: [first.id, running.id, 'bnothing', second.id],
    });
    expect(results.map(({ success }: { success: boolean }) => success)).toEqual([true, false, false, true]);
    expect(results[1].error.code).toBe('CONFLICT');
    expect(await r.done('GET', '/bots')).toMatchObject([{ id: running.id }]);
  });

  // proves: D20, S8
  it('that stops a bot twice is refused whole', async () => {
    const r = await open();
    const { id, runId } = await r.started();
    const bots = [
      [id, runId],
      [id, 'rother'],
    ];
    expect(await r.refused('DELETE', '/bots/batch/runs', { bots })).toEqual([
      400,
      'INVALID_REQUEST',
      `bots: ${id} is named twice`,
    ]);
    expect((await r.bot(id)).status).toBe('STARTED');
  });
});

describe('a repeated request', () => {
  const key = () => crypto.randomUUID();

  // proves: rule idempotency-replay
  it('makes one bot, however often and however close it comes', async () => {
    const r = await open();
    const idempotencyKey = key();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => r.ask('POST', '/bots', LEVELS, { idempotencyKey })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['x-idempotent-replayed'] === 'true')).toHaveLength(4);
    expect(answers[0]?.meta.idempotencyKey).toBe(idempotencyKey);
    expect(await r.done('GET', '/bots')).toHaveLength(1);
    const conflict = await r.refused('POST', '/bots', { ...LEVELS, tag: 'x' }, { idempotencyKey });
    expect(conflict.slice(0, 2)).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(await r.done('GET', '/bots')).toHaveLength(1);
  });

  it('starts one run, and answers with it when that run is over and after a start of the desk', async () => {
    const r = await open();
    const { id } = await r.make();
    const idempotencyKey = key();
    const start = (rig = r) => rig.ask('POST', `/bots/${id}/runs`, undefined, { idempotencyKey });
    const [first, second] = await Promise.all([start(), start()]);
    expect(second?.text).toBe(first?.text);
    await r.done('DELETE', `/bots/${id}/runs/${first?.data.runId}`);
    expect((await start()).text).toBe(first?.text);
    expect((await r.bot(id)).status).toBe('STOPPED');
    await r.t.stop();
    const again = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    const replayed = await start(again);
    expect([replayed.text, replayed.headers['x-idempotent-replayed']]).toEqual([first?.text, 'true']);
    expect((await again.bot(id)).status).toBe('STOPPED');
  });

  it('gets a stored refusal again, a start that would now be possible too', async () => {
    const r = await open();
    const { id } = await r.make(small('0'));
    const idempotencyKey = key();
    const first = await r.ask('POST', `/bots/${id}/runs`, undefined, { idempotencyKey });
    expect(first.status).toBe(400);
    await r.done('PATCH', `/bots/${id}`, { config: { deposit: { value: '500', asset: 'USDT' } } });
    const second = await r.ask('POST', `/bots/${id}/runs`, undefined, { idempotencyKey });
    expect([second.status, second.text]).toEqual([400, first.text]);
    await r.done('POST', `/bots/${id}/runs`, undefined, { idempotencyKey: key() });
  });

  // proves: rule idempotency-in-progress
  it('of a stop that still goes on is in progress; afterwards it has the same answer', async () => {
    const { r, id, runId } = await holding();
    await r.fault({ fault: 'delay', on: 'cancel', times: 2, ms: 3_000 });
    const idempotencyKey = key();
    const stop = () => r.ask('DELETE', `/bots/${id}/runs/${runId}`, undefined, { idempotencyKey });
    const first = stop();
    await until(r.t, async () => (await r.bot(id)).state === 'stopped');
    const meanwhile = await stop();
    expect([meanwhile.status, meanwhile.error.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    expect(meanwhile.error.message).toMatch(/already processing$/);
    await r.t.clock.advance(3_000);
    const answer = await first;
    expect(answer.data).toMatchObject({ id, runId, status: 'STOPPED' });
    const replayed = await stop();
    expect([replayed.text, replayed.headers['x-idempotent-replayed']]).toEqual([answer.text, 'true']);
  });

  it('deletes once', async () => {
    const r = await open();
    const { id } = await r.make();
    const idempotencyKey = key();
    const first = await r.ask('DELETE', `/bots/${id}`, undefined, { idempotencyKey });
    expect((await r.ask('DELETE', `/bots/${id}`, undefined, { idempotencyKey })).text).toBe(first.text);
    expect((await r.refused('DELETE', `/bots/${id}`, undefined, { idempotencyKey: key() }))[0]).toBe(404);
  });

  it('of a batch has the same results', async () => {
    const r = await open();
    const bots = [(await r.make(small('500'))).id, (await r.make(small('400'))).id];
    const idempotencyKey = key();
    const first = await r.ask('POST', '/bots/batch/runs', { bots }, { idempotencyKey });
    const second = await r.ask('POST', '/bots/batch/runs', { bots }, { idempotencyKey });
    expect(second.text).toBe(first.text);
  });
});
