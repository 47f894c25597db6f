/**
 * Runs that share a futures symbol on one account: the starts and account settings that are refused while
 * another run is there.
 */
import { describe, expect, it } from 'vitest';
import { type BotsRig, openBots } from './bots-rig.ts';
import { flat, until, writeCandles } from './support.ts';

const FUTURES = 'paper-futures';

/** A bot that buys at 90; `settings` as for any bot. */
const long = (settings: object = {}, deposit: object = {}) => ({
  type: 'CHANNEL',
  settings: {
    exchange: FUTURES,
    symbol: { base: 'BTC', quote: 'USDT' },
    deposit: { value: '900', asset: 'USDT', ...deposit },
    flavor: 'LEVELS',
    levels: [{ buy: '90', sell: '110' }],
    ...settings,
  },
});

/** A bot that sells at 110. */
const short = (settings: object = {}, deposit: object = {}) => long({ short: true, ...settings }, deposit);

const order = (fields: object) => ({ exchange: FUTURES, symbol: 'BTCUSDT', type: 'MARKET', ...fields });

async function desk(prices: readonly string[] = ['100']): Promise<BotsRig> {
  const r = await openBots(prices);
  await r.minutes(1);
  return r;
}

/** Returns the refusal of a run of this bot. */
async function refusal(r: BotsRig, bot: object): Promise<string> {
  const { id } = await r.make(bot);
  const [status, code, message] = await r.refused('POST', `/bots/${id}/runs`);
  expect([status, code]).toEqual([400, 'INVALID_REQUEST']);
  return message;
}

describe('a start beside a run on the same futures symbol', () => {
  it('is refused in the other direction, until hedge mode gives each a side of its own', async () => {
    const r = await desk();
    const { id, runId } = await r.started(long());
    expect(await refusal(r, short())).toBe(
      `BTCUSDT on ${FUTURES} is LONG at 20x by bot ${id}; use hedge mode or another account`,
    );
    const other = await r.started(long());
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await r.done('DELETE', `/bots/${other.id}/runs/${other.runId}`);
    await r.minutes(1);
    await r.done('POST', `/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: true });
    await r.started(long({ positionSide: 'LONG' }));
    await r.started(short({ positionSide: 'SHORT' }));
  });

  it('is refused at another leverage and with another margin type', async () => {
    const r = await desk();
    const { id } = await r.started(long({ marginType: 'ISOLATED' }, { leverage: 10 }));
    expect(await refusal(r, long({}, { leverage: 5 }))).toBe(
      `BTCUSDT on ${FUTURES} is LONG at 10x by bot ${id}; use 10x or another account`,
    );
    expect(await refusal(r, long({ marginType: 'CROSSED' }, { leverage: 10 }))).toBe(
      `BTCUSDT on ${FUTURES} is LONG with ISOLATED margin by bot ${id}; use ISOLATED or another account`,
    );
    await r.started(long({ marginType: 'ISOLATED' }, { leverage: 10 }));
    // Without a leverage and a margin type of its own the run takes the present ones.
    await r.started(long());
  });

  it('counts a run that took what was set as one at that leverage', async () => {
    const r = await desk();
    const { id } = await r.started(long());
    expect(await refusal(r, long({}, { leverage: 5 }))).toMatch(`is LONG at 20x by bot ${id}`);
    await r.started(long({}, { leverage: 20 }));
  });

  it('counts a run that waits for its start trigger', async () => {
    const r = await desk();
    const trend = { 1: 200, 2: 200 };
    const { id } = await r.started(long({ startTrigger: { trend, direction: 'up' } }));
    expect((await r.bot(id)).state).toMatch(/standby|waiting/);
    expect(await refusal(r, short())).toMatch(`by bot ${id};`);
  });

  it('is refused for the second of two in one batch', async () => {
    const r = await desk();
    const [a, b] = [await r.make(long({}, { leverage: 10 })), await r.make(long({}, { leverage: 5 }))];
    const results = await r.done('POST', '/bots/batch/runs', { bots: [a.id, b.id] });
    expect(results).toMatchObject([
      { id: a.id, success: true },
      {
        id: b.id,
        success: false,
        error: {
          message: `BTCUSDT on ${FUTURES} is LONG at 10x by bot ${a.id}; use 10x or another account`,
        },
      },
    ]);
  });

  it('does not mind bots that trade nothing, other symbols and runs that have ended', async () => {
    const r = await desk();
    const { id, runId } = await r.started(long());
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await r.minutes(1);
    await r.started(short());
    const range = [{ type: 'price', trend: { 1: 100, 2: 100 } }];
    const pair = { base: 'BTC', quote: 'USDT' };
    await r.started({ type: 'ALARM', settings: { exchange: FUTURES, symbol: pair, range } });
  });
});

describe('a start beside a position that no run holds', () => {
  it.each([
    [
      'another direction',
      short(),
      `LONG at 20x by a position held by hand; use hedge mode or another account`,
    ],
    [
      'another leverage',
      long({}, { leverage: 5 }),
      'LONG at 20x by a position held by hand; use 20x or another account',
    ],
    [
      'another margin type',
      long({ marginType: 'ISOLATED' }),
      'LONG with CROSSED margin by a position held by hand; use CROSSED or another account',
    ],
  ])('is refused with %s', async (_what, bot, words) => {
    const r = await desk();
    await r.done('POST', '/orders', order({ side: 'BUY', quantity: '1' }));
    await r.minutes(1);
    expect(await refusal(r, bot)).toBe(`BTCUSDT on ${FUTURES} is ${words}`);
    await r.started(long());
  });

  it('is refused against what an ended run has left', async () => {
    const r = await desk(['100', '100', '89', '89']);
    const { id, runId } = await r.started(long());
    await r.minutes(2);
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await r.minutes(1);
    expect(await refusal(r, short())).toMatch('is LONG at 20x by a position held by hand;');
    await r.done('POST', `/bots/${id}/runs`);
  });

  it('ends a run whose trigger comes when somebody holds the other direction', async () => {
    const r = await desk(['100', '100', '100', '130']);
    const trend = { 1: 120, 2: 120 };
    const { id } = await r.started(short({ startTrigger: { trend, direction: 'up' } }));
    await r.done('POST', '/orders', order({ side: 'BUY', quantity: '1' }));
    await r.minutes(4);
    expect((await r.bot(id)).status).toBe('ERROR');
  });
});

describe('a run that is there already', () => {
  it('goes on after the process has been started again, beside whatever is there', async () => {
    const r = await desk(['100', '100']);
    const { id, runId } = await r.started(long({}, { leverage: 10 }));
    const standing = await r.started(long({ startTrigger: { trend: { 1: 200, 2: 200 }, direction: 'up' } }));
    await r.done('POST', '/orders', order({ side: 'SELL', quantity: '1' }));
    await r.minutes(1);
    await r.t.stop();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    await later.minutes(1);
    expect(await later.bot(id)).toMatchObject({ status: 'STARTED', runId });
    expect(await later.bot(standing.id)).toMatchObject({ status: 'STARTED', runId: standing.runId });
  });

  it('is restarted by itself only where it still may be', async () => {
    const r = await desk(['100', '100', '89', '111']);
    const options = { restart: true, restartDelay: 90_000 };
    const { id } = await r.started({ ...long({ onetime: true }), options });
    await r.minutes(3);
    await until(r.t, async () => (await r.bot(id)).status === 'STOPPED');
    const other = await r.started(short());
    await r.minutes(3);
    expect(await r.bot(id)).toMatchObject({ status: 'ERROR' });
    expect(await r.bot(other.id)).toMatchObject({ status: 'STARTED' });
  });
});

describe('a setting that a run counts on', () => {
  const change = {
    leverage: ['/portfolio/position/leverage', { exchange: FUTURES, symbol: 'BTCUSDT', leverage: 5 }],
    'margin type': [
      `/portfolio/position/margin-type?exchange=${FUTURES}`,
      { symbol: 'BTCUSDT', marginType: 'ISOLATED' },
    ],
    'position mode': [`/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: true }],
  } as const;

  it.each([
    ['leverage', `BTCUSDT on ${FUTURES}`],
    ['margin type', `BTCUSDT on ${FUTURES}`],
    ['position mode', FUTURES],
  ] as const)('the %s stays while it goes on', async (name, of) => {
    const r = await desk();
    const [path, body] = change[name];
    const { id, runId } = await r.started(long());
    const words = `the ${name} of ${of} stays as it is while bot ${id} trades BTCUSDT there; stop the bot first`;
    expect(await r.refused('POST', path, body)).toEqual([409, 'CONFLICT', words]);
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await r.minutes(1);
    await r.done('POST', path, body);
  });

  it('stays for the consoles, too', async () => {
    const r = await desk();
    const { id } = await r.started(long({ name: 'night shift' }));
    for (const setting of [
      { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 },
      { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' },
      { kind: 'hedgeMode', on: true },
    ] as const) {
      const outcome = await r.t.call('futures.set', { exchange: FUTURES, setting });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
      if (!outcome.ok) expect(outcome.error.message).toContain(`bot ${id} "night shift" trades BTCUSDT`);
    }
  });

  it('may be set to what it is, and on other symbols', async () => {
    const r = await openBots(['100'], {
      feed: writeCandles({ BTCUSDT: flat('100', 20), ETHUSDT: flat('10', 20) }),
    });
    await r.minutes(1);
    await r.started(long());
    const leverage = (symbol: string, value: number) =>
      r.done('POST', change.leverage[0], { exchange: FUTURES, symbol, leverage: value });
    await leverage('BTCUSDT', 20);
    await leverage('ETHUSDT', 5);
    await r.done('POST', change['position mode'][0], { dualSidePosition: false });
  });

  it('is not changed by an order either', async () => {
    const r = await desk();
    const { id } = await r.started(long());
    const [status, code, message] = await r.refused(
      'POST',
      '/orders',
      order({ side: 'BUY', quantity: '1', marginType: 'ISOLATED' }),
    );
    expect([status, code]).toEqual([409, 'CONFLICT']);
    expect(message).toContain(`the margin type of BTCUSDT on ${FUTURES} stays as it is while bot ${id}`);
    await r.done('POST', '/orders', order({ side: 'BUY', quantity: '1', marginType: 'CROSSED' }));
  });
});
