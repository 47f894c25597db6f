/** What of a live market is watched: what an account of that market has at stake, and what somebody looks at. */
import { expect, it } from 'vitest';
import { LET_GO_MS, WatchedSymbols } from '../../../src/desk/market/live/watched-symbols.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { BTC, CAPS, ETH } from '../../engine/support/market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { positionOf } from '../core/link-rig.ts';

const HERE: ExchangeAccount = { id: 'a-futures', name: 'A', kind: 'futures', market: 'live-a' };
const ELSEWHERE: ExchangeAccount = { id: 'b-futures', name: 'B', kind: 'futures', market: 'live-b' };

function rig() {
  const clock = new VirtualClock();
  const { memory } = new Engine();
  for (const account of [HERE, ELSEWHERE]) memory.addAccount(account, CAPS, [BTC, ETH]);
  const watched = new WatchedSymbols('live-a', clock);
  return { clock, memory, watched, now: () => [...watched.now(memory, null)] };
}

it('a position is watched on its own market, and a minute longer', async () => {
  const { clock, memory, now } = rig();
  memory.account(ELSEWHERE.id).futures?.positions.set('ETHUSDT BOTH', positionOf('ETHUSDT', '1', 0));
  expect(now()).toEqual([]);
  const { futures } = memory.account(HERE.id);
  futures?.positions.set('BTCUSDT BOTH', positionOf('BTCUSDT', '1', 0));
  expect(now()).toEqual(['BTCUSDT']);
  futures?.positions.clear();
  await clock.advance(LET_GO_MS);
  expect(now()).toEqual(['BTCUSDT']);
  await clock.advance(1);
  expect(now()).toEqual([]);
});

it('who looks at it holds it, however often it lets go; two are two', async () => {
  const { clock, watched, now } = rig();
  const first = watched.hold('SOLUSDT');
  const second = watched.hold('SOLUSDT');
  first();
  first();
  await clock.advance(2 * LET_GO_MS);
  expect(now()).toEqual(['SOLUSDT']);
  second();
  await clock.advance(LET_GO_MS + 1);
  expect(now()).toEqual([]);
});

it.each([
  ['OPENED', ['BTCUSDT']],
  ['NEW', ['BTCUSDT']],
  ['CLOSED', []],
  ['CANCELLED', []],
  ['ERROR', []],
] as const)('an order that is %s', (status, expected) => {
  const { memory, now } = rig();
  const order = { symbol: 'BTCUSDT', status } as OrderRecord;
  memory.orders.set('o', { ...order, id: 'o', exchange: HERE.id });
  memory.orders.set('p', { ...order, id: 'p', symbol: 'ETHUSDT', exchange: ELSEWHERE.id });
  expect(now()).toEqual(expected);
});
