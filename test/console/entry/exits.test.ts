/**
 * Positions that are closed in parts, protected by pairs and trailing stops, or reversed; and entries with
 * exits: what each asks of the desk.
 */
import { describe, expect, it } from 'vitest';
import { deskState as deskStateOf } from '../../../src/console/app/session.ts';
import { botForExits, outcomeWords, pairOn } from '../../../src/console/orders/exits/exits.ts';
import { positionDetailLines } from '../../../src/console/positions/position-detail.ts';
import {
  basisPoints,
  closePart,
  PARTS,
  reversal,
  trailingStop,
} from '../../../src/console/positions/position-orders.ts';
import { openPositions } from '../../../src/console/trading/positions.ts';
import type { PositionView } from '../../../src/desk/console/protocol.ts';
import { ok } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { PublicBot } from '../../../src/schemas/bot.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const LONG = position('BTCUSDT');
const EXITS = { takeProfit: '70000', stopLoss: '55000' };
const ENTRY: CreateOrder = {
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.1',
  price: '60000',
};

describe('orders for a position', () => {
  it('a part is never more than was chosen, whole steps, and only reduces', () => {
    const sizes = PARTS.map((part) => closePart({ ...LONG, amount: '0.5' }, part, '0.2')?.quantity ?? null);
    expect(sizes).toEqual([null, '0.2', '0.2', null]);
    const whole = { ...LONG, amount: '-0.5' };
    expect(closePart(whole, '50 %', '0.001')).toMatchObject({
      side: 'BUY',
      type: 'MARKET',
      reduceOnly: true,
    });
    expect(closePart(whole, '100 %', '0.001')).toMatchObject({ closePosition: true });
    // In hedge mode the side of the position says that it reduces.
    expect(closePart({ ...LONG, side: 'LONG' }, '50 %', '0.001')).not.toHaveProperty('reduceOnly');
    expect(closePart({ ...LONG, side: 'LONG' }, '50 %', '0.001')).toMatchObject({ positionSide: 'LONG' });
  });

  it('a reversal is one order of twice the size that may open', () => {
    expect(reversal({ ...LONG, amount: '0.5' })).toEqual({
      exchange: 'paper-futures',
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '1',
    });
  });

  it('a trailing stop is for the whole amount, its distance in basis points', () => {
    expect(trailingStop({ ...LONG, amount: '0.5' }, 150)).toMatchObject({
      type: 'STOP_MARKET',
      side: 'SELL',
      quantity: '0.5',
      trailingDelta: 150,
      reduceOnly: true,
    });
    expect(
      ['1', '0.5', '1.25 %', '100', '0.01', '0', '101', '1.234', '-1', 'x', ''].map(basisPoints),
    ).toEqual([100, 50, 125, 10_000, 1, null, null, null, null, null, null]);
  });
});

it('of a trailing stop that this desk follows a position shows where it fires now and the best price', () => {
  const change = { type: 'STOP_MARKET', side: 'SELL', price: undefined, reduceOnly: true } as const;
  const trailing = { delta: 100, time: 0 };
  const stop = order('oc-trail', { ...change, exchange: 'paper-futures', trailing });
  const lines = (of: OrderView) => {
    const state = deskState({ futures: somePositions(), orders: { 'oc-trail': of } });
    const [row] = openPositions(state);
    if (!row) throw new Error('no position');
    return positionDetailLines(row, state, undefined, NOON, 100)
      .map((line) => line.map(({ text }) => text).join(''))
      .find((line) => line.includes('oc-trail'));
  };
  expect(lines({ ...stop, trail: { best: '62000', level: '61380' } })).toContain(
    'fires at 61,380.00 best 62,000.00',
  );
  expect(lines(stop)).toContain('trails 1 %, by the exchange; level at exchange');
});

describe('an entry with exits', () => {
  it('is a bracket of the same size, or says in words why it cannot be', () => {
    expect(botForExits(ENTRY, EXITS)).toEqual({
      type: 'ALGO',
      settings: {
        exchange: 'paper-spot',
        symbol: 'BTCUSDT',
        algo: 'bracket',
        side: 'BUY',
        quantity: '0.1',
        entry: { type: 'LIMIT', price: '60000' },
        takeProfit: { price: '70000' },
        stopLoss: { price: '55000' },
      },
    });
  });

  it.each<[Partial<CreateOrder>, string]>([
    [{ type: 'LIMIT_MAKER' }, 'LIMIT_MAKER takes no exits'],
    [{ type: 'STOP_LIMIT', stopPrice: '1' }, 'STOP_LIMIT takes no exits'],
    [{ type: 'STOP_MARKET', trailingDelta: 100 }, 'a trailing stop takes no exits'],
    [{ timeInForce: 'IOC' }, 'an order that is IOC takes no exits'],
    [{ icebergQty: '0.01' }, 'an iceberg order takes no exits'],
    [{ reduceOnly: true }, 'only closes takes no exits'],
    [{ quantity: undefined, quoteOrderQty: '10' }, 'needs a quantity in base units'],
  ])('not of %j', (change, words) => {
    expect(botForExits({ ...ENTRY, ...change }, EXITS)).toContain(words);
  });

  it('one exit alone is none of a pair', () => {
    expect(botForExits(ENTRY, { ...EXITS, stopLoss: '' })).toContain('write the stop too');
    const held = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'SELL', quantity: '1' } as const;
    expect(pairOn(held, { ...EXITS, takeProfit: '' })).toContain('write the take-profit too');
  });

  it('says what each comes to', () => {
    const entry = { side: 'BUY', quantity: '0.1', price: '60000' };
    expect(outcomeWords(entry, EXITS, 'USDT')).toBe('+1,000.00 / -500.00 USDT before fees');
    const short = { takeProfit: '55000', stopLoss: '70000' };
    expect(outcomeWords({ ...entry, side: 'SELL' }, short, 'USDT')).toBe(
      '+500.00 / -1,000.00 USDT before fees',
    );
  });
});

describe('at a terminal', () => {
  const managed = {
    'bots.check': () => ({ problems: [], warnings: [], text: '' }),
    'bots.manage': () => ok({ id: 'bo1' } as PublicBot),
  };
  const held = (answers = {}) =>
    new FakeDesk(deskState({ futures: somePositions() }), { ...managed, ...answers });
  const sent = (desk: FakeDesk, method: string) =>
    desk.calls.filter((call) => call.method === method).map(({ params }) => params);

  it('half of a position is closed in three keys', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'p');
    await screen.shows('◂ 50 % ▸  = 0.25');
    await screen.press(CTRL_R);
    await screen.shows('0.25 BTCUSDT stays');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.until(() => sent(desk, 'orders.place').length === 1);
    expect(sent(desk, 'orders.place')).toEqual([
      {
        exchange: 'paper-futures',
        symbol: 'BTCUSDT',
        side: 'SELL',
        type: 'MARKET',
        quantity: '0.25',
        reduceOnly: true,
      },
    ]);
  });

  it('a part goes through the quarters, all of it as a close', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'p', ' ');
    await screen.shows('◂ 75 % ▸  = 0.375');
    await screen.press(' ');
    await screen.shows('◂ 100 % ▸  = all of it');
    await screen.press(CTRL_R);
    await screen.shows('The whole position is closed at once');
  });

  it('a position is turned round by one order of twice its size', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'R');
    await screen.shows('y reverse this position');
    await screen.press('y');
    await screen.until(() => desk.acting.length > 0);
    expect(sent(desk, 'orders.place')).toEqual([reversal(LONG)]);
  });

  /** The desk's positions with these fields changed. */
  const changed = (change: Partial<PositionView>, hedgeMode = false) => {
    const positions = (somePositions()['paper-futures']?.positions ?? []).map((each) => ({
      ...each,
      ...change,
    }));
    return { futures: { 'paper-futures': { positions, hedgeMode, leverage: {} } } };
  };

  it('but not one that has another size by the time of the answer: that would open what nobody asked for', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 'R');
    await screen.shows('y reverse this position');
    desk.push(changed({ amount: '0.2' }));
    const amount = () => deskStateOf(screen.session)?.futures['paper-futures']?.positions[0]?.amount;
    await screen.until(() => amount() === '0.2');
    await screen.press('y');
    await screen.shows('has changed meanwhile: nothing was done');
    expect(desk.acting).toEqual([]);
  });

  it('nor one of the two of hedge mode', async () => {
    const desk = held();
    const screen = await open(desk);
    desk.push(changed({ side: 'LONG' }, true));
    await screen.press('5', 'R');
    await screen.shows('with hedge mode LONG and SHORT are two positions');
    expect(desk.acting).toEqual([]);
  });

  it('s on a position with a stop changes that stop', async () => {
    const change = { type: 'STOP_MARKET', side: 'SELL', price: undefined, closePosition: true } as const;
    const stop = order('oc-stop', { ...change, exchange: 'paper-futures', stopPrice: '58000', origQty: '0' });
    const desk = new FakeDesk(deskState({ futures: somePositions(), orders: { 'oc-stop': stop } }), managed);
    const screen = await open(desk);
    await screen.press('5', 's');
    await screen.shows('SELL the whole position BTCUSDT STOP_MARKET');
    await screen.press('5', '9', '0', '0', '0', CTRL_R);
    await screen.shows('58,000.00 → 59,000.00');
    await screen.press('y');
    await screen.until(() => desk.acting.length > 0);
    const { exchange, id } = stop;
    expect(sent(desk, 'orders.amend')).toEqual([{ exchange, id, stopPrice: '59000' }]);
  });

  it('a trailing stop says how far it follows and where it would fire now', async () => {
    const screen = await open(held());
    await screen.press('5', 'T', '1', CTRL_R);
    // 1 % under 61,234.10.
    await screen.shows('fires at    60,621.76');
    expect(screen.screenText()).toContain('1 % of the best price');
  });

  it('a pair on a position is one question, and the desk makes its bot', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('5', 't', '7', '0', '0', '0', '0', '\t', '-', '2', '%');
    await screen.shows('= 60,009.42');
    await screen.press(CTRL_R);
    await screen.shows('comes to    +4,999.94 / +4.65 USDT before fees');
    expect(desk.acting).toEqual([]);
    await screen.press('y');
    await screen.until(() => desk.acting.length > 0);
    expect(sent(desk, 'bots.manage')).toEqual([
      {
        bot: {
          type: 'ALGO',
          settings: {
            exchange: 'paper-futures',
            symbol: 'BTCUSDT',
            side: 'SELL',
            quantity: '0.5',
            algo: 'tpsl',
            takeProfit: { price: '70000' },
            stopLoss: { price: '60009.42' },
          },
        },
      },
    ]);
  });

  it('what the desk has against a pair is said before any question', async () => {
    const check = () => ({
      problems: [{ path: 'stopLoss', message: 'x' }],
      warnings: [],
      text: 'stopLoss is above',
    });
    const screen = await open(held({ 'bots.check': check }));
    await screen.press('5', 't', '7', '\t', '8', CTRL_R);
    await screen.shows('stopLoss is above');
    expect(screen.screenText()).not.toContain('y place both exits');
  });

  it('a holding is sold in parts and protected as a position is', async () => {
    const balance = { asset: 'BTC', free: '0.123456789', locked: '0', total: '0.123456789', usd: '7000' };
    const portfolio = { balances: [{ ...balance, lockedByBot: null }], total: { usd: '7000', btc: '0.1' } };
    const state = deskState({ portfolios: { 'paper-spot': portfolio as never } });
    const screen = await open(new FakeDesk(state, managed));
    await screen.press('4', 'p');
    await screen.shows('50% of 0.123456789 BTC');
    expect(screen.screenText()).toMatch(/SELL BTCUSDT[\s\S]*MARKET/);
    await screen.press(ESC, 't');
    await screen.shows('LONG 0.12345 BTCUSDT  paper-spot');
  });
});
