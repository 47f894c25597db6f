/**
 * Where protection is kept: at the exchange or by this desk. The console shows the difference by another word
 * and another colour.
 */
import { describe, expect, it } from 'vitest';
import { heldHere } from '../../../src/console/bots/held-here.ts';
import { unprotectedLine, unprotectedPositions } from '../../../src/console/overview/overview-parts.ts';
import { positionColumns } from '../../../src/console/positions/position-columns.ts';
import { positionDetailLines } from '../../../src/console/positions/position-detail.ts';
import { coverOf, openPositions, type PositionRow } from '../../../src/console/trading/positions.ts';
import type { PositionView } from '../../../src/desk/console/protocol.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

function world(more: Partial<PositionView>) {
  const positions = [position('BTCUSDT', { amount: '2', protectedQty: '0', protectedSince: null, ...more })];
  const futures = { 'paper-futures': { positions, hedgeMode: false, leverage: {} } };
  return deskState({ futures, orders: {}, bots: {} });
}

const words = (line: readonly { readonly text: string }[]) => line.map(({ text }) => text).join('');

describe('the protection of a position', () => {
  const shown = (more: Partial<PositionView>) => {
    const state = world(more);
    const [row] = openPositions(state) as [PositionRow];
    const stop = positionColumns(state.instruments)
      .find(({ title }) => title === 'stop')
      ?.cell(row, 4);
    const detail = positionDetailLines(row, state, [], NOON, 100)[1] ?? [];
    return { cover: coverOf(row).cover, tone: (stop as { tone?: string }).tone, detail: words(detail) };
  };

  it.each<[Partial<PositionView>, string, string, RegExp]>([
    [{ protectedQty: '2' }, 'yes', 'ok', /at the exchange · 100 %/],
    [{ protectedQty: '1' }, 'part', 'warn', /at the exchange · 50 %/],
    [{ protectedQty: '1', heldQty: '1' }, 'part', 'warn', /at the exchange · 50 %.* by this desk 1/],
    [{ heldQty: '2' }, 'desk', 'paper', /by this desk · 100 %.*does nothing while it is stopped/],
    [{}, 'NO', 'warn', /NO protective stop/],
  ])('%j is %s', (more, cover, tone, detail) => {
    expect(shown(more)).toEqual({ cover, tone, detail: expect.stringMatching(detail) });
  });

  it('by this desk alone is on the Overview', () => {
    const [row] = unprotectedPositions(world({ heldQty: '2' }));
    expect(row && words(unprotectedLine(row))).toMatch(/stop by this desk only/);
    expect(unprotectedPositions(world({ protectedQty: '2' }))).toEqual([]);
  });
});

describe('whoever stops the desk', () => {
  it('is told what works by it alone', () => {
    expect(heldHere(world({ protectedQty: '2' }))).toEqual([]);
    expect(heldHere(world({ heldQty: '2' }))).toEqual(['1 position has no stop at the exchange: BTCUSDT']);
    const mine = order('a', { status: 'NEW', held: true, symbol: 'BTCUSDT' });
    const state = {
      ...world({ protectedQty: '2' }),
      orders: { a: mine, b: { ...mine, id: 'b', symbol: 'ETHUSDT' } },
    };
    expect(heldHere(state)).toEqual(['2 held orders do nothing then: BTCUSDT, ETHUSDT']);
  });

  it('sees it in the question', async () => {
    const screen = await open(new FakeDesk(world({ heldQty: '2' })), { columns: 80, rows: 24 });
    await screen.press('q');
    await screen.shows('1 position has no stop at the exchange');
  });
});
