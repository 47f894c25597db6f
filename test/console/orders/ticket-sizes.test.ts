/** Sizes that a ticket computes from what its own account holds of its own symbol. */
import { expect, it } from 'vitest';
import { emptyDraft } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { typedTicket } from '../../../src/console/orders/ticket/typed.ts';
import { account, deskState } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';

/** Two accounts of contracts; the first holds 1 BTC and 30 ETH, the second -4 BTC and 8 ETH. */
function state() {
  const usual = deskState();
  const real = account('acme-main', { kind: 'futures', market: 'acme-futures' });
  const contracts = usual.instruments.filter(({ exchange }) => exchange === 'paper-futures');
  const held = (exchange: string, btc: string, eth: string) => ({
    hedgeMode: false,
    leverage: {},
    positions: [
      position('BTCUSDT', { exchange, amount: btc, key: `${exchange} BTCUSDT` }),
      position('ETHUSDT', { exchange, amount: eth, key: `${exchange} ETHUSDT` }),
    ],
  });
  return deskState({
    accounts: [...usual.accounts, real],
    instruments: [...usual.instruments, ...contracts.map((one) => ({ ...one, exchange: 'acme-main' }))],
    futures: { 'paper-futures': held('paper-futures', '1', '30'), 'acme-main': held('acme-main', '-4', '8') },
  });
}

it.each([
  ['paper-futures', 'BTCUSDT', 'SELL', '0.5'],
  ['paper-futures', 'ETHUSDT', 'SELL', '15'],
  ['acme-main', 'BTCUSDT', 'BUY', '2'],
  ['acme-main', 'ETHUSDT', 'SELL', '4'],
])('half of what is closed on %s in %s by a %s is %s', (exchange, symbol, side, quantity) => {
  const draft = {
    ...emptyDraft(exchange, symbol),
    side,
    type: 'MARKET',
    reduceOnly: 'yes',
    quantity: '50%',
  };
  expect(typedTicket(state(), draft, null, '1').draft.quantity).toBe(quantity);
});
