/**
 * What an exchange supports by itself decides where an order waits; this is decided once, when the order is
 * made.
 */
import { describe, expect, it } from 'vitest';
import type { FormRow } from '../../src/domain/order-form.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { NATIVE, START } from './support/market.ts';

const STOP = { type: 'STOP_LIMIT', side: 'SELL', quantity: '1', stopPrice: '55000', price: '54900' } as const;
const DAY_MS = 86_400_000;

const row = (asked: FormRow['asked'], form: FormRow['form'], more: Partial<FormRow> = {}): FormRow => ({
  asked,
  form,
  source: 'test',
  ...more,
});
const sent = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'submit' ? [effect.order] : []));
/** The capabilities of an exchange with these types and, before those, these rows. */
const saying = (...rows: FormRow[]) => ({ forms: [...rows, ...formsOf({ native: NATIVE })] });

describe('what nobody does', () => {
  it.each<[string, Partial<CreateOrder>, FormRow, string, string]>([
    [
      'a type that cannot be held',
      { type: 'LIMIT_MAKER', price: '50000', quantity: '1' },
      row('type', 'refused', { types: ['LIMIT_MAKER'], cure: 'use LIMIT' }),
      'paper-spot has no LIMIT_MAKER orders; use LIMIT',
      'FIELD',
    ],
    [
      'an iceberg',
      { price: '50000', quantity: '1', icebergQty: '0.5' },
      row('iceberg', 'refused', { cure: 'use split' }),
      'paper-spot has no iceberg orders; use split',
      'ICEBERG',
    ],
    [
      'an amount',
      { type: 'MARKET', quoteOrderQty: '500' },
      row('quote amount', 'refused', { cure: 'give quantity' }),
      'paper-spot has no orders over an amount; give quantity',
      'FIELD',
    ],
    [
      'an end date, where no cure is told',
      { price: '50000', quantity: '1', timeInForce: 'GTD', goodTillDate: START + DAY_MS },
      row('end date', 'refused'),
      'paper-spot has no end dates; leave goodTillDate out',
      'FIELD',
    ],
    [
      'a trailing stop',
      { type: 'STOP_MARKET', side: 'SELL', quantity: '1', trailingDelta: 100 },
      row('trailing', 'refused', { cure: 'use STOP_MARKET' }),
      'paper-spot has no trailing orders; use STOP_MARKET',
      'FIELD',
    ],
  ])('is refused before anything is stored: %s', (_, request, refused, message, reason) => {
    const bench = new Bench({ caps: saying(refused) });
    const reply = bench.place(request).reply();
    expect([reply.status, reply.message, reply.reason]).toEqual([400, message, reason]);
    expect(sent(bench.effects)).toEqual([]);
    expect(bench.store.orders.size).toBe(0);
  });
});

describe('a bound of what an exchange does', () => {
  const two = () =>
    new Bench({
      caps: saying(row('type', 'native', { types: ['STOP_LIMIT'], bounds: { waitingOnSymbol: 2 } })),
    });
  const stops = (forms: readonly FormRow[]) => forms.filter(({ types }) => !types?.includes('STOP_LIMIT'));

  /** An exchange that accepts two stops per symbol; further ones are held here. */
  function full() {
    const bench = new Bench({
      caps: {
        forms: [
          row('type', 'native', { types: ['STOP_LIMIT'], bounds: { waitingOnSymbol: 2 } }),
          row('type', 'held', { types: ['STOP_LIMIT'] }),
          ...stops(formsOf({ native: NATIVE })),
          row('type', 'native', { types: ['LIMIT', 'MARKET'] }),
        ],
      },
    });
    const waiting = [bench.place(STOP).order, bench.place(STOP).order];
    for (const order of waiting) bench.accepted(order, { status: 'PENDING' });
    return { bench, waiting };
  }

  it('that is reached has the next order held here, which is sent as what it turns into', () => {
    const { bench } = full();
    const third = bench.place(STOP);
    expect(sent(bench.effects)).toEqual([]);
    expect(third.reply().order).toMatchObject({ status: 'NEW', specific: { emulated: true } });
    expect(third.order).toMatchObject({ phase: 'held', firedHere: true });
    bench.tick('55000');
    expect(sent(bench.effects)).toMatchObject([{ clientId: third.order.id, type: 'LIMIT', price: '54900' }]);
  });

  it('counts what is on its way, and neither what was triggered nor what is held here nor other symbols', () => {
    const { bench, waiting } = full();
    bench.place(STOP);
    const other = { ...STOP, symbol: 'ETHUSDT', side: 'BUY', price: '5', stopPrice: '4' } as const;
    bench.event({ type: 'price', market: 'paper', symbol: 'ETHUSDT', price: '3' });
    expect(bench.place({ ...other, quantity: '100' }).order.firedHere).toBeUndefined();
    // Triggered there: one more may rest there again.
    bench.stream(bench.state(waiting[0] as (typeof waiting)[0], { status: 'WORKING' }));
    expect(bench.place(STOP).order.firedHere).toBeUndefined();
    expect(bench.place(STOP).order.firedHere).toBe(true);
  });

  it('is judged once: what is held stays held when there is room at the exchange, over a restart too', () => {
    const { bench, waiting } = full();
    const third = bench.place(STOP).order;
    for (const order of waiting) bench.stream(bench.state(order, { status: 'CANCELLED' }));
    bench.restart();
    expect(bench.order(third.id)).toMatchObject({ phase: 'held', firedHere: true });
    bench.tick('55000');
    expect(sent(bench.effects)).toMatchObject([{ clientId: third.id, type: 'LIMIT' }]);
  });

  it('that is not reached lets it wait there', () => {
    const bench = two();
    bench.place(STOP);
    expect(sent(bench.effects)).toMatchObject([{ type: 'STOP_LIMIT', stopPrice: '55000' }]);
  });
});

describe('an end date', () => {
  const dated = (caps: { forms: readonly FormRow[] }) => {
    const bench = new Bench({ caps });
    const { order } = bench.place({
      price: '50000',
      quantity: '1',
      timeInForce: 'GTD',
      goodTillDate: START + DAY_MS,
    });
    return { order, sent: sent(bench.effects)[0] };
  };

  it('goes with the order where the exchange keeps it', () => {
    const { order, sent } = dated({ forms: formsOf({ native: NATIVE, endDate: true }) });
    expect([sent?.timeInForce, sent?.goodTillDate, order.emulated]).toEqual(['GTC', START + DAY_MS, false]);
  });

  it('is not asked for by what takes at once', () => {
    const bench = new Bench({ caps: saying(row('end date', 'refused')) });
    const { order } = bench.place({
      type: 'MARKET',
      quantity: '1',
      timeInForce: 'GTD',
      goodTillDate: START + DAY_MS,
    });
    expect([order.timeInForce, order.emulated]).toEqual(['GTC', false]);
  });

  it('stays here where the exchange does not', () => {
    const { order, sent } = dated({ forms: formsOf({ native: NATIVE }) });
    expect([sent?.timeInForce, sent?.goodTillDate, order.emulated]).toEqual(['GTC', undefined, true]);
  });
});
