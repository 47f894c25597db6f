/** What a waiting order, a turn and a missing funding rate mean for the margin of the paper futures account. */
import { expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions } from '../../src/venues/paper/options.ts';
import { CONTRACTS, FuturesBench } from './futures-support.ts';

it('a margin type stays while an order waits for its trigger, too', () => {
  const b = new FuturesBench();
  b.tick('50000');
  const stop = b.place({ type: 'STOP_MARKET', side: 'BUY', quantity: '1', stopPrice: '60000' });
  const set = () => b.set((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
  expect(set()).toMatchObject({ kind: 'rejected', code: '-4047' });
  b.keep(b.core.cancel({ clientId: stop, symbol: 'BTCUSDT' }, b.now));
  expect(set()).toEqual({ kind: 'done' });
});

it.each([
  // 2,500 of margin and 25 of fee for the first; of the turn only what it opens pays another 25.
  ['2550', 'accepted'],
  ['2549.99', 'rejected'],
])('an order that turns a position needs the fee of what it opens alone: with %s it is %s', (USDT, kind) => {
  const b = new FuturesBench({ takerRate: '0.0005', startBalances: { USDT } });
  b.tick('50000');
  b.market('BUY', '1');
  expect(b.submit({ type: 'LIMIT', side: 'SELL', quantity: '2', price: '50000' }).kind).toBe(kind);
});

it('the funding that was told last is paid at its time, though the mark price then comes without any', () => {
  const options = compilePaperOptions({ takerRate: '0', makerRate: '0' }, 'futures');
  const core = new FuturesCore({ instruments: CONTRACTS, options, marksAreTold: true }, new Map());
  core.begin();
  const at = Date.UTC(2026, 0, 5, 8);
  const mark = (time: number, funding: { rate: string; at: number } | null) => {
    if (core.beginMark('BTCUSDT', '50000', time, funding)) while (core.nextMatch()) {}
  };
  core.beginTick('BTCUSDT', '50000', '1', at - 2_000);
  mark(at - 2_000, { rate: '0.0001', at });
  const order = {
    clientId: 'o',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    timeInForce: 'GTC',
  } as const;
  expect(core.submit({ ...order, quantity: '1' }, at - 1_500).outcome.kind).toBe('accepted');
  mark(at - 1_000, null);
  mark(at, null);
  mark(at + 1, null);
  expect(str(core.amounts().funding)).toBe('-5');
});
