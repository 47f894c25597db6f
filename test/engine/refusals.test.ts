/**
 * What an order stores of its refusal: the code on which all decisions are based, besides the text for
 * people.
 */
import { expect, it } from 'vitest';
import type { OrderRecord } from '../../src/domain/order.ts';
import { Bench } from './support/bench.ts';
import { SPOT } from './support/market.ts';

const LIMIT = { type: 'LIMIT', side: 'BUY', price: '50000', quantity: '1' } as const;
const rejected = {
  kind: 'rejected',
  reason: 'BALANCE',
  code: '-2010',
  message: 'Account has insufficient balance.',
} as const;

it('keeps the code of a refusal with the order, whichever way it came', () => {
  const bench = new Bench();
  const ended = (tell: (order: OrderRecord) => void): OrderRecord => {
    const { order } = bench.place(LIMIT);
    tell(order);
    return order;
  };
  const answered = ended((order) => bench.submitted(order, rejected));
  expect(answered).toMatchObject({ status: 'ERROR', rejectCode: 'BALANCE' });
  const state = { status: 'REJECTED', text: 'no', reason: 'POST_ONLY' } as const;
  const told = ended((order) => bench.stream(bench.state(order, state)));
  expect(told).toMatchObject({ status: 'ERROR', rejectCode: 'POST_ONLY' });
  const wordless = ended((order) => bench.stream(bench.state(order, { status: 'REJECTED' })));
  expect(wordless).toMatchObject({ status: 'ERROR', rejectCode: 'OTHER' });
  const lost = ended((order) => bench.lost(order));
  bench.wall += 10_000;
  bench.queried(lost, { kind: 'absent' });
  expect(lost).toMatchObject({ status: 'ERROR', rejectCode: 'UNREACHED' });
  bench.restart();
  expect(bench.order(lost.id).rejectCode).toBe('UNREACHED');
});

it('leaves it to the exchange to count what others have open there: its refusal is a value', () => {
  const bench = new Bench();
  for (let n = 0; n < 3; n++) {
    bench.event({
      type: 'reconciled',
      exchange: SPOT,
      open: [{ ...bench.state({ id: `theirs-${n}`, symbol: 'BTCUSDT', origQty: '1' } as OrderRecord) }],
    });
  }
  const { order, reply } = bench.place(LIMIT);
  const message = 'Filter failure: MAX_NUM_ORDERS';
  bench.submitted(order, { kind: 'rejected', reason: 'MAX_ORDERS', code: '-1013', message });
  expect(reply()).toMatchObject({ status: 400, reason: 'VENUE', message });
  expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'MAX_ORDERS' });
  expect(bench.engine.memory.openOn(SPOT, 'BTCUSDT')).toBe(0);
});
