/**
 * One request for all orders of a symbol over a desk's line: how many leave, within what time, and what its
 * response means for each order.
 */
import { describe, expect, it } from 'vitest';
import type {
  CancelAllOutcome,
  CancelOutcome,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { Deadline } from '../../../src/venues/venue.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { LinkRig } from './link-rig.ts';

const ORDERS = 100;

interface Line {
  readonly rig: LinkRig;
  readonly asked: { readonly symbol: string; readonly notAfter: number | undefined }[];
  readonly cancel: () => void;
}

/** A line to an exchange with this request, or without it (null). */
async function line(
  answer: ((states: readonly ExchangeOrderState[]) => Promise<CancelAllOutcome>) | null,
  orders = ORDERS,
): Promise<Line> {
  const rig = new LinkRig('spot', 1, undefined, { sendWithinMs: 2_000 });
  const asked: Line['asked'] = [];
  const ended = (order: { clientId: string }): ExchangeOrderState => ({
    clientId: order.clientId,
    symbol: 'BTCUSDT',
    status: 'CANCELLED',
    origQty: '0.01',
    cumQty: '0',
    seq: 9,
    time: 0,
  });
  const taken: ExchangeOrder[] = [];
  const { submitted } = rig.venue;
  rig.venue.submitted = (order) => {
    taken.push(order);
    return submitted(order);
  };
  if (answer)
    Object.assign(rig.venue, {
      cancelAll: (symbol: string, deadline?: Deadline) => {
        rig.venue.calls.push('cancelAll');
        asked.push({ symbol, notAfter: deadline?.notAfter });
        return answer(taken.map(ended));
      },
    });
  const single = async (ref: { clientId: string }): Promise<CancelOutcome> => {
    rig.venue.calls.push('cancel');
    return { kind: 'done', state: ended(ref) };
  };
  Object.assign(rig.venue, { cancel: single });
  await rig.until(rig.core.start());
  for (let n = 0; n < orders; n++) await rig.until(rig.place({ price: String(50_000 - n) }));
  rig.venue.calls = [];
  return {
    rig,
    asked,
    cancel: () => {
      const [first = '', ...rest] = rig.orders.map(({ id }) => id);
      const exchange = rig.venue.account.id;
      const context = { requestId: 'r' };
      void rig.core.execute(
        OPERATOR,
        { type: 'cancel', exchange, id: first, with: rest, keep: true },
        context,
      );
    },
  };
}

const statuses = ({ rig }: Line) => [...new Set(rig.orders.map(({ status }) => status))];

describe('all orders of a symbol', () => {
  it(`are cancelled with one request, ${ORDERS} of them, which leaves within its time`, async () => {
    const x = await line(async (states) => ({ kind: 'done', states }));
    const { clock } = x.rig;
    x.cancel();
    await clock.settle();
    expect(x.rig.venue.calls).toEqual(['cancelAll']);
    expect(x.asked).toEqual([{ symbol: 'BTCUSDT', notAfter: clock.monotonic() + 2_000 }]);
    expect(statuses(x)).toEqual(['CANCELLED']);
  });

  it('are cancelled one by one where the exchange has no such request', async () => {
    const x = await line(null, 3);
    x.cancel();
    await x.rig.clock.settle();
    expect(x.rig.venue.calls).toEqual(['cancel', 'cancel', 'cancel']);
    expect(statuses(x)).toEqual(['CANCELLED']);
  });

  it.each([
    ['names none', async () => ({ kind: 'done', states: [] }) as const],
    ['names them by other ids', async () => ({ kind: 'done', states: [{ clientId: '' }] }) as never],
    ['does not come', () => new Promise<never>(() => {})],
    ['is unknown', async () => ({ kind: 'unknown', cause: 'reset' }) as const],
    ['is of no known kind', async () => 'fine' as never],
    ['is a failure of the adapter', () => Promise.reject(new Error('broken'))],
  ])('are asked for when the answer %s, and none counts as cancelled before', async (_, answer) => {
    const x = await line(answer, 3);
    x.cancel();
    await x.rig.clock.advance(10_500);
    expect(statuses(x)).not.toContain('CANCELLED');
    expect(x.rig.venue.calls.filter((call) => call === 'query').length).toBeGreaterThanOrEqual(3);
  });

  it('are asked for again one by one when the exchange refuses', async () => {
    const x = await line(async () => ({ kind: 'rejected', reason: 'OTHER', code: '-1', message: 'no' }), 3);
    x.cancel();
    await x.rig.clock.advance(1_500);
    expect(x.rig.venue.calls).toEqual(['cancelAll', 'cancel', 'cancel', 'cancel']);
    expect(statuses(x)).toEqual(['CANCELLED']);
  });
});

// A state belongs to the order that it names: by our id, or by one of the exchange's.
it('each order has the outcome of its own state, and those that none names are unknown', async () => {
  const exchange = 'said-spot';
  const symbol = 'BTCUSDT';
  const state = (clientId: string, cumQty: string, more: Partial<ExchangeOrderState> = {}) =>
    ({ clientId, symbol, status: 'CANCELLED', origQty: '1', cumQty, seq: 9, time: 4, ...more }) as const;
  const states = [
    state('', '0.1', { venueIds: ['9'] }),
    state('c', '0.2', { symbol: 'S1USDT' }),
    state('', '0.3', { venueIds: ['7', '3'] }),
    state('renamed', '0.4', { venueIds: ['1'] }),
    state('d', '0.5'),
    state('e', '0.6', { origQty: 'many' }),
  ];
  const { rig } = await line(async () => ({ kind: 'done', states }), 0);
  const told: [string, CancelOutcome][] = [];
  const { turn } = rig.core;
  const step = turn.step.bind(turn);
  turn.step = (event) => {
    if (event.type === 'cancelled') told.push([event.orderId, event.outcome]);
    else step(event);
  };
  rig.link.requests.cancelAll(symbol, [
    { exchange, orderId: 'a', clientId: 'a', symbol, venueIds: ['1'] },
    { exchange, orderId: 'b', clientId: '', symbol, venueIds: ['2', '3'] },
    { exchange, orderId: 'c', clientId: 'c', symbol, venueIds: ['4'] },
    { exchange, orderId: 'd', clientId: 'd', symbol },
    { exchange, orderId: 'e', clientId: 'e', symbol },
    { exchange, orderId: 'f', clientId: '', symbol },
  ]);
  await rig.clock.settle();
  const filled = told.map(([id, outcome]) => [
    id,
    outcome.kind === 'done' ? outcome.state?.cumQty : outcome.kind,
  ]);
  expect(filled).toEqual([
    ['a', '0.4'],
    ['b', '0.3'],
    ['c', 'unknown'],
    ['d', '0.5'],
    ['e', 'unknown'],
    ['f', 'unknown'],
  ]);
});
