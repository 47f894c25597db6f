/**
 * Changing an order: the fields of its form, which of them are asked of the desk, and that nothing is sent
 * except by the question's `y`.
 */
import { describe, expect, it } from 'vitest';
import {
  amendFields,
  amendForm,
  amendmentOf,
  notAmendable,
} from '../../../src/console/orders/amend/amend-form.ts';
import { confirmAmend } from '../../../src/console/orders/amend/confirm-amend.ts';
import { refuse } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

/** A desk with one resting BUY of 0.5 at 60,500.00; the last price is 61,234.10. */
const one = (change: Partial<OrderView> = {}, answers = {}) =>
  new FakeDesk(deskState({ orders: { 'oc-1': order('oc-1', change) } }), answers);
const sent = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'orders.amend').map(({ params }) => params);

describe('the form', () => {
  const stop = order('s', { type: 'STOP_MARKET', price: undefined, stopPrice: '50000', closePosition: true });
  const till = order('t', { timeInForce: 'GTD', goodTillDate: NOON + 3_600_000 });

  it('has what of the order can be another, the price first', () => {
    expect([order('a'), stop, till].map((one) => amendFields(one).join(' '))).toEqual([
      'price quantity',
      'stopPrice',
      'price quantity goodTillDate',
    ]);
  });

  it.each<[Partial<OrderView>, string | null]>([
    [{}, null],
    [{ status: 'CANCELLED' }, 'BTCUSDT CANCELLED: nothing to change'],
    [{ unresolved: { settlesAt: NOON, nextAskAt: NOON } as OrderView['unresolved'] }, 'unknown'],
    [{ cancelPending: true }, 'it is being cancelled'],
    [{ amendPending: true } as Partial<OrderView>, 'being changed already'],
    [{ type: 'MARKET', price: undefined, closePosition: true }, 'nothing of a MARKET order'],
  ])('is not opened for %j', (change, words) => {
    const problem = notAmendable(order('a', change));
    if (words === null) expect(problem).toBeNull();
    else expect(problem).toContain(words);
  });

  it('asks for what is another only, as it comes to', () => {
    const state = deskState();
    const changed = (values: Partial<ReturnType<typeof amendForm>['values']>, of = order('a')) => {
      const form = amendForm(of);
      return amendmentOf(state, { order: of, values: { ...form.values, ...values } });
    };
    expect(changed({})).toEqual({ change: {}, problem: null });
    expect(changed({ price: '60,000' }).change).toEqual({ price: '60000' });
    // 1 % under 61,234.10, on the tick and not above it.
    expect(changed({ price: '-1%' }).change).toEqual({ price: '60621.75' });
    expect(changed({ quantity: '50%' }).change).toEqual({ quantity: '0.25' });
    expect(changed({ goodTillDate: '+2h' }, till).change).toEqual({ goodTillDate: NOON + 7_200_000 });
    expect(changed({ price: 'x' }).problem).toContain('price: "x" is no price');
    expect(changed({ goodTillDate: 'later' }, till).problem).toContain('good till');
  });
});

describe('the question', () => {
  const figures = { problems: [], remaining: '0.5', notional: '30000' };

  it('says what it was and is to be, and how that comes about', () => {
    const place = confirmAmend(deskState(), order('a'), { price: '60000' }, figures);
    expect(place.rows).toContainEqual({ name: 'price', value: '60,500.00 → 60,000.00', tone: 'warn' });
    expect([place.keep, place.next]).toEqual(['Keep it', expect.stringContaining('changed in its place')]);
    const anew = confirmAmend(deskState(), order('a'), { price: '60000' }, { ...figures, anew: true });
    expect(anew.next).toContain('it is cancelled, and what is left is placed anew');
  });
});

describe('at a terminal', () => {
  it('a price is changed in four keys and its digits', async () => {
    const desk = one();
    const screen = await open(desk);
    await screen.press('2', 'm');
    await screen.shows('Change order');
    for (const digit of '60000') await screen.press(digit);
    await screen.press(CTRL_R);
    await screen.shows('60,500.00 → 60,000.00');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.shows('BTCUSDT changed · oc-1');
    expect(sent(desk)).toEqual([{ exchange: 'paper-spot', id: 'oc-1', price: '60000' }]);
  });

  it('plus and minus step by a tick, and what is meant stands beside what is typed', async () => {
    const screen = await open(one());
    await screen.press('2', 'm', '+');
    await screen.shows('60500.01');
    await screen.press('-', '-');
    await screen.shows('60499.99');
    await screen.press('\x15', 'm', 'a', 'r', 'k');
    await screen.shows('no mark price is known');
    await screen.press('\x15', '-', '1', '%');
    await screen.shows('= 60,621.75');
  });

  it('enter leads to the question and never through it; esc keeps the order', async () => {
    const desk = one();
    const screen = await open(desk);
    await screen.press('2', 'm', '6', ENTER, ENTER, ENTER);
    await screen.shows('y change the order');
    await screen.press(ENTER);
    await screen.until(() => !screen.screenText().includes('y change the order'));
    await screen.press(ESC);
    expect(desk.acting).toEqual([]);
  });

  it('nothing is asked while nothing is another, nor what the desk has something against', async () => {
    const desk = one(
      {},
      {
        'orders.amendCheck': () => ({
          problems: [{ field: 'price', message: 'must be a multiple of 0.01' }],
          remaining: '0.5',
          notional: null,
        }),
      },
    );
    const screen = await open(desk);
    await screen.press('2', 'm', CTRL_R);
    await screen.shows('nothing is to be another yet');
    await screen.press('6', CTRL_R);
    await screen.shows('price: must be a multiple of 0.01');
    expect(screen.screenText()).not.toContain('y change the order');
    expect(desk.acting).toEqual([]);
  });

  it('a refusal stands in the form that asked for it', async () => {
    const desk = one({}, { 'orders.amend': () => refuse('CONFLICT', 'it is being changed already') });
    const screen = await open(desk);
    await screen.press('2', 'm', '6', CTRL_R);
    await screen.shows('y change the order');
    await screen.press('y');
    await screen.shows('refused: it is being changed already');
    expect(screen.screenText()).toContain('Change order');
  });
});
