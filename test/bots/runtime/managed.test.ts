/**
 * Bots that the desk creates for attached exits and price alerts (S60): not counted in the limit of other
 * bots, and removed with their run.
 */
import { describe, expect, it } from 'vitest';
import type { NewBot } from '../../../src/domain/bot.ts';
import { isManaged, MAX_MANAGED_BOTS } from '../../../src/domain/bot-bounds.ts';
import { SPOT, START } from '../../engine/support/market.ts';
import { PAIR } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const BRACKET: NewBot = {
  type: 'ALGO',
  settings: {
    exchange: SPOT,
    symbol: 'BTCUSDT',
    algo: 'bracket',
    side: 'BUY',
    quantity: '1',
    entry: { type: 'LIMIT', price: '100' },
    takeProfit: { price: '110' },
    stopLoss: { price: '95' },
  },
};

const openOf = ({ bench }: BotsBench) =>
  [...bench.engine.memory.orders.values()].filter(({ status }) => status === 'NEW' || status === 'OPENED');

/** An entry that has filled, so that both exits are active. */
function entered(): { readonly b: BotsBench; readonly id: string } {
  const b = new BotsBench();
  b.tick('101', 1);
  const { id } = b.done({ type: 'bot.manage', bot: BRACKET });
  b.tick('101', 2);
  const [entry] = openOf(b);
  if (!entry) throw new Error('no entry');
  b.bench.fill(b.bench.trade(entry, '1', { price: '100' }));
  b.obey();
  return { b, id };
}

describe('a managed bot', () => {
  it('runs at once, is told as managed, and is deleted with its run', () => {
    const { b, id } = entered();
    expect(b.bots.get(id)).toMatchObject({ status: 'STARTED', options: { managed: true } });
    // Both exits sell the same units: on spot the stop replaces the target when its price is reached.
    expect(openOf(b).map(({ type, price }) => [type, price])).toEqual([['LIMIT', '110']]);
    const [target] = openOf(b);
    if (target) b.bench.fill(b.bench.trade(target, '1', { price: '110' }));
    b.obey();
    expect([openOf(b), b.bots.has(id), b.engine.book.bots.has(id)]).toEqual([[], false, false]);
  });

  it('goes on after a restart of the desk, and ends then', () => {
    const { b, id } = entered();
    b.restart();
    expect(b.engine.book.bots.get(id)?.status).toBe('STARTED');
    b.tick('94', 2_000);
    b.tick('94', 3_000);
    const [stop, ...others] = openOf(b);
    expect(others).toEqual([]);
    if (stop) b.bench.fill(b.bench.trade(stop, '1', { price: '94' }));
    b.obey();
    expect([openOf(b), b.bots.has(id)]).toEqual([[], false]);
  });

  it('is kept until its orders have ended, and goes with the last of them', () => {
    const { b, id } = entered();
    const { runId } = b.bots.get(id) ?? {};
    b.ask({ type: 'bot.stop', id, runId: runId ?? '', way: { cleanup: 'cancelAllOrders', force: true } });
    expect(b.bots.has(id)).toBe(openOf(b).length > 0);
    b.obey();
    expect([openOf(b), b.bots.has(id)]).toEqual([[], false]);
  });

  it('leaves nothing behind where it is refused', () => {
    const b = new BotsBench();
    b.tick('101', 1);
    const wrong = { ...BRACKET, settings: { ...BRACKET.settings, stopLoss: { price: '105' } } };
    const refused = b.ask({ type: 'bot.manage', bot: wrong });
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('stopLoss 105')]);
    expect([b.bots.size, openOf(b).length]).toEqual([0, 0]);
  });

  it('is gone, with a line in red, where its entry turns out to be wrong', () => {
    const b = new BotsBench();
    b.tick('101', 1);
    const settings = { ...BRACKET.settings, entry: { type: 'MARKET' }, stopLoss: { price: '102' } };
    b.done({ type: 'bot.manage', bot: { ...BRACKET, settings } });
    b.bench.event({
      type: 'market',
      market: 'paper',
      symbol: 'BTCUSDT',
      time: START + 2,
      price: '101',
      volume: '1',
    });
    b.bench.event({ type: 'tick', market: 'paper', symbol: 'BTCUSDT', price: '101' });
    expect(b.bench.kinds('log')).toMatchObject([
      { level: 'error', text: expect.stringContaining('stopLoss 102 must be below the entry 101') },
    ]);
    expect([b.bots.size, openOf(b).length]).toEqual([0, 0]);
  });

  it('whose run cannot be read any more is gone with a line in red, its order taken back', () => {
    const { b, id } = entered();
    const { runId } = b.bots.get(id) ?? {};
    const run = b.runs.get(runId ?? '');
    if (!run) throw new Error('no run');
    b.runs.set(run.runId, { ...run, settings: {} });
    b.restart();
    expect(b.bench.kinds('cancel')).toHaveLength(1);
    const lines = b.bench.kinds('log').map((effect) => effect as { level: string; text: string });
    expect(lines.filter(({ text }) => text.startsWith(`${id}: the ALGO of BTCUSDT`))).toMatchObject([
      { level: 'error', text: expect.stringContaining('the run cannot go on') },
    ]);
    b.obey();
    expect([openOf(b), b.bots.has(id), b.engine.book.bots.has(id)]).toEqual([[], false, false]);
  });

  it('does not count among the others, nor they among it', () => {
    const b = new BotsBench({ maxBots: 1 });
    b.tick('101', 1);
    for (let i = 0; i < MAX_MANAGED_BOTS; i++) b.done({ type: 'bot.manage', bot: alarm() });
    b.make('CHANNEL', PAIR);
    expect([b.bots.size, [...b.bots.values()].filter(isManaged).length]).toEqual([201, 200]);
    expect(b.ask({ type: 'bot.manage', bot: alarm() })).toMatchObject({ status: 409 });
    expect(b.ask({ type: 'bot.create', bot: alarm() }).status).toBe(409);
  });

  it('is made by nobody else', () => {
    const b = new BotsBench();
    const settings = { ...PAIR, exchange: SPOT };
    const options = { managed: true };
    expect(b.ask({ type: 'bot.create', bot: { type: 'CHANNEL', settings, options } }).status).toBe(400);
    const id = b.make('CHANNEL', PAIR);
    expect(b.ask({ type: 'bot.patch', id, change: { options } }).status).toBe(400);
    expect(b.bots.get(id)?.options).toBeNull();
  });
});

function alarm(): NewBot {
  const range = [{ type: 'price', trend: { 1: 500, 2: 500 } }];
  return { type: 'ALARM', settings: { ...PAIR, exchange: SPOT, range } };
}
