/**
 * The consequences shown for an order or its end, in edge cases: both sides, several orders that end
 * together, thresholds.
 */
import { describe, expect, it } from 'vitest';
import { botOfLine } from '../../../src/console/log/log-view.ts';
import { leftOutOf } from '../../../src/console/orders/cancel-all.ts';
import { afterRows, isProtective, protectionText } from '../../../src/console/orders/consequences.ts';
import type { TicketCheck } from '../../../src/desk/console/protocol.ts';
import type { LogLine } from '../../../src/domain/rows.ts';
import { someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

describe('after an order', () => {
  const told = (change: object) => {
    const check = {
      after: { amount: '1', liquidation: '50000', distance: '-20', exposure: '1', ...change },
    } as unknown as TicketCheck;
    const [liquidation, exposure] = afterRows(check, '0.1');
    return { liquidation, exposure };
  };

  it.each([
    ['2.99', undefined],
    ['3', 'warn'],
    ['9.99', 'warn'],
    ['10', 'danger'],
    [null, 'danger'],
  ])('an exposure of %s is shown as %s', (exposure, tone) => {
    expect(told({ exposure }).exposure?.tone).toBe(tone);
  });

  it.each([
    ['-4.99', 'danger'],
    ['4.99', 'danger'],
    ['-5', undefined],
    ['5', undefined],
    [null, undefined],
  ])('a liquidation %s %% away is shown as %s', (distance, tone) => {
    expect(told({ distance }).liquidation?.tone).toBe(tone);
  });

  it('that closes all there is no liquidation, and none where the exchange tells none', () => {
    expect(told({ amount: '0' }).liquidation?.value).toBe('none: no position is left');
    expect(told({ liquidation: null }).liquidation?.value).toBe('none after this order');
    expect(afterRows(null, '0.1')).toEqual([]);
  });
});

describe.each([
  ['LONG', '0.5', 'SELL'],
  ['SHORT', '-0.5', 'BUY'],
] as const)('a %s without some of its stops', (name, amount, side) => {
  const stop = (id: string, change: object = {}) =>
    order(id, {
      exchange: 'paper-futures',
      type: 'STOP_MARKET',
      side,
      reduceOnly: true,
      origQty: '0.25',
      ...change,
    });
  const [a, b, c] = [stop('a'), stop('b'), stop('c', { executedQty: '0.05' })];
  const profit = stop('profit', { type: 'TAKE_PROFIT_MARKET', origQty: '0.5' });
  const world = (...orders: ReturnType<typeof stop>[]) => ({
    ...deskState({
      orders: Object.fromEntries(orders.map((one) => [one.id, one])),
      futures: {
        'paper-futures': { hedgeMode: false, leverage: {}, positions: [position('BTCUSDT', { amount })] },
      },
    }),
    bots: {},
  });
  const said = (...orders: ReturnType<typeof stop>[]) => protectionText(world(...orders), a);

  it('is told what other stops cover of it then', () => {
    const stands = `${name} 0.5 BTCUSDT: it will stand without a stop`;
    expect(said(a)).toBe(stands);
    expect(said(a, b)).toBe(`${name} 0.5 BTCUSDT: other stops cover 50 % of it`);
    expect(said(a, c)).toBe(`${name} 0.5 BTCUSDT: other stops cover 40 % of it`);
    expect(said(a, b, stop('d'))).toBe(`${name} 0.5 BTCUSDT: other stops cover it whole`);
    expect(said(a, stop('all', { closePosition: true, origQty: '0' }))).toContain('cover it whole');
  });

  it('is not covered by a take-profit, nor by what opens more', () => {
    const opens = stop('opens', { side: side === 'SELL' ? 'BUY' : 'SELL' });
    expect(said(a, profit, opens)).toContain('without a stop');
    const state = world(a, profit, opens);
    expect([a, profit, opens].map((one) => isProtective(state, one))).toEqual([true, false, false]);
    expect(isProtective(state, { ...a, status: 'CANCELLED' })).toBe(false);
  });
});

it('a line of the log leads to a bot that there is, and only where it is a line of a bot', () => {
  const bots = someBots();
  const [id = ''] = Object.keys(bots);
  const line = (source: string, text: string): LogLine => ({ at: 0, level: 'info', source, text });
  expect(botOfLine(line('bot', `${id}: bought 1`), bots)).toBe(id);
  expect(botOfLine(line('bot', 'gone: bought 1'), bots)).toBeNull();
  expect(botOfLine(line('order', `${id}: bought 1`), bots)).toBeNull();
});

it('of all orders a stop of a running bot is left out with the bot, that of one that has ended as a stop', () => {
  const bots = someBots();
  const running = Object.values(bots).find(({ runId }) => runId !== undefined);
  const ended = Object.values(bots).find(({ runId }) => runId === undefined);
  const stop = { type: 'STOP_MARKET', side: 'SELL' } as const;
  const ofBot = (creatorId = '') => ({ creator: 'BOT', creatorId }) as const;
  const orders = [
    order('stop', stop),
    order('bot stop', { ...stop, ...ofBot(running?.id) }),
    order('bot', ofBot(running?.id)),
    order('ended', { ...stop, ...ofBot(ended?.id) }),
    order('plain'),
  ];
  const left = leftOutOf(deskState({ bots, futures: {} }), orders);
  expect(left.stops.map(({ id }) => id)).toEqual(['stop', 'ended']);
  expect(left.bots.map(({ id }) => id)).toEqual(['bot stop', 'bot']);
});

describe('on spot a stop protects what is held', () => {
  it.each([
    ['SELL', 'STOP_MARKET', true],
    ['SELL', 'STOP_LIMIT', true],
    ['BUY', 'STOP_MARKET', false],
    ['SELL', 'TAKE_PROFIT_LIMIT', false],
    ['SELL', 'LIMIT', false],
  ] as const)('%s %s: %s', (side, type, protects) => {
    const state = deskState();
    expect(isProtective(state, order('a', { side, type }))).toBe(protects);
    expect(isProtective(state, order('a', { side, type, status: 'CANCELLED' }))).toBe(false);
  });
});
