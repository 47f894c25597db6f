/** What the consoles receive of bots on a whole desk: profit that follows the price, the existing rules. */
import { describe, expect, it } from 'vitest';
import { openBots } from './bots-rig.ts';

/** A run that holds 5.55 BTC bought at 90; the price is 100, then 94. */
async function holding() {
  const r = await openBots(['100', '100', '89', '100', '100', '94', '100']);
  await r.minutes(1);
  const run = await r.started();
  await r.minutes(3);
  return { r, ...run };
}

/** Collects the bots that are marked as changed from now on. */
function marked(r: Awaited<ReturnType<typeof openBots>>): { ids: string[]; leave: () => void } {
  const ids: string[] = [];
  const leave = r.t.desk.onChange((mark) => {
    if (mark.kind === 'bot') ids.push(mark.id);
  });
  return { ids, leave };
}

describe('the open profit of a bot', () => {
  it('is told to consoles as the price moves, once a second, and not while it stands still', async () => {
    const { r, id } = await holding();
    // A new account is compared twice.
    await r.t.clock.advance(20_000);
    const unrealised = () => r.t.desk.state().bots[id]?.stats?.unrealised;
    const before = unrealised();
    const { ids } = marked(r);
    await r.minutes(2);
    expect(unrealised()).not.toBe(before);
    ids.length = 0;
    await r.t.clock.advance(999);
    expect(ids).toEqual([]);
    await r.t.clock.advance(1);
    expect(ids).toEqual([id]);
    ids.length = 0;
    // The price stays at 100 from here on.
    await r.minutes(2);
    await r.t.clock.advance(10_000);
    ids.length = 0;
    await r.minutes(2);
    await r.t.clock.advance(10_000);
    expect(ids).toEqual([]);
  });

  it('is looked at only while a console looks on', async () => {
    const { r } = await holding();
    const timers = r.t.clock.pendingTimers;
    await r.minutes(2);
    expect(r.t.clock.pendingTimers).toBe(timers);
    const { leave } = marked(r);
    await r.minutes(1);
    expect(r.t.clock.pendingTimers).toBe(timers + 1);
    leave();
  });
});

describe('the stop rules of a run', () => {
  // proves: endpoint POST /bots/{id}/runs/{runId}/message
  it('are listed with their level, and not any more once they are deleted', async () => {
    const { r, id, runId } = await holding();
    const rules = async () => (await r.t.call('bots.detail', { id }))?.live?.stops ?? [];
    const params = {
      strategy: 'fixed',
      trigger: { type: 'kline' },
      order: { type: 'MARKET', stopPrice: '70' },
    };
    const say = (message: string) => r.t.call('bots.message', { id, runId, message, params });
    expect(await say('add_stoploss')).toMatchObject({ ok: true });
    expect(await rules()).toMatchObject([{ strategy: 'fixed', level: '70', disabled: false }]);
    expect(await say('delete_stoploss')).toMatchObject({ ok: true });
    expect(await rules()).toEqual([]);
  });
});

describe('the log', () => {
  it('has what is asked of a bot, and by whom', async () => {
    const { r, id, runId } = await holding();
    await r.t.call('bots.tag', { id, tag: 'mine' });
    const stopped = r.t.call('bots.stop', { id, runId, way: { cleanup: 'cancelAllOrders', force: true } });
    await r.minutes(1);
    await stopped;
    const asked = r.t.desk
      .state()
      .log.flatMap(({ source, text }) =>
        source === 'bot' && text.includes('asked by')
          ? [text.replaceAll(id, 'ID').replaceAll(runId, 'RUN')]
          : [],
      );
    expect(asked).toEqual([
      expect.stringMatching(/^ID: CHANNEL created, asked by key [\w-]{8}$/),
      expect.stringMatching(/^ID: started \(run RUN\), asked by key [\w-]{8}$/),
      'ID: tagged "mine", asked by operator',
      'ID: stop (cancelAllOrders, force), asked by operator',
    ]);
  });
});
