/** Data for a console's Overview and charts from a whole desk: fills of bots, mutes, the mark price. */
import { describe, expect, it } from 'vitest';
import { openBots } from './bots-rig.ts';
import { EXCHANGE, ok, openTestDesk, place } from './support.ts';

describe('the fills of a bot', () => {
  it('come with its detail, in market time, and are its own alone', async () => {
    const r = await openBots(['100', '100', '89', '100', '100']);
    await r.minutes(1);
    const other = await r.started();
    const { id } = await r.started();
    await place(r.t, { side: 'BUY', type: 'MARKET', quantity: '0.5' });
    await r.minutes(3);
    const fillsOf = async (bot: string) => (await r.t.call('bots.detail', { id: bot }))?.fills ?? [];
    const fills = await fillsOf(id);
    expect(fills).toHaveLength(1);
    expect(fills[0]).toMatchObject({ side: 'BUY', price: '90' });
    const { market } = r.t.desk.state().clock;
    const at = fills[0]?.time ?? 0;
    expect(at).toBeLessThanOrEqual(market);
    expect(at).toBeGreaterThan(market - 5 * 60_000);
    expect(await fillsOf(other.id)).toHaveLength(1);
    const candles = await r.t.call('market.candles', {
      market: 'paper',
      symbol: 'BTCUSDT',
      frameMs: 60_000,
      from: at - 60_000,
      to: market,
    });
    const candle = candles.findLast(({ time }) => time <= at);
    expect(Number(candle?.low)).toBeLessThanOrEqual(90);
  });
});

describe('a mute', () => {
  it('is told to consoles, written into the log, and outlives a restart', async () => {
    const t = await openTestDesk({ feed: 'synthetic' });
    const { bots } = t.desk.state().mutes;
    expect(bots).toEqual([]);
    ok(await t.call('alerts.mute', { kind: 'target', id: 'bell', on: true }));
    ok(await t.call('alerts.mute', { kind: 'bot', id: 'b1', on: true }));
    expect(t.desk.state().mutes).toEqual({ bots: ['b1'], targets: ['bell'] });
    expect(t.desk.state().log.at(-1)).toMatchObject({ level: 'info', source: 'alert', text: 'bot b1 muted' });
    await t.stop();
    const again = await openTestDesk({ feed: 'synthetic', dataDir: t.dataDir });
    expect(again.desk.state().mutes).toEqual({ bots: ['b1'], targets: ['bell'] });
    ok(await again.call('alerts.mute', { kind: 'bot', id: 'b1', on: false }));
    expect(again.desk.state().mutes).toEqual({ bots: [], targets: ['bell'] });
  });
});

describe('the check of a ticket', () => {
  it('has the mark price on a futures account, and none on a spot account', async () => {
    const t = await openTestDesk({ feed: 'synthetic' });
    const check = (exchange: string) =>
      t.call('orders.check', { exchange, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' });
    const { mark, last } = await check('paper-futures');
    expect(Math.abs(Number(mark) / Number(last) - 1)).toBeLessThan(0.05);
    expect((await check(EXCHANGE)).mark).toBeNull();
  });
});
