/** How alerts are kept: what is stored when, what consoles see, how much stays in memory. */
import { describe, expect, it } from 'vitest';
import type { AlertRecord } from '../../src/domain/bot.ts';
import type { Row } from '../../src/domain/rows.ts';
import { VIRTUAL_START } from '../support/virtual-clock.ts';
import { AlertsRig, FAILING, OK } from './alerts-rig.ts';

const KEPT = 200;
const HANGING = { afterMs: 1_000_000_000, sent: OK };

describe('an alert', () => {
  it('is stored with the step that fires it, and shown when that is stored', () => {
    const rig = new AlertsRig();
    const effect = {
      kind: 'bot-alert',
      user: 'owner',
      botId: 'bot-1',
      runId: 'run-1',
      market: 77,
      alert: { condition: 'rsi[0]', symbol: 'ETHUSDT', message: 'RSI is high', price: null },
      targets: ['console', 'bell', 'a'],
    } as const;
    const other = { kind: 'forgotten', orderId: 'x' } as const;
    const alert: AlertRecord = {
      id: 'alert-1',
      botId: 'bot-1',
      runId: 'run-1',
      user: 'owner',
      market: 77,
      at: VIRTUAL_START,
      symbol: 'ETHUSDT',
      condition: 'rsi[0]',
      message: 'RSI is high',
      price: null,
      seen: false,
      deliveries: [
        { target: 'bell', state: 'done', tries: 0, nextAt: null, error: null },
        { target: 'a', state: 'waiting', tries: 0, nextAt: VIRTUAL_START, error: null },
      ],
    };
    expect(rig.alerts.rows([other])).toEqual([]);
    expect(rig.alerts.rows([other, effect])).toEqual([{ kind: 'alert', alert }]);
    expect(rig.alerts.of('owner')).toEqual([]);
    expect([...rig.alerts.waiting()]).toEqual([]);
    rig.alerts.fired(effect);
    expect(rig.alerts.of('owner')).toEqual([alert]);
    expect(rig.alerts.of('somebody')).toEqual([]);
    expect(rig.changes).toBe(1);
    expect(rig.commits).toEqual([]);
  });

  it('of nobody’s bot that goes to no console counts as seen there; one of a bot does not', () => {
    const rig = new AlertsRig();
    const alert = { condition: 'range[0]', symbol: 'BTCUSDT', message: 'crossed', price: '1' };
    const seen = (botId: string, ...targets: string[]) => {
      const of = { user: 'owner', botId, runId: '', market: 1, alert, targets };
      const [row] = rig.alerts.rows([{ kind: 'bot-alert', ...of }]);
      return row?.kind === 'alert' && row.alert.seen;
    };
    expect([seen('', 'a'), seen('', 'a', 'b')]).toEqual([true, true]);
    for (const at of ['console', 'bell', 'osc9']) expect(seen('', 'a', at)).toBe(false);
    expect(seen('bot-1', 'a')).toBe(false);
  });

  it('beside another of the same step is stored and shown as its own', () => {
    const rig = new AlertsRig();
    const of = (symbol: string, target: string) => {
      const alert = { condition: 'range[0]', symbol, message: 'crossed', price: '1' };
      const ids = { user: 'owner', botId: 'bot-1', runId: 'run-1', market: 1 };
      return { kind: 'bot-alert', ...ids, alert, targets: ['console', target] } as const;
    };
    const effects = [of('BTCUSDT', 'a'), of('ETHUSDT', 'b')];
    const rows = rig.alerts.rows(effects);
    for (const effect of effects) rig.alerts.fired(effect);
    const shown = rig.alerts.of('owner');
    expect(shown.map(({ id, symbol, deliveries: [one] }) => [id, symbol, one?.target])).toEqual([
      ['alert-1', 'BTCUSDT', 'a'],
      ['alert-2', 'ETHUSDT', 'b'],
    ]);
    expect(rows).toEqual(shown.map((alert) => ({ kind: 'alert', alert })));
  });

  it('whose commit failed never was', async () => {
    const rig = new AlertsRig();
    const alert = { condition: 'range[0]', symbol: 'BTCUSDT', message: 'crossed', price: '1' };
    const ids = { user: 'owner', botId: 'bot-1', runId: 'run-1', market: 1 };
    expect(rig.alerts.rows([{ kind: 'bot-alert', ...ids, alert, targets: ['a'] }])).toHaveLength(1);
    rig.deliveries.look();
    await rig.clock.advance(1_000);
    expect(rig.sends).toEqual([]);
    expect(rig.alerts.of('owner')).toEqual([]);
  });

  it('is seen once that is stored, whatever becomes of its deliveries meanwhile', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    const id = rig.fire(['a']);
    await rig.clock.advance(1_000);
    rig.alerts.seen([id, 'unknown']);
    expect(rig.alerts.of('owner')[0]?.seen).toBe(false);
    await rig.clock.settle();
    expect(rig.alerts.of('owner')[0]).toMatchObject({ seen: true, deliveries: [{ tries: 1 }] });
    const { changes } = rig;
    rig.alerts.seen([id]);
    await rig.clock.settle();
    expect(rig.changes).toBe(changes);
    await rig.clock.advance(20 * 60_000);
    expect(rig.stored.get(id)).toMatchObject({ seen: true, deliveries: [{ state: 'failed', tries: 5 }] });
  });

  it('whose try has failed while the desk stops is tried next when it would have been', async () => {
    const rig = new AlertsRig();
    rig.reply = (_send, nth) => (nth === 0 ? { afterMs: 1_500, sent: FAILING } : { afterMs: 0, sent: OK });
    const id = rig.fire(['a']);
    await rig.clock.settle();
    await rig.restart();
    expect(rig.stored.get(id)).toMatchObject({
      deliveries: [{ state: 'waiting', tries: 1, error: 'HTTP 503' }],
    });
    await rig.clock.advance(60_000);
    expect(rig.sendsOf(id, 'a').map(({ at }) => at - VIRTUAL_START)).toEqual([0, 15_000]);
  });

  it('that waits for its turn, or fires, while the desk stops is sent by the next start', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 500, sent: OK });
    const ids = Array.from({ length: 6 }, () => rig.fire(['a']));
    await rig.clock.settle();
    const stopping = rig.deliveries.stop();
    ids.push(rig.fire(['b']));
    await rig.clock.advance(1_000);
    await stopping;
    expect(rig.sends.map(({ alert }) => alert)).toEqual(ids.slice(0, 4));
    await rig.crash(0);
    await rig.clock.advance(2_000);
    expect(rig.sends.map(({ alert }) => alert).toSorted()).toEqual(ids.toSorted());
  });

  it('with two changes in one turn keeps both', async () => {
    const rig = new AlertsRig();
    rig.reply = () => HANGING;
    const id = rig.fire(['a', 'b']);
    rig.alerts.seen([id]);
    for (const target of ['a', 'b']) {
      rig.alerts.deliver(id, target, (one) => ({ ...one, state: 'done', nextAt: null }));
    }
    // The delivery has reached its final state.
    rig.alerts.deliver(id, 'a', (one) => ({ ...one, state: 'failed', error: 'too late' }));
    await rig.clock.settle();
    const expected = { seen: true, deliveries: [{ state: 'done' }, { state: 'done' }] };
    expect(rig.stored.get(id)).toMatchObject(expected);
    expect(rig.alerts.of('owner')[0]).toMatchObject(expected);
  });

  it('of a deleted bot does not come back by a change in the turn of the deletion', async () => {
    const rig = new AlertsRig();
    rig.reply = () => HANGING;
    const id = rig.fire(['a']);
    // The row of the deletion is in the commit before that of the change.
    rig.stored.delete(id);
    rig.alerts.seen([id]);
    rig.alerts.gone('bot-1');
    await rig.clock.settle();
    expect(rig.stored.size).toBe(0);
    expect(rig.alerts.of('owner')).toEqual([]);
  });
});

describe('a state that cannot be stored', () => {
  const isDone = (rows: readonly Row[]) =>
    rows.some((row) => row.kind === 'alert' && row.alert.deliveries.some(({ state }) => state === 'done'));

  it('is kept until it can, though an earlier one of the same turn was', async () => {
    const rig = new AlertsRig();
    rig.reply = () => HANGING;
    const id = rig.fire(['a']);
    rig.refuses = isDone;
    rig.failing = 1;
    rig.alerts.seen([id]);
    rig.alerts.deliver(id, 'a', (one) => ({ ...one, state: 'done', nextAt: null }));
    await rig.clock.settle();
    expect(rig.stored.get(id)).toMatchObject({ seen: true, deliveries: [{ state: 'waiting' }] });
    expect(rig.alerts.of('owner')[0]).toMatchObject({ deliveries: [{ state: 'waiting' }] });
    await rig.clock.advance(20_000);
    expect(rig.stored.get(id)).toMatchObject({ seen: true, deliveries: [{ state: 'done' }] });
  });

  it('is kept though newer alerts push it out of the list', async () => {
    const rig = new AlertsRig();
    const id = rig.fire(['a']);
    rig.failing = 1;
    await rig.clock.advance(1_000);
    expect(rig.stored.get(id)?.deliveries[0]?.state).toBe('waiting');
    for (let n = 0; n < KEPT; n++) rig.fire([]);
    await rig.clock.advance(20_000);
    expect(rig.stored.get(id)?.deliveries[0]?.state).toBe('done');
    expect(rig.sendsOf(id, 'a')).toHaveLength(1);
  });
});

describe('the list of alerts', () => {
  it('has the newest 200, also after a wall clock that was set back', async () => {
    const rig = new AlertsRig();
    const ids = Array.from({ length: KEPT + 5 }, (_, n) => {
      if (n === KEPT) rig.clock.jump(-3_600_000);
      return rig.fire([]);
    });
    await rig.clock.settle();
    expect(rig.alerts.of('owner').map(({ id }) => id)).toEqual(ids.slice(5));
  });

  it('does not lose the deliveries of those that newer ones push out, nor bring these back', async () => {
    const rig = new AlertsRig();
    rig.reply = (_send, nth) => ({ afterMs: 0, sent: nth === 0 ? FAILING : OK });
    const id = rig.fire(['a']);
    await rig.clock.advance(1_000);
    const newer = Array.from({ length: KEPT }, () => rig.fire([]));
    expect([...rig.alerts.waiting()].map(({ alert }) => alert.id)).toEqual([id]);
    await rig.clock.advance(60_000);
    expect(rig.stored.get(id)?.deliveries[0]).toMatchObject({ state: 'done', tries: 2 });
    expect(rig.alerts.of('owner').map((alert) => alert.id)).toEqual(newer);
  });

  it('and of older ones nothing: what is neither shown nor to be delivered is not held, at a start neither', async () => {
    const rig = new AlertsRig();
    const done = rig.fire(['a']);
    await rig.clock.advance(1_000);
    const bare = rig.fire([]);
    rig.reply = () => ({ afterMs: 5_000, sent: OK });
    const late = rig.fire(['a']);
    for (let n = 0; n < KEPT; n++) rig.fire([]);
    await rig.clock.settle();
    const commits = () => rig.commits.length;
    let before = commits();
    rig.alerts.seen([done, bare]);
    await rig.clock.settle();
    expect(commits()).toBe(before);
    // The alert was kept in memory for its delivery, and no longer is.
    await rig.clock.advance(30_000);
    expect(rig.stored.get(late)?.deliveries[0]?.state).toBe('done');
    before = commits();
    rig.alerts.seen([late]);
    await rig.clock.settle();
    expect(commits()).toBe(before);
    await rig.crash(0);
    before = commits();
    rig.alerts.seen([done, bare, late]);
    await rig.clock.settle();
    expect(commits()).toBe(before);
  });

  it('is each user’s own; a bot that goes takes its own alerts and no others', async () => {
    const rig = new AlertsRig();
    const mine = rig.fire(['a'], 'bot-1');
    const other = rig.fire(['a'], 'bot-2');
    await rig.clock.advance(1_000);
    const { changes } = rig;
    rig.alerts.gone('bot-1');
    expect(rig.alerts.of('owner').map(({ id }) => id)).toEqual([other]);
    expect(rig.alerts.of('bot-2')).toEqual([]);
    expect(rig.changes).toBe(changes + 1);
    rig.alerts.gone('bot-3');
    expect(rig.changes).toBe(changes + 1);
    const before = rig.commits.length;
    rig.alerts.seen([mine]);
    await rig.clock.settle();
    expect(rig.commits).toHaveLength(before);
  });

  it('is loaded with the deliveries still to come of older ones', async () => {
    const rig = new AlertsRig();
    rig.reply = () => HANGING;
    const id = rig.fire(['a']);
    for (let n = 0; n < KEPT; n++) rig.fire([]);
    await rig.crash(0);
    expect(rig.alerts.of('owner')).toHaveLength(KEPT);
    expect([...rig.alerts.waiting()].map(({ alert }) => alert.id)).toEqual([id]);
  });
});
