/** Texts of the console: fills, labels of fields, and the lines of the log. */
import { describe, expect, it } from 'vitest';
import { logText } from '../../../src/console/log/log-view.ts';
import { profitWords } from '../../../src/console/orders/order-words.ts';
import { inLabels, problemWords } from '../../../src/console/ui/labels.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const fill = (change: Partial<FillRecord>): FillRecord => ({
  exchange: 'paper-futures',
  symbol: 'BTCUSDT',
  tradeId: '1',
  orderId: 'f',
  user: 'owner',
  side: 'SELL',
  price: '61234.1',
  qty: '0.5',
  comm: '3.06',
  commAsset: 'USDT',
  maker: false,
  rPnl: '18.94',
  posSide: 'BOTH',
  time: NOON,
  ...change,
});
const FILLED = order('f', {
  exchange: 'paper-futures',
  isContract: true,
  type: 'MARKET',
  side: 'SELL',
  status: 'CLOSED',
  price: undefined,
  origQty: '0.5',
  executedQty: '0.5',
  fillPrice: '61234.1',
  isWorking: false,
});

describe('a fill', () => {
  it('reads FILLED with its price, and is found by that word and by the API’s', async () => {
    const limit = order('l', {
      status: 'CLOSED',
      executedQty: '0.5',
      fillPrice: '60400.5',
      isWorking: false,
    });
    const screen = await open(new FakeDesk(deskState({ orders: { l: limit } })));
    await screen.press('2');
    await screen.shows('FILLED');
    expect(screen.screenText()).toContain('60,400.50');
    expect(screen.screenText()).not.toContain('CLOSED');
    for (const word of ['filled', 'closed', '60400.5']) {
      await screen.press('/', '\x15', ...word, '\r');
      await screen.shows('1 shown');
    }
  });

  it('of a position that is closed tells what it has realised, and that less its fees', async () => {
    const desk = new FakeDesk(deskState({ futures: somePositions() }));
    desk.answers['orders.place'] = () => ok(FILLED);
    desk.answers['orders.detail'] = () => ({ order: FILLED, events: [], fills: [fill({ comm: '6.56' })] });
    const screen = await open(desk, { columns: 120, rows: 40 });
    await screen.press('5', 'x', 'y');
    await screen.shows('SELL 0.5 BTCUSDT: FILLED at 61,234.10 · PnL +18.94, net +12.38');
  });

  it('says no profit where nothing was realised, and no net of fees in several assets', () => {
    expect(profitWords([fill({ rPnl: null }), fill({ rPnl: '0' })])).toBeNull();
    expect(profitWords([fill({}), fill({ rPnl: '-20', comm: '0.1', commAsset: 'BNB' })])).toBe('PnL -1.06');
    expect(profitWords([fill({}), fill({})])).toBe('PnL +37.88, net +31.76');
  });
});

describe('fields', () => {
  it('are called as the forms call them', () => {
    expect(inLabels('stopPrice does not go with trailingDelta; activationPrice is')).toBe(
      'stop price does not go with trailing; arms at is',
    );
    expect(problemWords({ field: 'goodTillDate', message: 'goodTillDate (Unix ms) is required' })).toBe(
      'good till (Unix ms) is required',
    );
    expect(problemWords({ field: 'quantity', message: 'is needed' })).toBe('quantity: is needed');
    expect(inLabels('the exchange refused it')).toBe('the exchange refused it');
  });

  it('in a ticket, its review and a refusal', async () => {
    const desk = new FakeDesk();
    desk.answers['orders.check'] = () => ({
      notional: null,
      distance: null,
      fee: null,
      feeAsset: null,
      available: null,
      availableAsset: null,
      mark: null,
      margin: null,
      after: null,
      last: '61234.10',
      next: '',
      problems: [{ field: 'price', message: 'no icebergQty with this price' }],
    });
    const screen = await open(desk);
    await screen.press('2', 'n', '\t', '\t', '\t', '1', '\t', '5', CTRL_R);
    await screen.shows('price: no iceberg with this price');
    desk.answers['orders.cancel'] = () => refuse('INVALID_REQUEST', 'timeInForce is not for this');
    await screen.press('\x1b[27u', 'j', 'x', 'y');
    await screen.shows('refused: in force is not for this');
  });
});

describe('a line of the log about an order', () => {
  const orders = { 'oc-7f3k2m9q1a2b': order('oc-7f3k2m9q1a2b') };
  const about = (text: string) => logText({ source: 'order', text, orderId: 'oc-7f3k2m9q1a2b' }, orders);

  it('begins with what the order is, and ends with the end of its id', () => {
    expect(about('oc-7f3k2m9q1a2b: cancel, asked by operator')).toBe(
      'BTCUSDT BUY 0.5: cancel, asked by operator · …9q1a2b',
    );
    expect(about('oc-7f3k2m9q1a2b is unresolved: timeout')).toBe(
      'BTCUSDT BUY 0.5: is unresolved: timeout · …9q1a2b',
    );
    expect(about('oc-7f3k2m9q1a2b: BUY LIMIT 0.5 BTCUSDT at 60500 on paper-spot')).toBe(
      'BUY LIMIT 0.5 BTCUSDT at 60,500 on paper-spot · …9q1a2b',
    );
  });

  it('stays as it is where the order is not a recent one', () => {
    expect(logText({ source: 'order', text: 'gone: cancel', orderId: 'gone' }, orders)).toBe('gone: cancel');
  });

  it('is found by the symbol that is shown', async () => {
    const log = [
      {
        at: NOON,
        level: 'info',
        source: 'order',
        text: 'oc-7f3k2m9q1a2b: cancel',
        orderId: 'oc-7f3k2m9q1a2b',
      },
      { at: NOON + 1, level: 'info', source: 'desk', text: 'something else' },
    ] as const;
    const screen = await open(new FakeDesk(deskState({ log })));
    await screen.press('9', '/', ...'btcusdt', '\r');
    await screen.shows('1 with "btcusdt"');
  });
});
