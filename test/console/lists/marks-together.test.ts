/** Actions on all marked rows of Positions and Keys, and the order on a chart that is changed from there. */
import { describe, expect, it } from 'vitest';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();
const sent = (desk: FakeDesk, which: string) =>
  desk.calls.filter(({ method }) => method === which).map(({ params }) => params);

function withPositions(): FakeDesk {
  const desk = new FakeDesk(deskState({ futures: somePositions() }));
  desk.answers['orders.place'] = (wanted) => ok(order('new', { symbol: wanted.symbol, status: 'CLOSED' }));
  return desk;
}

describe('marked positions', () => {
  it('are closed whole and at market after a word, one order each', async () => {
    const desk = withPositions();
    const screen = await open(desk);
    await screen.press('5', ' ', 'j', ' ', 'x');
    await screen.shows('Close 2 positions at market');
    expect(screen.screenText()).toContain('LONG 0.5 BTCUSDT, SHORT 4 ETHUSDT');
    expect(screen.screenText()).toContain('PnL now     +537.23');
    await screen.press('\r');
    expect(desk.acting).toEqual([]);
    await screen.press(...'close 2', 'y');
    await screen.shows('Closed 2 of 2 positions');
    expect(sent(desk, 'orders.place')).toEqual([
      { exchange: 'paper-futures', symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', closePosition: true },
      { exchange: 'paper-futures', symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', closePosition: true },
    ]);
  });

  it('that have gone, turned round or are refused are said one by one, and nothing is sent for the first two', async () => {
    const desk = withPositions();
    desk.answers['orders.place'] = () => refuse('SERVICE_UNAVAILABLE', 'the line is down');
    const screen = await open(desk);
    await screen.press('5', '\x01', 'x', ...'close 3');
    const futures = desk.state.futures['paper-futures'];
    if (!futures) throw new Error('no positions');
    const [, eth] = futures.positions;
    if (!eth) throw new Error('no position of ETHUSDT');
    desk.push({
      futures: { 'paper-futures': { ...futures, positions: [position('BTCUSDT'), { ...eth, amount: '4' }] } },
    });
    await screen.settle();
    await screen.press('y');
    await screen.shows('Closed 1 of 3 positions');
    const text = screen.screenText();
    expect(text).toContain('the line is down');
    expect(text).toContain('it has turned meanwhile: nothing was done');
    expect(text).toContain('had gone');
    expect(sent(desk, 'orders.place')).toMatchObject([{ symbol: 'BTCUSDT' }]);
  });

  it('are counted, and the one under the cursor is meant again without marks', async () => {
    const screen = await open(withPositions());
    await screen.press('5', '\x01');
    await screen.shows('3 marked');
    await screen.press('u', 'x');
    await screen.shows('Close at market');
  });
});

describe('marked keys', () => {
  it('are revoked after a word, and one that is revoked takes no mark', async () => {
    const desk = new FakeDesk();
    desk.answers['keys.revoke'] = ({ id }) => {
      const key = desk.state.keys.find((one) => one.id === id);
      if (!key || key.label === 'dashboard') return refuse('NOT_FOUND', 'no such key');
      return ok({ key, closedSockets: 2 });
    };
    const screen = await open(desk);
    await screen.press('6', 'G', ' ');
    await screen.shows('there is nothing to be done to it');
    await screen.press('\x01', 'x');
    await screen.shows('Revoke 2 keys');
    expect(screen.screenText()).toMatch(/dashboard \(read\)/);
    await screen.press(...'revoke 2', 'y');
    await screen.shows('Revoked 1 of 2 keys');
    expect(screen.screenText()).toContain('no such key');
    expect(screen.screenText()).toContain('revoked; 2 sockets closed');
    expect(sent(desk, 'keys.revoke')).toHaveLength(2);
  });
});

describe('m on the market screen', () => {
  const desk = () =>
    new FakeDesk(
      deskState({
        orders: {
          near: order('near', { price: '61000.00' }),
          far: order('far', { price: '52000.00' }),
          other: order('other', { symbol: 'ETHUSDT', price: '61234.00' }),
          futures: order('futures', { exchange: 'paper-futures', price: '61234.00' }),
          ended: order('ended', { status: 'CANCELLED', price: '61234.10' }),
        },
      }),
    );

  it.each([
    [80, 24],
    [200, 50],
  ])(
    'changes the order of its account and symbol that is nearest to the last price, at %dx%d',
    async (columns, rows) => {
      const screen = await open(desk(), { columns, rows });
      await screen.press('2', '/', ...'61000', '\r', 'C');
      await screen.press('m');
      await screen.shows('Change order');
      expect(screen.screenText()).toContain('price       61000.00');
      expect(screen.screenText()).toContain('the nearest of 2 orders here');
      await screen.press(ESC);
    },
  );

  it('changes the one at the crosshair', async () => {
    const screen = await open(desk(), { columns: 200, rows: 50 });
    await screen.press('2', '/', ...'61000', '\r', 'C');
    screen.session.ui.setState(({ market }) => ({ market: { ...market, across: '52100.00' } }));
    await screen.press('m');
    await screen.shows('price       52000.00');
    expect(screen.session.ui.getState().dialogs[0]).toMatchObject({ kind: 'amend', order: { id: 'far' } });
  });

  it('says that there is none', async () => {
    const screen = await open(new FakeDesk(deskState({ orders: {} })));
    await screen.press('\r', 'm');
    await screen.shows('nothing to change: no order of paper-spot rests here');
  });
});
