/** Which runs accept commands about stop rules, and how many rules a run may have. */
import { expect, it } from 'vitest';
import { applyStopCommand } from '../../../src/bots/run/stop-commands.ts';
import { holding } from './lonely.ts';

const rule = (value: string) => ({
  strategy: 'fixed',
  trigger: { type: 'kline', value },
  order: { type: 'MARKET' },
});

it('a run that is ending takes none, though its orders are not cancelled yet, and neither does one that has ended', () => {
  const { lonely, exit } = holding();
  const { run } = lonely;
  lonely.change({ key: exit.key, kind: 'accepted' });
  expect(applyStopCommand(run, 'add_stoploss', rule('40000'))).toBeNull();
  run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
  for (const phase of ['ending', 'ended']) {
    expect(run.state.phase).toBe(phase);
    const before = structuredClone(run.stops.rules.map(({ raw }) => raw));
    for (const command of ['add_stoploss', 'update_stoploss', 'delete_stoploss'])
      expect(applyStopCommand(run, command, rule('40000'))).toBe('the run is ending');
    expect(run.stops.rules.map(({ raw }) => raw)).toEqual(before);
    lonely.change({ key: exit.key, kind: 'ended' });
  }
});

it('a run has 200 rules at most, those that were deleted among them', () => {
  const { run } = holding().lonely;
  const add = (n: number) => applyStopCommand(run, 'add_stoploss', rule(String(30_000 + n)));
  for (let n = 0; n < 200; n++) expect(add(n)).toBeNull();
  expect(add(200)).toBe('a run takes at most 200 stop rules');
  expect(applyStopCommand(run, 'delete_stoploss', rule('30000'))).toBeNull();
  expect(add(200)).toBe('a run takes at most 200 stop rules');
  // Existing rules can still be changed.
  expect(applyStopCommand(run, 'update_stoploss', { ...rule('30001'), disabled: true })).toBeNull();
});
