/** Fast entry at a terminal: the keys that open a ticket, how its input is read, and orders in one line. */
import { describe, expect, it } from 'vitest';
import { type Outcome, refuse } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';

/** BTCUSDT is under the cursor of the watchlist. */
function newDesk(): FakeDesk {
  const state = deskState();
  const of = (first: boolean) => state.instruments.filter(({ symbol }) => (symbol === 'BTCUSDT') === first);
  return new FakeDesk({ ...state, instruments: [...of(true), ...of(false)] });
}

const open = rigPerTest(newDesk);

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const CLEAR = '\x15';

const sent = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'orders.place').map(({ params }) => params as CreateOrder);

/** The present draft. */
function draftOf(screen: Rig) {
  const ticket = screen.session.ui.getState().dialogs.find((dialog) => dialog.kind === 'ticket');
  if (ticket?.kind !== 'ticket') throw new Error('no ticket is open');
  return ticket.draft;
}

describe('a ticket', () => {
  it('of a LIMIT BUY of 25 % at -1 % takes eight keys and the digits', async () => {
    const desk = newDesk();
    const screen = await open(desk);
    await screen.press('b', '2', '5');
    await screen.shows('BUY BTCUSDT');
    // The desk answers the available balance.
    await screen.shows('available 100,000 USDT');
    await screen.press('%');
    await screen.shows('25% of 100,000 USDT');
    await screen.press('\t', '-', '1', '%');
    await screen.shows('= 60,621.75');
    await screen.press(CTRL_R);
    await screen.shows('y place this order');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.shows('BUY 0.41239');
    expect(sent(desk)).toEqual([
      {
        exchange: 'paper-spot',
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '0.41239',
        price: '60621.75',
      },
    ]);
  });

  it('begins with its side where b and s, or B and S, are its keys', async () => {
    const screen = await open();
    for (const [place, buy, sell] of [
      ['1', 'b', 's'],
      ['2', 'B', 'S'],
      ['4', 'B', 'S'],
      ['5', 'B', 'S'],
      // On the market screen of the symbol under the watchlist's cursor.
      ['1C', 'b', 's'],
    ] as const) {
      await screen.press(...place, buy);
      expect(draftOf(screen).side).toBe('BUY');
      await screen.press(ESC, sell);
      expect(draftOf(screen).side).toBe('SELL');
      await screen.press(ESC);
    }
  });

  it('begins on Positions with an account of contracts, elsewhere with that of the last order', async () => {
    const screen = await open(new FakeDesk(deskState({ orders: {} })));
    const begun = async (place: string) => {
      await screen.press(place, 'B');
      const { exchange } = draftOf(screen);
      await screen.press(ESC);
      return exchange;
    };
    expect([await begun('2'), await begun('5')]).toEqual(['paper-spot', 'paper-futures']);
    const placedOn = (account: string) =>
      screen.session.ui.setState(({ orders }) => ({ orders: { ...orders, account } }));
    placedOn('paper-futures');
    expect([await begun('2'), await begun('5')]).toEqual(['paper-futures', 'paper-futures']);
    placedOn('paper-spot');
    expect([await begun('2'), await begun('5')]).toEqual(['paper-spot', 'paper-futures']);
    placedOn('gone');
    expect(await begun('2')).toBe('paper-spot');
  });

  it('a letter in the empty size chooses the type, a bare % goes through the quarters', async () => {
    const screen = await open();
    await screen.press('b', 'm');
    expect(draftOf(screen)).toMatchObject({ type: 'MARKET', quantity: '' });
    for (const share of ['25%', '50%', '75%', '100%', '25%']) {
      await screen.press('%');
      expect(draftOf(screen).quantity).toBe(share);
    }
    await screen.press(CLEAR, '3', '3', '%');
    expect(draftOf(screen)).toMatchObject({ type: 'MARKET', quantity: '33%' });
  });

  it('arrows step a price by a tick, from the last one where it is empty, and leave other fields by the row', async () => {
    const screen = await open();
    await screen.press('b', '\t', UP);
    expect(draftOf(screen).price).toBe('61234.11');
    await screen.press(DOWN, DOWN);
    expect(draftOf(screen).price).toBe('61234.09');
    await screen.press('\x1b[Z', DOWN);
    await screen.shows('▸ price');
  });

  it('is back as it was left by esc, for the same symbol and side, until it is placed', async () => {
    const desk = newDesk();
    const screen = await open(desk);
    await screen.press('b', '0', '.', '1', ESC, 's');
    expect(draftOf(screen).quantity).toBe('');
    await screen.press(ESC, 'b');
    await screen.shows('the draft that was left is back');
    expect(draftOf(screen).quantity).toBe('0.1');
    await screen.press('\t', '6', '0', '0', '0', '0', CTRL_R);
    await screen.shows('y place this order');
    await screen.press('y');
    await screen.until(() => sent(desk).length === 1);
    await screen.press('b');
    expect(draftOf(screen).quantity).toBe('');
  });

  it('does not come back while its order is under way, and does when that was refused', async () => {
    let answer: (outcome: Outcome<OrderView>) => void = () => {};
    const desk = newDesk();
    desk.answers['orders.place'] = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const screen = await open(desk);
    await screen.press('b', '0', '.', '1', '\t', '5', CTRL_R);
    await screen.shows('y place this order');
    await screen.press('y', ESC, ESC, 'b');
    expect(draftOf(screen).quantity).toBe('');
    await screen.press(ESC);
    answer(refuse('INVALID_REQUEST', 'not today'));
    await screen.shows('refused: not today');
    await screen.press('b');
    expect(draftOf(screen).quantity).toBe('0.1');
  });

  it('of the last order placed comes once more with R', async () => {
    const screen = await open();
    await screen.press('2', 'R');
    await screen.shows('no order was placed from here yet');
    await screen.press('1', 'b', '0', '.', '2', '\t', '5', CTRL_R);
    await screen.shows('y place this order');
    await screen.press('y', '2', 'R');
    expect(draftOf(screen)).toMatchObject({ quantity: '0.2', price: '5', side: 'BUY' });
  });

  it('1r risks the percent that is set, down to the stop', async () => {
    const portfolio = { balances: [], total: { usd: '20000', btc: '0.3' } };
    const desk = newDesk();
    desk.state = { ...desk.state, portfolios: { 'paper-spot': portfolio as never } };
    const screen = await open(desk, { riskPercent: 0.5 });
    await screen.press(':', 'buy 1r btc 60000 tp 66000 stop 58000', ENTER);
    // 100 of 20,000, and 2,000 to the stop.
    await screen.shows('= 0.05 BTC, 100.00 USDT risked');
  });

  it('what is no price of an exit is said beside it', async () => {
    const screen = await open();
    await screen.press('b', 'm', '1', '\t', 'x');
    await screen.shows('"x" is no price');
  });
});

describe('an order in one line', () => {
  it('opens its filled ticket and places nothing', async () => {
    const desk = newDesk();
    const screen = await open(desk);
    await screen.press(':', 'buy 0.1 btc -1% futures');
    await screen.shows('BUY 0.1 BTCUSDT LIMIT -1% on paper-futures');
    await screen.press(ENTER);
    expect(draftOf(screen)).toMatchObject({
      exchange: 'paper-futures',
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.1',
      price: '-1%',
    });
    expect(desk.acting).toEqual([]);
  });

  it('with its exits fills those', async () => {
    const screen = await open();
    await screen.press(':', 'sell 1r eth market tp -3% stop +1%', ENTER);
    expect(draftOf(screen)).toMatchObject({
      type: 'MARKET',
      quantity: '1r',
      takeProfit: '-3%',
      stopLoss: '+1%',
    });
  });

  it('that is not whole stays in the palette and says what is missing', async () => {
    const screen = await open();
    await screen.press(':', 'buy 1 nothing', ENTER);
    await screen.shows('"nothing" is not traded on paper-spot');
    expect(screen.session.ui.getState().dialogs.map(({ kind }) => kind)).toEqual(['palette']);
  });

  it('without a size behind the side is looked for like any other word', async () => {
    const screen = await open();
    await screen.press(':', 'buy xrp');
    await screen.shows('BUY 8000 XRPUSDT LIMIT 0.5990');
  });
});
