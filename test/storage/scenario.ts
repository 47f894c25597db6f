/**
 * A day at the desk, which covers everything that writes, reads and sends: orders of all kinds, fills, a
 * split, cancels, keys, a restart, an old order. Every request that was not carried out or got lost is
 * repeated once, under its key.
 */
import type { OrderCommand } from '../../src/engine/step.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { EXCHANGE, type Rig, SYMBOL } from './rig.ts';

type Placed = { readonly id: string } | null;

export async function dayAtTheDesk(rig: Rig): Promise<void> {
  const order = (request: Omit<CreateOrder, 'exchange' | 'symbol'>): OrderCommand => ({
    type: 'place',
    request: { exchange: EXCHANGE, symbol: SYMBOL, ...request },
  });
  const target = (placed: Placed) => ({ exchange: EXCHANGE, id: placed?.id ?? 'none' });
  const cancel = (placed: Placed): OrderCommand => ({ type: 'cancel', ...target(placed) });
  const send = async (name: string, command: OrderCommand): Promise<Placed> =>
    (await together(rig, { [name]: command }))[0] ?? null;

  await rig.up();
  await rig.tick('100');
  await rig.ask('a key', ({ console }) =>
    console('keys.register', { label: 'a', tier: 'trade', publicKey: rig.keyText }),
  );
  const old = await send('market', order({ side: 'BUY', type: 'MARKET', quantity: '2' }));
  const bid = await send('bid', order({ side: 'BUY', type: 'LIMIT', price: '90', quantity: '1' }));
  await send('stop', order({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '85', quantity: '0.2' }));
  const trailing = order({ side: 'SELL', type: 'STOP_MARKET', trailingDelta: 1_000, quantity: '0.1' });
  const trail = await send('trailing', trailing);
  const stopLimit = { type: 'STOP_LIMIT', stopPrice: '86', price: '80', quantity: '0.1' } as const;
  await together(rig, {
    'stop limit': order({ side: 'SELL', ...stopLimit }),
    near: order({ side: 'BUY', type: 'LIMIT', price: '98', quantity: '0.3' }),
    refused: order({ side: 'BUY', type: 'LIMIT', price: '98', quantity: '0.0000001' }),
  });
  await rig.tick('97');
  const ask = await send('ask', order({ side: 'SELL', type: 'LIMIT', price: '120', quantity: '0.9' }));
  await send('split', { type: 'split', ...target(ask), prices: ['110', '115', '130'] });
  await send('cancel', cancel(bid));
  await rig.ask('detail', ({ console }) => console('orders.detail', { id: old?.id ?? 'none' }));
  await rig.ask('trades', ({ api }) =>
    api.trades('owner', { exchange: EXCHANGE, symbol: SYMBOL, limit: 50 }),
  );
  await rig.ask('closed', ({ console }) => console('orders.closed', { limit: 10 }));

  rig.crash();
  await rig.up();
  await rig.tick('111');
  const [again] = await together(rig, {
    'bid again': order({ side: 'BUY', type: 'LIMIT', price: '91', quantity: '0.4' }),
    'market again': order({ side: 'SELL', type: 'MARKET', quantity: '0.05' }),
  });
  await send('cancel of the trailing stop', cancel(trail));
  const crossing = rig.begin('a cancel that crosses a fill', cancel(again ?? null));
  await rig.tick('84');
  await rig.answered(crossing);
  await rig.pass(65 * 60_000);
  await send('cancel of an order from long ago', cancel(old));
  await rig.ask('revoke', async ({ core, console }) => {
    const id = core.keys.list()[0]?.id;
    return id ? await console('keys.revoke', { id }) : null;
  });
}

/**
 * Sends commands in one turn, each under its own key. 503 means "not carried out", a lost connection means
 * nothing: both are repeated with the same key.
 */
async function together(rig: Rig, commands: Readonly<Record<string, OrderCommand>>): Promise<Placed[]> {
  const begun = Object.entries(commands).map(([name, command]) => ({
    name,
    command,
    told: rig.begin(name, command, `key of ${name}`),
  }));
  const placed: Placed[] = [];
  for (const { name, command, told } of begun) {
    let answer = await rig.answered(told);
    for (
      let again = 0;
      again < 5 && (answer === null || answer.status >= 500 || answer.status === 409);
      again++
    ) {
      await rig.pass(1_000);
      answer = await rig.answered(rig.begin(`${name}, repeated`, command, `key of ${name}`));
    }
    placed.push(answer?.status === 200 ? (JSON.parse(answer.body) as { data: Placed }).data : null);
  }
  return placed;
}
