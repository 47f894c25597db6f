/**
 * Bounds on what one account may make the desk keep of bots: their number, size and alerts; larger ones from
 * before remain.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_ALERTS_PER_MINUTE, MAX_BOT_BYTES, MAX_BOTS } from '../../../src/domain/bot-bounds.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { type CandleText, EXCHANGE, MARKET_START, MINUTE_MS, ok, writeCandles } from './support.ts';

const SYMBOL = { base: 'BTC', quote: 'USDT' };

// proves: S60
describe('the number of bots', () => {
  it('is bounded for the API and a console alike, says what to do, and goes down with a deletion', async () => {
    const r = await openBots(['100']);
    for (let i = 0; i < MAX_BOTS; i++) ok(await r.t.call('bots.create', { bot: LEVELS }));
    const [status, code, message] = await r.refused('POST', '/bots', LEVELS);
    expect([status, code]).toEqual([409, 'CONFLICT']);
    expect(message).toMatch(/500 bots.*delete/);
    expect(await r.t.call('bots.create', { bot: LEVELS })).toMatchObject({
      ok: false,
      error: { code: 'CONFLICT' },
    });
    const [first] = Object.keys(r.t.desk.state().bots);
    ok(await r.t.call('bots.delete', { id: first ?? '', force: false }));
    await r.make();
  });

  it('can be set otherwise', async () => {
    const r = await openBots(['100'], { limits: { bots: 1 } });
    await r.make();
    expect((await r.refused('POST', '/bots', LEVELS)).slice(0, 2)).toEqual([409, 'CONFLICT']);
  });
});

// proves: S60
describe('the size of a bot', () => {
  const withJunk = (junk: string) => ({ ...LEVELS, settings: { ...LEVELS.settings, junk } });
  const room = MAX_BOT_BYTES - Buffer.byteLength(JSON.stringify(withJunk('').settings));

  it('counts the bytes of settings, options and metadata together; the refusal says how many', async () => {
    const r = await openBots(['100']);
    await r.make(withJunk('x'.repeat(room)));
    const [status, code, message] = await r.refused('POST', '/bots', withJunk('x'.repeat(room + 1)));
    expect([status, code]).toEqual([400, 'INVALID_REQUEST']);
    expect(message).toContain(String(MAX_BOT_BYTES + 1));
    expect(message).toContain(String(MAX_BOT_BYTES));
    // Three bytes per character, in each of the three parts.
    for (const bot of [
      withJunk('€'.repeat(Math.floor(room / 3) + 1)),
      { ...withJunk('x'.repeat(room - 10)), metadata: 'x'.repeat(20) },
      { ...withJunk('x'.repeat(room - 10)), options: { junk: 'x'.repeat(20) } },
    ])
      expect((await r.refused('POST', '/bots', bot))[0]).toBe(400);
    expect(await r.t.call('bots.create', { bot: withJunk('x'.repeat(room + 1)) })).toMatchObject({
      ok: false,
    });
  });

  it('is judged after the merge of a change, so that it cannot be grown piece by piece', async () => {
    const r = await openBots(['100']);
    const { id } = await r.make();
    await r.done('PATCH', `/bots/${id}`, { config: { a: 'x'.repeat(40_000) } });
    const [status, , message] = await r.refused('PATCH', `/bots/${id}`, {
      config: { b: 'x'.repeat(40_000) },
    });
    expect(status).toBe(400);
    expect(message).toContain(String(MAX_BOT_BYTES));
    expect((await r.bot(id)).settings).not.toHaveProperty('b');
    await r.done('PATCH', `/bots/${id}`, { config: { a: null, b: 'x'.repeat(40_000) } });
  });

  it('of a bot from before the bound stays, and may shrink, not grow', async () => {
    const r = await openBots(['100']);
    const { id } = await r.make();
    await r.t.stop();
    const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
    const bot = store.load(0).bots.find((one) => one.id === id);
    if (!bot) throw new Error('the bot is not stored');
    const a = 'x'.repeat(100_000);
    store.commit([{ kind: 'bot', bot: { ...bot, settings: { ...bot.settings, a, b: a } } }]);
    store.close();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    expect((await later.bot(id)).settings).toMatchObject({ a, b: a });
    expect((await later.refused('PATCH', `/bots/${id}`, { config: { c: 'more' } }))[0]).toBe(400);
    await later.done('PATCH', `/bots/${id}`, { config: { b: null } });
    await later.done('PATCH', `/bots/${id}`, { config: { a: 'x'.repeat(99_000) } });
    // A change that keeps the size is not growth.
    await later.done('PATCH', `/bots/${id}`, { config: { a: 'y'.repeat(99_000) } });
    expect((await later.refused('PATCH', `/bots/${id}`, { config: { a } }))[0]).toBe(400);
    ok(await later.t.call('bots.tag', { id, tag: 'fat' }));
  });
});

describe('the runs of a bot', () => {
  it('are told as far as they are a megabyte together, the newest in any case', async () => {
    const r = await openBots(['100']);
    await r.minutes(1);
    const { id } = await r.make();
    for (let n = 0; n < 3; n++) {
      const { runId } = await r.done('POST', `/bots/${id}/runs`);
      await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    }
    await r.t.stop();
    const told = async (lengths: readonly number[]) => {
      const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
      const runs = store.runs(id, 10);
      store.commit(
        runs.map((run, i) => ({
          kind: 'run',
          run: { ...run, settings: { ...run.settings, a: 'x'.repeat(lengths[i] ?? 0) } },
        })),
      );
      store.close();
      const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
      const shown = (await later.t.call('bots.detail', { id }))?.runs.map(({ runId }) => runId);
      await later.t.stop();
      return { shown, all: runs.map(({ runId }) => runId) };
    };
    const short = await told([400_000, 400_000, 100_000]);
    expect(short.all).toHaveLength(3);
    expect(short.shown).toEqual(short.all);
    const long = await told([400_000, 400_000, 400_000]);
    expect(long.shown).toEqual(long.all.slice(0, 2));
    // Stored before the size of a bot was bounded.
    const first = await told([1_100_000, 0, 0]);
    expect(first.shown).toEqual(first.all.slice(0, 1));
  });
});

// proves: S60
describe('the alerts of a bot', () => {
  // In every minute the price goes down through the lines at the open and up through them at the high.
  const candles: CandleText[] = Array.from({ length: 20 }, () => ['99', '101', '99', '101']);
  const lines = 40;
  const line = { type: 'price', trend: { [MARKET_START]: 100, [MARKET_START + 99 * MINUTE_MS]: 100 } };
  const settings = {
    exchange: EXCHANGE,
    symbol: SYMBOL,
    range: Array.from({ length: lines }, () => line),
    repeat: 'always',
    snoozeDuration: 0,
  };

  it('are kept up to a number a minute; those beyond are counted in one notice a minute', async () => {
    const r = await openBots([], { feed: writeCandles({ BTCUSDT: candles }) });
    await r.minutes(1);
    const { id } = await r.started({ type: 'ALARM', settings });
    const other = await r.started({ type: 'ALARM', settings: { ...settings, range: [line] } });
    await r.minutes(3);
    const stored = (botId: string) => r.t.desk.state().alerts.filter((alert) => alert.botId === botId).length;
    // One crossing in the bot's first minute, two in each later one.
    expect(stored(id)).toBe(lines + 2 * MAX_ALERTS_PER_MINUTE);
    // Another bot has its own count.
    expect(stored(other.id)).toBe(5);
    await r.minutes(1);
    const detail = await r.t.call('bots.detail', { id });
    const counted = (detail?.notices ?? []).filter(({ text }) => text.includes('more alerts'));
    expect(counted.map(({ text }) => Number.parseInt(text, 10))).toEqual([20, 20]);
  });

  it('are counted for the bot, and told of the run that goes on, when another one begins within the minute', async () => {
    const r = await openBots([], { feed: writeCandles({ BTCUSDT: candles }) });
    await r.minutes(1);
    const { id, runId } = await r.started({ type: 'ALARM', settings });
    await r.minutes(1);
    // The first run has the crossing at the open of the minute, the second one that at its high.
    await r.ticks(1);
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    const { runId: second } = await r.done('POST', `/bots/${id}/runs`);
    await r.ticks(3);
    await r.minutes(1);
    const { notices = [] } = (await r.t.call('bots.detail', { id })) ?? {};
    const counted = notices.filter(({ text }) => text.includes('more alerts'));
    expect(counted.map((notice) => [notice.runId, Number.parseInt(notice.text, 10)])).toEqual([[second, 20]]);
  });
});
