/**
 * Each refusal of the paper exchange, spot and futures, as the reject code on which all other code decides.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExchangeOrder, SubmitOutcome } from '../../src/domain/exchange.ts';
import { REJECT_CODES, type RejectCode, rejectKind } from '../../src/domain/reject-code.ts';
import { rejectCodeOf } from '../../src/venues/paper/reject-codes.ts';
import { FuturesBench } from './futures-support.ts';
import { CoreBench, limit, openVenue } from './paper-support.ts';

type Case = readonly [Partial<ExchangeOrder>, RejectCode];

/** Exchange codes that a test of this file has produced. */
const met = new Set<string>();

function reasonOf(outcome: SubmitOutcome): RejectCode | string {
  if (outcome.kind !== 'rejected') return outcome.kind;
  met.add(outcome.code);
  return outcome.reason;
}

function spot(): CoreBench {
  const bench = new CoreBench();
  bench.tick('100');
  return bench;
}

function futures(): FuturesBench {
  const bench = new FuturesBench();
  bench.tick('50000');
  return bench;
}

describe('spot', () => {
  it.each<Case>([
    [{ symbol: 'XXXUSDT', price: '99', quantity: '1' }, 'SYMBOL_UNKNOWN'],
    [{ symbol: 'BNBUSDT', type: 'MARKET', quantity: '1' }, 'NO_PRICE'],
    [{ type: 'STOP_MARKET', quantity: '1', stopPrice: '90' }, 'UNSUPPORTED'],
    [{ price: '99', quantity: '1', timeInForce: 'GTX' as 'GTC' }, 'UNSUPPORTED'],
    [{ price: '99', quantity: '1', reduceOnly: true }, 'UNSUPPORTED'],
    [{ price: '99', quantity: '1', icebergQty: '0.1', timeInForce: 'IOC' }, 'UNSUPPORTED'],
    [{ price: '99' }, 'UNSUPPORTED'],
    [{ price: '9e1', quantity: '1' }, 'UNSUPPORTED'],
    [{ price: '99.001', quantity: '1' }, 'PRICE_FILTER'],
    [{ type: 'STOP_LIMIT', price: '99', quantity: '1', stopPrice: '105.005' }, 'PRICE_FILTER'],
    [{ price: '19.99', quantity: '1' }, 'PERCENT_PRICE'],
    [{ price: '99', quantity: '0.0015' }, 'LOT_SIZE'],
    [{ type: 'MARKET', quantity: '100.001' }, 'LOT_SIZE'],
    [{ price: '99', quantity: '0.05' }, 'NOTIONAL'],
    [{ type: 'MARKET', quantity: '0.04' }, 'NOTIONAL'],
    [{ price: '99', quantity: '10', icebergQty: '0.099' }, 'MAX_ORDERS'],
    [{ price: '110', quantity: '1000' }, 'BALANCE'],
    [{ side: 'SELL', price: '101', quantity: '1' }, 'BALANCE'],
    [{ type: 'LIMIT_MAKER', price: '100', quantity: '1' }, 'POST_ONLY'],
    [{ type: 'STOP_LIMIT', stopPrice: '100', price: '100', quantity: '1' }, 'STOP_PASSED'],
  ])('%o: %s', (order, reason) => {
    expect(reasonOf(spot().submit(order))).toBe(reason);
  });

  it('a second order with the same id, and one more than may be open', () => {
    const bench = spot();
    bench.buy('50', '0.1', { clientId: 'a' });
    expect(reasonOf(bench.submit({ clientId: 'a', price: '50', quantity: '1' }))).toBe('DUPLICATE_ID');
    for (let n = 1; n < 200; n++) bench.buy('50', '0.1');
    expect(reasonOf(bench.submit({ price: '50', quantity: '1' }))).toBe('MAX_ORDERS');
  });
});

describe('futures', () => {
  it.each<Case>([
    [{ symbol: 'XXXUSDT', price: '49000', quantity: '1' }, 'SYMBOL_UNKNOWN'],
    [{ symbol: 'ETHUSDT', type: 'MARKET', quantity: '1' }, 'NO_PRICE'],
    [{ price: '49000', quantity: '1', icebergQty: '0.1' }, 'UNSUPPORTED'],
    [{ type: 'STOP_MARKET', quantity: '1' }, 'UNSUPPORTED'],
    [{ type: 'STOP_MARKET', quantity: '1', trailingDelta: 5 }, 'UNSUPPORTED'],
    [{ price: '49000.001', quantity: '1' }, 'PRICE_FILTER'],
    [{ price: '52500.01', quantity: '1' }, 'PERCENT_PRICE'],
    [{ side: 'SELL', price: '47499.99', quantity: '1' }, 'PERCENT_PRICE'],
    [{ price: '49000', quantity: '0.0005' }, 'LOT_SIZE'],
    [{ type: 'MARKET', quoteOrderQty: '1' }, 'LOT_SIZE'],
    [{ price: '49000', quantity: '0.002' }, 'NOTIONAL'],
    [{ price: '49000', quantity: '1', positionSide: 'LONG' }, 'POSITION_SIDE'],
    [{ type: 'LIMIT_MAKER', price: '50000', quantity: '1' }, 'POST_ONLY'],
    [{ type: 'STOP_MARKET', stopPrice: '50000', quantity: '1' }, 'STOP_PASSED'],
    [{ type: 'MARKET', quantity: '1', reduceOnly: true }, 'REDUCE_ONLY'],
    [{ type: 'MARKET', closePosition: true }, 'REDUCE_ONLY'],
    [{ type: 'MARKET', quantity: '41' }, 'BALANCE'],
  ])('%o: %s', (order, reason) => {
    expect(reasonOf(futures().submit(order))).toBe(reason);
  });

  it('a second order with the same id, one more than may be open, and a position too large', () => {
    const bench = new FuturesBench({ startBalances: { USDT: '10000000' } });
    bench.tick('50000');
    bench.place({ clientId: 'a', price: '49000', quantity: '1' });
    expect(reasonOf(bench.submit({ clientId: 'a', price: '49000', quantity: '1' }))).toBe('DUPLICATE_ID');
    bench.mustSet((core) => core.setLeverage('BTCUSDT', 75));
    expect(reasonOf(bench.submit({ type: 'MARKET', quantity: '60' }))).toBe('POSITION_LIMIT');
    for (let n = 1; n < 200; n++) bench.place({ price: '49000', quantity: '0.003' });
    expect(reasonOf(bench.submit({ price: '49000', quantity: '0.003' }))).toBe('MAX_ORDERS');
  });

  it('an order that is refused when its stop is reached says why as well, also after a restart', () => {
    const bench = futures();
    const id = bench.place({ type: 'STOP_MARKET', stopPrice: '51000', quantity: '41' });
    bench.tick('51000');
    expect(bench.state(id)).toMatchObject({ status: 'REJECTED', reason: 'BALANCE' });
    const found = bench.reloaded().query({ clientId: id, symbol: 'BTCUSDT' });
    expect(found).toMatchObject({ state: { status: 'REJECTED', reason: 'BALANCE' } });
  });
});

it('a request that comes too late, and one that a fault switch refuses', async () => {
  for (const [fault, reason] of [
    ['delay', 'CLOCK'],
    ['reject', 'OVERLOADED'],
  ] as const) {
    const { venue, clock } = await openVenue();
    venue.faults.next(fault, { ms: 5_001 });
    const answer = venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.advance(6_000);
    expect(reasonOf(await answer)).toBe(reason);
  }
});

it('codes that are not listed are OTHER, which neither ends a run nor passes by itself', () => {
  expect(rejectCodeOf('-9999', 'Filter failure: LOT_SIZE')).toBe('OTHER');
  expect(rejectCodeOf('-1013', 'reworded')).toBe('OTHER');
  expect([rejectKind('OTHER'), rejectKind(undefined)]).toEqual(['order', 'order']);
  expect(REJECT_CODES.filter((code) => rejectKind(code) === 'final')).toEqual([
    'SYMBOL_HALTED',
    'SYMBOL_UNKNOWN',
    'BAD_CREDENTIALS',
    'ACCOUNT_RESTRICTED',
  ]);
});

it('none of its codes is left out above', () => {
  // Codes of settings are not refusals of orders.
  const folder = join(import.meta.dirname, '../../src/venues/paper');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/settings|dust|reject-codes|paper-venue/.test(name),
  );
  const used = sources.flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/'-\d{4}'/g) ?? []);
  const missed = [...new Set(used)].map((code) => code.slice(1, -1)).filter((code) => !met.has(code));
  expect(missed).toEqual([]);
});
