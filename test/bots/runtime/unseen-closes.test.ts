/**
 * Why a part of a run's position is gone that only a comparison with the exchange shows: liquidated where the
 * exchange has an order of its own for that position since the run holds something, else closed elsewhere
 * (strategies.md, R13).
 */
import { expect, it } from 'vitest';
import type { Lost } from '../../../src/bots/run/contract.ts';
import type { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { SharedPositions } from '../../../src/bots/runtime/shared-positions.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';
import type { StepContext } from '../../../src/engine/step-context.ts';

const BTC = 'BTCUSDT';
const LIQUIDATION = {
  liquidation: true,
  exchange: 'one',
  symbol: BTC,
  positionSide: 'LONG',
  orderTime: 3,
};

/** Why a run in hedge mode is told to have lost its LONG position, with these orders on the desk. */
function told(orders: readonly object[]): string[] {
  const futures = { hedge: true, positions: new Map() };
  const account = { futures, instruments: new Map(), wallet: { versions: { undecided: 0 } } };
  const memory = {
    accounts: new Map([['one', account]]),
    account: () => account,
    orders: new Map(orders.map((order, at) => [`o${at}`, order])),
  } as unknown as EngineMemory;
  const lots = { total: () => dec('2'), open: [{ openedAt: 7 }, { openedAt: 3 }, { openedAt: 9 }] };
  const settings = { type: 'CHANNEL', short: false, positionSide: 'BOTH' };
  const rules = { symbol: BTC, kind: 'futures', step: dec('0.1') };
  const run = { settings, rules, lots, price: dec('100'), state: { started: true } };
  const live = { id: 'r', going: true, parts: { runId: 'r', exchange: 'one' }, run };
  const shared = new SharedPositions({ runs: new Map([['r', live]]) } as unknown as BotBook, memory);
  shared.hear({ type: 'venue.balances', exchange: 'one', changed: [], all: true });
  shared.hear({ type: 'venue.positions', exchange: 'one', changed: [], all: true });
  shared.hear({ type: 'compared', exchange: 'one' });
  const reasons: string[] = [];
  const engine = {
    give: (_step: unknown, _live: unknown, { lost }: { lost: Lost | null }) => {
      if (lost) reasons.push(lost.reason);
    },
  } as unknown as BotEngine;
  shared.review({} as StepContext, engine);
  return reasons;
}

const BY_HAND = { ...LIQUIDATION, liquidation: false };

it.each([
  ['none', [], 'closed elsewhere'],
  ['one from when its first lot was bought', [LIQUIDATION], 'liquidated'],
  ['one that is behind others', [BY_HAND, LIQUIDATION, BY_HAND], 'liquidated'],
  ['one from before that', [{ ...LIQUIDATION, orderTime: 2 }], 'closed elsewhere'],
  ['one of another account', [{ ...LIQUIDATION, exchange: 'two' }], 'closed elsewhere'],
  ['one of another symbol', [{ ...LIQUIDATION, symbol: 'ETHUSDT' }], 'closed elsewhere'],
  ['one of the other side', [{ ...LIQUIDATION, positionSide: 'SHORT' }], 'closed elsewhere'],
  ['an order by hand', [BY_HAND], 'closed elsewhere'],
])('a run of which all is gone, with %s for a liquidation: %s', (_, orders, reason) => {
  expect(told(orders)).toEqual([reason]);
});
