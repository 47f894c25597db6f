/** Muted bots and targets: the mutes survive restarts, and alerts that fire while muted go to nobody. */
import { describe, expect, it } from 'vitest';
import { type AlertMuteSet, AlertMutes } from '../../src/desk/alerts/alert-mutes.ts';
import { Alerts } from '../../src/desk/alerts/alerts.ts';
import type { Effect } from '../../src/engine/step.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

function mutesOf(initial: unknown = undefined) {
  const stored: AlertMuteSet[] = [];
  let changes = 0;
  const mutes = new AlertMutes({
    initial,
    store: (value) => void stored.push(value),
    changed: () => void changes++,
  });
  return { mutes, stored, changes: () => changes };
}

const fired = (botId: string, targets: readonly string[]): Effect =>
  ({
    kind: 'bot-alert',
    botId,
    runId: 'run',
    user: 'owner',
    market: 0,
    targets,
    alert: { symbol: 'BTCUSDT', condition: 'c', price: '1', message: 'm' },
  }) as unknown as Effect;

describe('a mute', () => {
  it('is set and taken back, stored and told each time', () => {
    const { mutes, stored, changes } = mutesOf();
    expect(mutes.set({ kind: 'bot', id: 'b1', on: true })).toMatchObject({ ok: true });
    mutes.set({ kind: 'target', id: 'ops', on: true });
    mutes.set({ kind: 'target', id: 'ops', on: true });
    expect(mutes.now).toEqual({ bots: ['b1'], targets: ['ops'] });
    expect([mutes.isMuted('b1', 'x'), mutes.isMuted('b2', 'ops'), mutes.isMuted('b2', 'x')]).toEqual([
      true,
      true,
      false,
    ]);
    mutes.set({ kind: 'bot', id: 'b1', on: false });
    expect(stored.at(-1)).toEqual({ bots: [], targets: ['ops'] });
    expect(changes()).toBe(4);
  });

  it('outlives a restart, whatever else the store holds', () => {
    expect(mutesOf({ bots: ['b1'], targets: ['ops'] }).mutes.isMuted('b1', 'bell')).toBe(true);
    for (const odd of [null, 5, 'x', { bots: 'b1' }, { targets: [1, null] }])
      expect(mutesOf(odd).mutes.now).toEqual({ bots: [], targets: [] });
  });

  it('goes with its bot', () => {
    const { mutes, stored } = mutesOf({ bots: ['b1', 'b2'], targets: [] });
    mutes.gone('b1');
    mutes.gone('b3');
    expect(stored).toEqual([{ bots: ['b2'], targets: [] }]);
  });

  it('refuses what is no name', () => {
    const { mutes, stored } = mutesOf();
    for (const id of ['', 'x'.repeat(101)]) expect(mutes.set({ kind: 'bot', id, on: true }).ok).toBe(false);
    expect(stored).toEqual([]);
  });

  it('holds for ids of 1 to 100 characters', () => {
    const { mutes } = mutesOf();
    for (const id of ['x', 'x'.repeat(100)]) {
      expect(mutes.set({ kind: 'target', id, on: true }).ok).toBe(true);
      expect(mutes.isMuted('b', id)).toBe(true);
    }
    expect(mutes.set({ kind: 'target', id: 7 as never, on: true }).ok).toBe(false);
  });

  it('is one of at most a thousand of its kind; a mute more is refused, one taken back makes room', () => {
    const bots = Array.from({ length: 999 }, (_, n) => `b${n}`);
    const { mutes, stored } = mutesOf({ bots, targets: ['ops'] });
    const set = (id: string, on = true, kind: 'bot' | 'target' = 'bot') => mutes.set({ kind, id, on }).ok;
    expect([set('b999'), set('b1000'), set('b5'), set('home', true, 'target')]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(mutes.isMuted('b1000', 'x')).toBe(false);
    expect([set('b5', false), set('b1000')]).toEqual([true, true]);
    expect(stored.at(-1)).toMatchObject({ targets: ['home', 'ops'] });
    expect(stored.at(-1)?.bots).toEqual([...bots, 'b999', 'b1000'].filter((id) => id !== 'b5').sort());
  });

  it('that goes with its bot leaves the targets, and is told once', () => {
    const { mutes, stored, changes } = mutesOf({ bots: ['b1'], targets: ['b1', 'ops'] });
    mutes.gone('b1');
    mutes.gone('b1');
    expect(stored).toEqual([{ bots: [], targets: ['b1', 'ops'] }]);
    expect([mutes.isMuted('b1', 'x'), mutes.isMuted('b2', 'ops'), changes()]).toEqual([false, true, 1]);
  });
});

it('an alert of a muted bot, or for a muted target, is kept but not sent', () => {
  const { mutes } = mutesOf({ bots: ['quiet'], targets: ['ops'] });
  const alerts = new Alerts({
    initial: [],
    clock: new VirtualClock(),
    id: () => 'a',
    store: () => Promise.resolve(),
    changed: () => {},
    isMuted: (botId, target) => mutes.isMuted(botId, target),
  });
  const states = (botId: string) =>
    alerts
      .rows([fired(botId, ['console', 'bell', 'ops', 'home'])])
      .flatMap((row) => (row.kind === 'alert' ? row.alert.deliveries : []))
      .map(({ target, state, error }) => `${target} ${state}${error === null ? '' : ` ${error}`}`);
  expect(states('quiet')).toEqual(['bell failed muted', 'ops failed muted', 'home failed muted']);
  expect(states('loud')).toEqual(['bell done', 'ops failed muted', 'home waiting']);
});
