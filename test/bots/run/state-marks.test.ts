/**
 * Every change that an input makes to a run is marked as changed (stored with its effects) or moved (stored
 * with the next commit): an unmarked change would be lost by a restart. Checked over every scenario, on a
 * whole desk.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodeState } from '../../../src/bots/run/codec.ts';
import { Run } from '../../../src/bots/run/run.ts';
import { playOnDesk } from '../../scenarios/on-desk.ts';
import type { ScenarioFile } from '../../scenarios/scenario.ts';
import { level, line } from '../../scenarios/scene.ts';
import { cell } from '../rules/bots.ts';
import { LiveTest } from '../rules/live.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/scenarios');
const input = Run.prototype.input;
const unmarked: string[] = [];

beforeEach(() => {
  Run.prototype.input = function watched(this: Run, given) {
    const before = encodeState(this.state);
    this.changed = false;
    this.moved = false;
    input.call(this, given);
    if (encodeState(this.state) === before || this.changed || this.moved) return;
    unmarked.push(`${this.settings.type} at ${this.now}: ${given.type}`);
  };
});

afterEach(() => {
  Run.prototype.input = input;
  unmarked.length = 0;
});

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
  // proves: bot run stored
  it(`${file}: no input changes a run unmarked`, async () => {
    const { type, scenarios } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as ScenarioFile;
    for (const scenario of scenarios) await playOnDesk(type, scenario);
    expect(unmarked).toEqual([]);
  });
}

// proves: bot run stored, bot common startTrigger down
it('no tick changes a run unmarked that waits for its start trigger', () => {
  const t = new LiveTest('CHANNEL', cell({ startTrigger: { trend: level(104), direction: 'down' } }));
  for (const [at, price] of ['103', '105', '103'].entries()) t.tick(at, price);
  expect(t.run.state.phase).toBe('running');
  expect(unmarked).toEqual([]);
});

// proves: bot run stored, bot deposit no_reserve
it('no tick changes a run unmarked whose entry has found no balance and waits at a gate that a close has shut', () => {
  const deposit = { value: '100', asset: 'USDT', allocate: 'no_reserve' };
  // The line crosses the price within the first minute.
  const range = [{ type: 'trend_percent_price', trend: line('100', '110', 60), min: '0' }];
  const t = new LiveTest('CHANNEL', cell({ deposit, range }), { balance: '50' });
  t.tick(0, '105');
  t.pass(61);
  expect(t.run.state.gate).toBe(false);
  t.tick(62, '105');
  t.tick(63, '105');
  expect(unmarked).toEqual([]);
});
