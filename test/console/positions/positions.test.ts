/** The Positions screen: what it counts, what it sends, and how it reports refusals. */
import { describe, expect, it } from 'vitest';
import { headerLine } from '../../../src/console/app/header.ts';
import {
  futuresFigures,
  marginText,
  whenTriggered,
} from '../../../src/console/orders/ticket/futures-ticket.ts';
import {
  draftOrder,
  emptyDraft,
  ORDER_TYPES,
  ticketFields,
} from '../../../src/console/orders/ticket/ticket-draft.ts';
import { tierOf } from '../../../src/console/positions/position-detail.ts';
import {
  capAt,
  closeAtMarket,
  closeByLimit,
  leverageProblem,
  protectiveStop,
} from '../../../src/console/positions/position-orders.ts';
import {
  closingOrders,
  coverOf,
  openPositions,
  positionTotals,
} from '../../../src/console/trading/positions.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { TicketCheck } from '../../../src/desk/console/protocol.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { refuse } from '../../../src/domain/errors.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { BRACKETS, position, somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const held = () => new FakeDesk(deskState({ futures: somePositions() }));
const sent = (desk: FakeDesk, method: string) =>
  desk.calls.filter((call) => call.method === method).map(({ params }) => params);

// proves: S59
it('an account that could not be read yet is not one without positions', async () => {
  const screen = await open(new FakeDesk(deskState({ futures: {} })));
  await screen.press('5');
  await screen.shows('paper-futures: its positions could not be read yet');
  expect(screen.screenText()).not.toContain('no open positions');
});

describe('counts', () => {
  it('cover in words: all of it, a part, none', () => {
    const rows = openPositions({ futures: somePositions() });
    expect(rows.map((row) => coverOf(row))).toEqual([
      { cover: 'NO', percent: '0 %' },
      { cover: 'part', percent: '40 %' },
      { cover: 'yes', percent: '100 %' },
    ]);
    expect(positionTotals(rows)).toEqual({
      count: 3,
      pnl: dec('756.48'),
      margin: dec('4425.66'),
      open: 1,
      part: 1,
    });
  });

  it('the tier of a notional: a cap belongs to its own tier', () => {
    expect([null, '0', '50000', '50000.01', '9000000'].map((value) => tierOf(BRACKETS, value))).toEqual([
      -1, 0, 0, 1, 2,
    ]);
    expect([125, 51, 50, 20, 1].map((leverage) => capAt(BRACKETS, leverage))).toEqual([
      '50000',
      '50000',
      '600000',
      '3000000',
      '3000000',
    ]);
  });

  it('what is wrong with a leverage', () => {
    expect(leverageProblem('0', BRACKETS, null)).toContain('whole number');
    expect(leverageProblem('2.5', BRACKETS, null)).toContain('whole number');
    expect(leverageProblem('126', BRACKETS, null)).toBe('the symbol allows 1 to 125');
    expect(leverageProblem('100', BRACKETS, '60000')).toBe(
      'the position of 60,000 is over 50,000, the most at 100x',
    );
    expect(leverageProblem('50', BRACKETS, '60000')).toBeNull();
    // A cap is still within it.
    expect(leverageProblem('100', BRACKETS, '50000')).toBeNull();
    expect(leverageProblem('100', BRACKETS, '50000.01')).toContain('the most at 100x');
    expect(leverageProblem('50', null, '60000')).toBeNull();
  });

  it('only orders that would close it are listed with it', () => {
    const stop = order('a', {
      exchange: 'paper-futures',
      side: 'SELL',
      type: 'STOP_MARKET',
      stopPrice: '58000',
      closePosition: true,
    });
    const orders = {
      a: stop,
      b: { ...stop, id: 'b', side: 'BUY' as const },
      c: { ...stop, id: 'c', closePosition: false },
      d: { ...stop, id: 'd', status: 'CANCELLED' as const },
      e: { ...stop, id: 'e', exchange: 'paper-spot' },
    };
    expect(closingOrders(position('BTCUSDT'), orders).map(({ id }) => id)).toEqual(['a']);
  });
});

describe('orders of the screen', () => {
  it('one-way: closing and protecting name no position side', () => {
    const long = position('BTCUSDT');
    const target = { exchange: 'paper-futures', symbol: 'BTCUSDT', side: 'SELL' };
    expect(closeAtMarket(long)).toEqual({ ...target, type: 'MARKET', closePosition: true });
    expect(closeByLimit({ ...long, amount: '-0.5' }, '60000')).toEqual({
      ...target,
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.5',
      price: '60000',
      reduceOnly: true,
    });
  });

  it('hedge mode: the position side is named, and its closing side needs no reduceOnly', () => {
    const short = position('BTCUSDT', { side: 'SHORT', amount: '-0.5' });
    expect(protectiveStop(short, '65000')).toEqual({
      exchange: 'paper-futures',
      symbol: 'BTCUSDT',
      side: 'BUY',
      positionSide: 'SHORT',
      type: 'STOP_MARKET',
      closePosition: true,
      stopPrice: '65000',
    });
    expect(closeByLimit(short, '60000')).not.toHaveProperty('reduceOnly');
  });
});

describe('the ticket on a futures account', () => {
  const accounts = [
    { id: 'paper-spot', kind: 'spot' },
    { id: 'paper-futures', kind: 'futures', hedge: false },
  ] as const;
  const fields = (change: Record<string, string>, hedge = false) =>
    ticketFields({ ...emptyDraft('paper-futures', 'BTCUSDT'), ...change }, [
      accounts[0],
      { ...accounts[1], hedge },
    ]).map(({ id }) => id);

  it.each(ORDER_TYPES)('%s: closePosition and workingType only where they apply, never iceberg', (type) => {
    const shown = fields({ type });
    expect(shown.includes('closePosition')).toBe(
      ['MARKET', 'STOP_MARKET', 'TAKE_PROFIT_MARKET'].includes(type),
    );
    expect(shown.includes('workingType')).toBe(/^(STOP|TAKE)/.test(type));
    expect(shown).not.toContain('icebergQty');
    expect(shown).toContain('marginType');
  });

  it('asks for the position side only in hedge mode, and for no size when it closes all', () => {
    expect(fields({})).not.toContain('positionSide');
    expect(fields({}, true)).toContain('positionSide');
    const closing = fields({ type: 'MARKET', closePosition: 'yes' });
    expect(closing).not.toContain('quantity');
    expect(closing).not.toContain('reduceOnly');
  });

  it('switching the account and back keeps what applies and sends nothing else', () => {
    const draft = { ...emptyDraft('paper-futures', 'BTCUSDT'), quantity: '1', price: '60000' };
    const filled = { ...draft, reduceOnly: 'yes', marginType: 'ISOLATED', icebergQty: '0.1' };
    const made = (exchange: string) => {
      const moved = { ...filled, exchange };
      return draftOrder(moved, ticketFields(moved, accounts), NOON).order;
    };
    const both = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '1', price: '60000' };
    expect(made('paper-spot')).toEqual({ ...both, exchange: 'paper-spot', icebergQty: '0.1' });
    expect(made('paper-futures')).toEqual({
      ...both,
      exchange: 'paper-futures',
      reduceOnly: true,
      marginType: 'ISOLATED',
    });
  });

  it('says the leverage, the margin the engine counts, and when a trigger fires', () => {
    const state = deskState({ futures: somePositions() });
    const buy = { exchange: 'paper-futures', symbol: 'ETHUSDT', side: 'BUY', type: 'STOP_MARKET' } as const;
    const text = (order: Partial<CreateOrder>, margin: string | null) => {
      const figures = futuresFigures(state, order, { margin } as TicketCheck);
      return figures && marginText(figures, 'USDT');
    };
    expect(text(buy, '1234.56')).toBe('1,234.56 USDT needed at 20x ISOLATED');
    expect(text({ ...buy, marginType: 'CROSSED' }, null)).toBe('– at 20x CROSSED');
    expect(text({ ...buy, closePosition: true }, null)).toBe('none needed: it only closes (20x ISOLATED)');
    expect(text({ ...buy, exchange: 'paper-spot' }, null)).toBeNull();
    const close = { ...buy, closePosition: true, stopPrice: '3200', workingType: 'CONTRACT_PRICE' } as const;
    expect(whenTriggered(state, close)).toBe(
      'It waits at paper-futures; once the last price reaches 3,200, the whole position is closed at market.',
    );
    expect(whenTriggered(state, { ...close, exchange: 'paper-spot' })).toBeNull();
    expect(whenTriggered(state, { ...close, type: 'MARKET' })).toBeNull();
  });
});

describe('the screen', () => {
  it('closes at market after y, by closePosition, and says what was asked of whom', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'x');
    await screen.shows('Close at market');
    const text = screen.screenText();
    for (const part of [
      'PAPER',
      'paper-futures',
      'LONG 0.5 BTCUSDT',
      'notional',
      'distance',
      'fee',
      'Keep it',
    ])
      expect(text).toContain(part);
    await screen.press(ENTER);
    expect(desk.acting).toEqual([]);
    await screen.press('x');
    await screen.shows('Close at market');
    await screen.press('y');
    await screen.until(() => desk.acting.length > 0);
    expect(sent(desk, 'orders.place')).toEqual([closeAtMarket(position('BTCUSDT'))]);
  });

  it('is about the position looked at, whatever moves above it', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'j', 's', '3200');
    await screen.shows('once the mark price reaches 3,200');
    const futures = somePositions()['paper-futures'];
    if (!futures) throw new Error('no positions');
    const added = position('ADAUSDT', { amount: '100' });
    desk.push({
      futures: { 'paper-futures': { ...futures, positions: [added, ...futures.positions] } },
    });
    await screen.press(CTRL_R);
    await screen.shows('SHORT 4 ETHUSDT');
    await screen.press('y');
    await screen.until(() => desk.acting.length > 0);
    expect(sent(desk, 'orders.place')).toMatchObject([{ symbol: 'ETHUSDT', side: 'BUY', stopPrice: '3200' }]);
  });

  it('sets leverage, margin type, hedge mode and margin mode, each after y', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'v', '25');
    await screen.until(() => sent(desk, 'futures.brackets').length > 0);
    await screen.shows('1x to 125x');
    await screen.press(CTRL_R, 'y');
    await screen.shows('BTCUSDT: leverage 25x');
    await screen.press('m', CTRL_R, 'y');
    await screen.shows('margin type ISOLATED');
    await screen.press('e', CTRL_R, 'y');
    await screen.shows('hedge mode on');
    await screen.press('M');
    await screen.shows('now single-asset');
    await screen.press(CTRL_R, 'y');
    await screen.shows('margin mode multi-asset');
    const exchange = 'paper-futures';
    expect(sent(desk, 'futures.set')).toEqual([
      { exchange, setting: { kind: 'leverage', symbol: 'BTCUSDT', leverage: 25 } },
      { exchange, setting: { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' } },
      { exchange, setting: { kind: 'hedgeMode', on: true } },
      { exchange, setting: { kind: 'marginMode', mode: 2 } },
    ]);
  });

  it('keeps the form with the exchange’s reason when it is refused', async () => {
    const desk = held();
    desk.answers['futures.set'] = () => refuse('INVALID_REQUEST', 'there is a position', 'VENUE');
    const screen = await open(desk);
    await screen.press('5', 'm', CTRL_R, 'y');
    await screen.shows('refused: there is a position (VENUE)');
    expect(screen.screenText()).toContain('▸ margin type');
  });

  it('says so when there is nothing, and still sets what is of the account', async () => {
    const screen = await open(new FakeDesk());
    await screen.press('5');
    expect(screen.screenText()).toContain('no open positions · n new order');
    await screen.press('x');
    expect(screen.screenText()).toContain('nothing to close');
    await screen.press('e');
    expect(screen.screenText()).toContain('Hedge mode');
    await screen.press(ESC, 'v');
    expect(screen.screenText()).toContain('▸ symbol');
  });
});

it('the header has both accounts at 80 columns, also in a held replay', () => {
  const base = deskState();
  const clock = { ...base.clock, live: false, speed: 600, held: true, feed: 'csv:x' };
  for (const state of [base, { ...base, clock }]) {
    const line = headerLine(state, 1, 80);
    expect(lineWidth(line)).toBe(80);
    expect(
      line
        .map(({ text }) => text)
        .join('')
        .match(/●/g),
    ).toHaveLength(2);
  }
});
