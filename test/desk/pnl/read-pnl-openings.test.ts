/**
 * Where the PnL book begins and ends: balances of the opening before all rows, rows that are later than now, and
 * whose wallets it reads at all.
 */
import { expect, it } from 'vitest';
import { BTC, CAPS } from '../../engine/support/market.ts';
import { NOW, OWN, pnlRig, SPOT } from './pnl-rig.ts';

const HOUR = 3_600_000;

it('what a wallet had at first counts from its first row on, though it was looked at later', async () => {
  const rig = pnlRig();
  rig.fill(OWN, NOW - 9 * HOUR, {});
  rig.ledger(OWN, NOW - 3 * HOUR, { id: 'desk opening USDT', kind: 'opening', amount: '1000' });
  rig.ledger('uni', NOW - 20 * HOUR, { amount: '7' });
  const at = async (from?: number, to?: number) => {
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const { curve, total } = await rig.read({ exchange: OWN, ...range });
    return [curve[0]?.equity, curve.at(-1)?.equity, total.deposits, total.net];
  };
  expect(await at()).toEqual(['0', '1000', '1000', '0']);
  expect(await at(NOW - 8 * HOUR)).toEqual(['1000', '1000', '0', '0']);
  expect(await at(NOW - 10 * HOUR, NOW - 8 * HOUR)).toEqual(['0', '1000', '1000', '0']);
  expect(await at(NOW - 10 * HOUR, NOW - 9 * HOUR)).toEqual(['0', '0', '0', '0']);
});

it('a row that is later than now, as of a clock that is ahead, is of the last day and not of another one', async () => {
  const midnight = Date.UTC(2026, 10, 27);
  const rig = pnlRig({ marketTime: () => midnight - 10 });
  rig.ledger(OWN, midnight - HOUR, { kind: 'rebate', amount: '2' });
  rig.ledger(OWN, midnight + 5, { kind: 'rebate', amount: '3' });
  for (const [by, key] of [
    ['day', '2026-11-26'],
    ['month', '2026-11'],
  ] as const) {
    const { rows } = await rig.read({ by });
    expect(rows.map((row) => [row.key, row.other])).toEqual([[key, '5']]);
  }
});

it('is of the owner’s wallets: those of another user are not read, nor named', async () => {
  const rig = pnlRig();
  const ann = { id: 'ann-spot', name: 'Ann', kind: 'spot', market: 'n-spot', user: 'ann' } as const;
  const { ledger } = rig.engine.memory.account(OWN).wallet;
  rig.engine.memory.addAccount(ann, CAPS, [{ ...BTC, exchange: ann.id }], { ledger });
  rig.ledger(ann.id, NOW - 9, { amount: '900', user: 'ann' });
  rig.holds(ann.id, 'USDT', '950');
  rig.ledger(OWN, NOW - 5, { amount: '7' });
  rig.holds(OWN, 'USDT', '7');
  const { total, from, differences, notes } = await rig.read();
  expect([total.deposits, from, differences, notes]).toEqual(['7', NOW - 5, [], []]);
  expect((await rig.ask({ exchange: ann.id })).ok).toBe(false);
});

it('a wallet that was not asked for is in no note, no difference and no beginning', async () => {
  const rig = pnlRig();
  const { ledger } = rig.engine.memory.account(SPOT).wallet;
  if (ledger?.place) ledger.place.opened = false;
  rig.ledger('uni', NOW - 9, { amount: '5' });
  rig.ledger(OWN, NOW - 5, { amount: '7' });
  rig.holds(OWN, 'USDT', '7');
  const { total, from, differences, notes } = await rig.read({ exchange: OWN });
  expect([total.deposits, from, differences, notes]).toEqual(['7', NOW - 5, [], []]);
});
