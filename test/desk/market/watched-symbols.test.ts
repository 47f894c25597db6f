/**
 * The watched symbols of a live market: those in which an account of that market has something at stake, and
 * those that somebody looks at.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { LET_GO_MS, WatchedSymbols } from '../../../src/desk/market/live/watched-symbols.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { TERMINAL } from '../../../src/domain/order.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { BTC, CAPS, ETH } from '../../engine/support/market.ts';
import { order } from '../../store/rows.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { positionOf } from '../core/link-rig.ts';

const HERE: ExchangeAccount = { id: 'a-futures', name: 'A', kind: 'futures', market: 'live-a' };
const ELSEWHERE: ExchangeAccount = { id: 'b-futures', name: 'B', kind: 'futures', market: 'live-b' };

function rig(accounts: readonly ExchangeAccount[] = [HERE, ELSEWHERE]) {
  const clock = new VirtualClock();
  const { memory } = new Engine();
  for (const account of accounts) memory.addAccount(account, CAPS, [BTC, ETH]);
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

it('positions, orders and runs of the market are found behind those of another one', () => {
  const { memory, watched } = rig([ELSEWHERE, HERE]);
  for (const { id } of [ELSEWHERE, HERE])
    memory.account(id).futures?.positions.set('x', positionOf(`${id} position`, '1', 0));
  for (const [n, { id }] of [ELSEWHERE, HERE].entries())
    memory.addOrder(order(`o${n}`, { symbol: `${id} order`, status: 'OPENED', exchange: id }), []);
  const runs = [
    ['live-b', 'b run'],
    ['live-a', ''],
    ['live-a', 'a run'],
  ].map(([market, symbol], n) => [`r${n}`, { parts: { market }, run: { settings: { symbol } } }]);
  const bots = { book: { runs: new Map(runs as never) } } as unknown as Pick<BotEngine, 'book'>;
  expect([...watched.now(memory, bots)]).toEqual(['a-futures position', 'a-futures order', 'a run']);
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
  memory.addOrder(order('o', { symbol: 'BTCUSDT', status, exchange: HERE.id }), []);
  memory.addOrder(order('p', { symbol: 'ETHUSDT', status, exchange: ELSEWHERE.id }), []);
  expect(now()).toEqual(expected);
});

it('whatever orders come, end, are taken for open again or join anew: those that the walk over all of them finds', () => {
  const symbols = ['BTCUSDT', 'ETHUSDT', 'S1', 'S2'];
  const act = fc.record({
    what: fc.constantFrom('add', 'add', 'end', 'reopen', 'over', 'again'),
    at: fc.nat(20),
    symbol: fc.constantFrom(...symbols),
    status: fc.constantFrom('NEW', 'OPENED', 'OPENED', 'CLOSED'),
    exchange: fc.constantFrom(HERE.id, ELSEWHERE.id),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      // A fresh memory, in which nothing is at stake from before.
      const { memory } = rig();
      const reopened = new Set<string>();
      let ids = 0;
      for (const { what, at, symbol, status, exchange } of acts) {
        const all = [...memory.orders.values()];
        const one = all[at % Math.max(1, all.length)];
        if (what === 'add') memory.addOrder(order(`o${++ids}`, { symbol, status, exchange }), []);
        if (!one) continue;
        const isLive = !TERMINAL.has(one.status);
        if (what === 'end' && isLive) {
          one.status = 'CANCELLED';
          memory.closeOrder(one);
        }
        if (what === 'reopen' && !isLive && !reopened.has(one.id)) {
          reopened.add(one.id);
          memory.reopen(one);
        }
        if (what === 'over' && reopened.delete(one.id)) memory.closeReopened(one);
        if (what === 'again' && isLive) {
          memory.closeOrder(one);
          memory.addOrder(one, []);
        }
        const walked = new Set<string>();
        for (const { exchange: of, symbol: its, status: is } of memory.orders.values())
          if (of === HERE.id && !TERMINAL.has(is)) walked.add(its);
        const found = new WatchedSymbols('live-a', new VirtualClock()).now(memory, null);
        expect([...found].sort()).toEqual([...walked].sort());
      }
    }),
  );
});
