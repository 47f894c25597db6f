/** A spot order that is gone: how it has ended counts only where it has, and a list that lags says nothing. */
import { expect, it } from 'vitest';
import type { ExchangeOrderState, QueryOutcome } from '../../../src/domain/exchange.ts';
import { SpotOrders } from '../../../src/venues/binance/spot/account-orders.ts';
import type { Caller, CallResult } from '../../../src/venues/kit/caller.ts';
import type { Complaints } from '../../../src/venues/kit/complaints.ts';
import type { Dispatch } from '../../../src/venues/venue.ts';

const REF = { clientId: 'a', symbol: 'BTCUSDT' };
const DISPATCH: Dispatch = {
  ...{ lane: 'exit', notAfter: Number.POSITIVE_INFINITY, waitUntil: Number.POSITIVE_INFINITY },
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
};

it.each<[string, Partial<ExchangeOrderState> | null, object | null]>([
  ['is filled', { status: 'FILLED' }, { status: 'FILLED' }],
  ['is cancelled', { status: 'CANCELLED' }, { status: 'CANCELLED' }],
  ['is still told as open', { status: 'WORKING' }, null],
  ['is still told as waiting', { status: 'PENDING' }, null],
  ['cannot be asked about', null, null],
])('a cancel or a change of one that %s then gives that', async (_, more, state) => {
  const told = { ...REF, origQty: '1', cumQty: '0', seq: 1, time: 1, ...more } as ExchangeOrderState;
  const found: QueryOutcome = more
    ? { kind: 'found', state: told, fills: [] }
    : { kind: 'unknown', cause: 'busy' };
  const body = { code: -2011, msg: 'Unknown order sent.' };
  const gone: CallResult = { kind: 'answer', status: 400, text: JSON.stringify(body) };
  const send = async (
    _form: object,
    _parameters: object,
    _dispatch: Dispatch,
    read: (called: CallResult) => unknown,
  ) => read(gone);
  const orders = new SpotOrders({
    caller: { cancel: send, amend: send } as unknown as Caller,
    complaints: { say: () => {} } as unknown as Complaints,
    offset: { now: () => 1 },
    orderOf: async () => found,
  });
  for (const outcome of [
    await orders.cancel(REF, DISPATCH),
    await orders.amend(REF, { quantity: '1' }, DISPATCH),
  ]) {
    expect(outcome).toMatchObject({ kind: 'gone' });
    const { state: end } = outcome as { readonly state: ExchangeOrderState | null };
    if (state === null) expect(end).toBeNull();
    else expect(end).toMatchObject(state);
  }
});
