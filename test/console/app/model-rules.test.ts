/**
 * Rules of the console's models in edge cases: both sides of a position, equal values, repeated messages,
 * bounded lists.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newestAlerts, ringing } from '../../../src/console/alerts/alert-list.ts';
import { muteRows } from '../../../src/console/alerts/alert-mutes.ts';
import { toggled } from '../../../src/console/api-keys/key-draft.ts';
import { EMPTY_LAB, type LabForm, reportLines } from '../../../src/console/api-keys/key-lab.ts';
import { newUi } from '../../../src/console/app/features.ts';
import { chosenBots } from '../../../src/console/bots/bot-list.ts';
import { activeField, withField } from '../../../src/console/forms/text-fields.ts';
import {
  leftLists,
  scrolled,
  startedFilter,
  steppedBack,
  withList,
} from '../../../src/console/lists/list-views.ts';
import { logIndex } from '../../../src/console/log/log-view.ts';
import { askedBy } from '../../../src/console/orders/order-detail.ts';
import { draftOrder, emptyDraft, ticketFields } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { unprotectedPositions, unresolvedOrders } from '../../../src/console/overview/overview-parts.ts';
import { orderOutcomes, panicTargets, withTargets } from '../../../src/console/panic/panic.ts';
import { balanceRows, isSmall } from '../../../src/console/portfolio/portfolio-list.ts';
import { liquidationSpan } from '../../../src/console/positions/position-columns.ts';
import { confirmPositionOrder } from '../../../src/console/positions/position-confirmations.ts';
import type { PositionForm } from '../../../src/console/positions/position-form.ts';
import {
  closeAtMarket,
  closeByLimit,
  protectiveStop,
} from '../../../src/console/positions/position-orders.ts';
import { FIRST_VISIT, steppedTo, visited } from '../../../src/console/state/visits.ts';
import { marketNow, profitOf } from '../../../src/console/trading/bots.ts';
import { closedBy, closingOrders, coverOf, openPositions } from '../../../src/console/trading/positions.ts';
import type { TicketCheck } from '../../../src/desk/console/protocol.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import type { LogLine } from '../../../src/domain/rows.ts';
import { SCREENS } from '../support/parts.ts';
import { alert, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { BRACKETS, position } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const futures = (...positions: ReturnType<typeof position>[]) => ({
  'paper-futures': { hedgeMode: true, leverage: {}, positions },
});
const row = (...args: Parameters<typeof position>) => {
  const view = position(...args);
  return { ...view, id: view.key };
};

describe('a position', () => {
  const long = row('BTCUSDT', { side: 'LONG' });
  const short = row('BTCUSDT', { side: 'SHORT' });

  it('in hedge mode is closed by orders of its own side alone', () => {
    const stops = {
      long: order('long', { exchange: 'paper-futures', side: 'SELL', positionSide: 'LONG' }),
      short: order('short', { exchange: 'paper-futures', side: 'BUY', positionSide: 'SHORT' }),
      opens: order('opens', { exchange: 'paper-futures', side: 'BUY', positionSide: 'LONG' }),
      other: order('other', { exchange: 'other', side: 'SELL', positionSide: 'LONG' }),
      coin: order('coin', {
        exchange: 'paper-futures',
        symbol: 'ETHUSDT',
        side: 'SELL',
        positionSide: 'LONG',
      }),
      done: order('done', {
        exchange: 'paper-futures',
        status: 'CLOSED',
        side: 'SELL',
        positionSide: 'LONG',
      }),
    } as const;
    expect(closingOrders(long, stops).map(({ id }) => id)).toEqual(['long']);
    expect(closingOrders(short, stops).map(({ id }) => id)).toEqual(['short']);
  });

  it('in one-way mode is closed by orders that say that they only reduce', () => {
    const sell = { exchange: 'paper-futures', side: 'SELL' } as const;
    const orders = {
      a: order('a', sell),
      b: order('b', { ...sell, reduceOnly: true }),
      c: order('c', { ...sell, closePosition: true }),
    };
    expect(closingOrders(row('BTCUSDT'), orders).map(({ id }) => id)).toEqual(['b', 'c']);
    expect(closingOrders(row('BTCUSDT', { amount: '-0.5' }), orders)).toEqual([]);
  });

  it.each([
    ['a long', long, 'SELL', 'LONG'],
    ['a short', short, 'BUY', 'SHORT'],
  ] as const)(
    '%s in hedge mode: its side is named, and nothing says reduce only',
    (_, at, side, positionSide) => {
      const base = { exchange: 'paper-futures', symbol: 'BTCUSDT', side, positionSide };
      expect(closeAtMarket(at)).toEqual({ ...base, type: 'MARKET', closePosition: true });
      expect(closeByLimit(at, '7')).toEqual({ ...base, type: 'LIMIT', quantity: '0.5', price: '7' });
      expect(protectiveStop(at, '7')).toEqual({
        ...base,
        type: 'STOP_MARKET',
        closePosition: true,
        stopPrice: '7',
      });
      const state = { futures: futures(long, short) };
      expect(closedBy(state, closeAtMarket(at))?.id).toBe(at.id);
    },
  );

  it('is closed by an order of its own account and symbol alone', () => {
    const state = { futures: futures(row('BTCUSDT', { amount: '0.5' })) };
    const close = closeAtMarket(row('BTCUSDT'));
    expect(closedBy(state, close)?.symbol).toBe('BTCUSDT');
    expect(closedBy(state, { ...close, exchange: 'other' })).toBeUndefined();
    expect(closedBy(state, { ...close, symbol: 'ETHUSDT' })).toBeUndefined();
  });

  it('in hedge mode is not closed by what opens the other side', () => {
    const long = row('BTCUSDT', { amount: '0.5', side: 'LONG' });
    const closes = (positionSide: 'LONG' | 'SHORT', side: 'BUY' | 'SELL') =>
      closedBy({ futures: futures(long) }, { ...closeAtMarket(long), positionSide, side })?.id;
    expect(closes('LONG', 'SELL')).toBe(long.id);
    expect([closes('SHORT', 'SELL'), closes('LONG', 'BUY'), closes('SHORT', 'BUY')]).toEqual(
      Array(3).fill(undefined),
    );
  });

  it.each([
    ['0.5', 'BUY', '-0.5'],
    ['-0.5', 'SELL', '0.5'],
  ])('of %s in one-way mode is not closed by a %s', (amount, side, other) => {
    const close = closeByLimit(row('BTCUSDT', { amount: other }), '7');
    expect(close).toMatchObject({ side, quantity: '0.5', reduceOnly: true });
    expect(close).not.toHaveProperty('positionSide');
    expect(closedBy({ futures: futures(row('BTCUSDT', { amount })) }, close)).toBeUndefined();
  });

  it.each([
    ['0.5', '0', 'NO'],
    ['0.5', '0.4999', 'part'],
    ['0.5', '0.5', 'yes'],
    ['-0.5', '0.5', 'yes'],
    ['-0.5', '0.4', 'part'],
  ])('of %s with %s under stops: %s', (amount, protectedQty, cover) => {
    expect(coverOf({ amount, protectedQty }).cover).toBe(cover);
  });

  it.each([
    ['4.99', 'danger'],
    ['-4.99', 'danger'],
    ['5', 'warn'],
    ['-14.99', 'warn'],
    ['15', undefined],
    ['-15', undefined],
  ])('that is %s %% from its liquidation is shown as %s', (liquidationDistance, tone) => {
    expect(liquidationSpan(row('BTCUSDT', { liquidationDistance })).tone).toBe(tone);
  });

  it.each([
    ['0.5', '54000.1', false],
    ['0.5', '54000', true],
    ['0.5', '53000', true],
    ['-0.5', '53999.9', false],
    ['-0.5', '54000', true],
    ['-0.5', '55000', true],
  ])('of %s that is liquidated at 54,000: a stop at %s is too late: %s', (amount, stop, isLate) => {
    const held = row('BTCUSDT', { amount, liquidationPrice: '54000' });
    const check: TicketCheck = { problems: [], next: '' } as unknown as TicketCheck;
    const asked = confirmPositionOrder(deskState(), held, protectiveStop(held, stop), check);
    expect(asked.rows.some(({ name }) => name === 'too late')).toBe(isLate);
  });

  it('without any stop comes before those that are covered in part, and what is covered is no concern', () => {
    const rows = [
      row('A', { protectedQty: '0.2' }),
      row('B', { protectedQty: '0.5' }),
      row('C', { protectedQty: '0' }),
      row('D', { protectedQty: '0.1' }),
      row('E', { protectedQty: '0', amount: '-0.5' }),
      row('F', { amount: '0' }),
    ];
    expect(unprotectedPositions({ futures: futures(...rows) }).map(({ symbol }) => symbol)).toEqual([
      'C',
      'E',
      'A',
      'D',
    ]);
    expect(openPositions({ futures: futures(...rows) })).toHaveLength(5);
  });
});

describe('the cursor of the log', () => {
  const lines = [1, 1, 2, 2, 5].map(
    (at, i): LogLine => ({ at: NOON + at, level: 'info', source: 's', text: String(i) }),
  );

  it('stays at its moment when the desk tells all lines anew', () => {
    const anew = structuredClone(lines);
    for (const line of lines) expect(anew[logIndex(anew, line)]?.at).toBe(line.at);
  });

  it('goes to the line before one that is shown no more, and to the first where there is none', () => {
    const [first, , third] = lines as [LogLine, LogLine, LogLine];
    expect(logIndex(lines.slice(3), third)).toBe(0);
    expect(logIndex(lines.slice(4), first)).toBe(0);
    const gone = { ...first, at: NOON + 4 };
    expect(logIndex(lines, gone)).toBe(3);
  });
});

describe('market time', () => {
  const clock = (change: object) => ({ clock: { ...deskState().clock, market: 100, ...change } });

  it.each([
    ['live: as the wall clock', { live: true, held: false }, 150],
    ['live and held: it stands', { live: true, held: true }, 100],
    ['a replay: its own', { live: false, held: false }, 100],
  ])('%s', (_, change, now) => {
    expect(marketNow(clock(change), 150)).toBe(now);
    // Market time never goes back.
    expect(marketNow(clock(change), 50)).toBe(100);
  });
});

describe('the profit of a bot', () => {
  const bot = Object.values(someBots()).find(({ stats, type }) => stats && type === 'SQUEEZE');
  const stats = (change: object) => ({ type: 'SQUEEZE', stats: { ...bot?.stats, ...change } }) as never;

  it('is realised and unrealised together, and none before a run or where nothing is traded', () => {
    const [two, three] = [
      stats({ realised: '5', unrealised: '-3' }),
      stats({ realised: '-5', unrealised: '2' }),
    ];
    expect([profitOf(two), profitOf(three)]).toEqual([dec('2'), -dec('3')]);
    expect(profitOf({ type: 'SQUEEZE' })).toBeNull();
    expect(profitOf({ ...(two as object), type: 'ALARM' } as never)).toBeNull();
  });
});

describe('a panic', () => {
  it('cancels a MARKET order that was not sent yet, and leaves one that is under way', () => {
    const market = { type: 'MARKET', status: 'NEW', price: undefined } as const;
    const orders = {
      sent: order('sent', market),
      waiting: order('waiting', { ...market, waiting: true }),
      over: order('over', { ...market, status: 'ERROR', waiting: true }),
    };
    expect(panicTargets(deskState({ orders }), 'orders').map(({ id }) => id)).toEqual(['waiting']);
  });

  it('finds what shares its id with something of another part', () => {
    const state = deskState({ orders: { x: order('x') }, futures: {}, bots: {} });
    const item = { part: 'bots', id: 'x', name: 'stop x', state: 'done', text: '' } as const;
    const run = { parts: ['bots', 'orders'] as const, items: [item], running: true };
    const after = withTargets(run, state, 'orders');
    expect(after.items.map(({ part, id, state: at }) => [part, id, at])).toEqual([
      ['bots', 'x', 'done'],
      ['orders', 'x', 'waiting'],
    ]);
    expect(withTargets(after, state, 'orders')).toBe(after);
  });

  it('does each thing once, though what is done or has failed may be there still', () => {
    const state = deskState({ orders: { x: order('x'), new: order('new') }, futures: {}, bots: {} });
    for (const now of ['waiting', 'working', 'done', 'failed'] as const) {
      const item = { part: 'orders', id: 'x', name: 'cancel x', state: now, text: '' } as const;
      const { items } = withTargets({ parts: ['orders'], items: [item], running: true }, state, 'orders');
      expect(items.map(({ id, state: at }) => [id, at])).toEqual([
        ['x', now],
        ['new', 'waiting'],
      ]);
    }
  });

  it('has what came of each order: one that is not spoken of had ended, one without an answer has failed', () => {
    const items = ['ended', 'pending', 'gone', 'refused'].map(
      (id) => ({ part: 'orders', id, name: id, state: 'working', text: '' }) as const,
    );
    const came = (answer: Parameters<typeof orderOutcomes>[1]) =>
      [...orderOutcomes(items, answer).values()].map(({ state, text }) => `${state}: ${text}`);
    expect(came(null)).toEqual(Array(4).fill('failed: no answer'));
    const done = (id: string, change: object) => ({ id, outcome: ok(order(id, change)) });
    expect(
      came([
        { id: 'refused', outcome: refuse('CONFLICT', 'busy') },
        done('pending', { cancelPending: true }),
        done('gone', { status: 'CANCELLED' }),
      ]),
    ).toEqual(['done: had ended', 'done: cancel wanted', 'done: cancelled', 'failed: busy']);
  });
});

describe('alerts', () => {
  it('ring once, and only where the bell was to ring and did', () => {
    const bell = (state: 'done' | 'waiting' | 'failed') =>
      ({ target: 'bell', state, tries: 1, nextAt: null, error: null }) as const;
    const ops = { target: 'ops', state: 'done', tries: 1, nextAt: null, error: null } as const;
    const all = [
      alert('done', { deliveries: [ops, bell('done')] }),
      alert('waiting', { deliveries: [bell('waiting')] }),
      alert('failed', { deliveries: [bell('failed')] }),
      alert('ops', { deliveries: [ops] }),
    ];
    expect(ringing([], all)).toEqual(['done']);
    expect(ringing(all, structuredClone(all))).toEqual([]);
    expect(newestAlerts({ alerts: all }).map(({ id }) => id)).toEqual(['ops', 'failed', 'waiting', 'done']);
  });

  it('what is muted can be unmuted though nothing else tells of it any more', () => {
    const mutes = { bots: ['bgone123'], targets: ['old'] };
    const rows = muteRows({ alerts: [], bots: {}, mutes });
    expect(rows.map(({ key, muted }) => [key, muted])).toEqual([
      ['bot bgone123', true],
      ['target old', true],
    ]);
  });
});

it('accounts of a key are chosen and given back one by one, in their order', () => {
  const accounts = ['a', 'b', 'c'];
  let chosen: readonly string[] = [];
  for (const id of ['c', 'a', 'b']) chosen = toggled(chosen, id, accounts);
  expect(chosen).toEqual(accounts);
  expect(toggled(chosen, 'b', accounts)).toEqual(['a', 'c']);
  expect(toggled(['a', 'gone'], 'c', accounts)).toEqual(['a', 'c']);
});

it('screens looked at beyond the fifty that are kept: the oldest are forgotten', () => {
  const ids = SCREENS.map(({ id }) => id);
  fc.assert(
    fc.property(fc.integer({ min: 45, max: 120 }), (count) => {
      const seen = Array.from({ length: count }, (_, i) => ids[i % ids.length] ?? 'overview');
      const visits = seen.reduce(visited, FIRST_VISIT);
      expect(visits.list[visits.at]).toBe(seen.at(-1));
      expect(visits.list.length).toBeLessThanOrEqual(50);
      expect(steppedTo(visits, -1)?.screen).toBe(seen.at(-2));
    }),
  );
});

it('esc leaves the keyboard of a detail first, then its pane, and the filter last', () => {
  let ui = withList(newUi(120, 40).getState(), 'bots', {
    filter: 'btc',
    detailOpen: true,
    pane: 'detail',
  });
  const views: unknown[] = [];
  for (let next = steppedBack(ui, 'bots'); next; next = steppedBack(ui, 'bots')) {
    ui = next;
    const { filter, detailOpen, pane } = ui.bots;
    views.push([pane, detailOpen, filter]);
  }
  expect(views).toEqual([
    ['list', true, 'btc'],
    ['list', false, 'btc'],
    ['list', false, ''],
  ]);
});

it('unresolved orders: the one that is settled soonest first, and none that is over', () => {
  const unresolved = (settlesAt: number) => ({ since: 0, settlesAt }) as never;
  const orders = {
    late: order('late', { unresolved: unresolved(9) }),
    soon: order('soon', { unresolved: unresolved(3) }),
    over: order('over', { unresolved: unresolved(1), status: 'CANCELLED' }),
    none: order('none'),
  };
  expect(unresolvedOrders(orders).map(({ id }) => id)).toEqual(['soon', 'late']);
});

it('marked bots are acted on as far as there still are any, else the one under the cursor', () => {
  const bots = someBots();
  const [first = '', second = ''] = Object.keys(bots);
  const view = { ...newUi(120, 40).getState().bots, selection: { id: second, index: 0 } };
  const chosen = (marked: string[]) => chosenBots({ bots }, { ...view, marked }).map(({ id }) => id);
  expect(chosen([first, 'gone'])).toEqual([first]);
  expect(chosen(['gone'])).toEqual([second]);
  expect(chosen([])).toEqual([second]);
});

it('a balance is small below one dollar, and not where nobody knows its worth', () => {
  const values = [dec('0.99'), dec('1'), dec('0'), null];
  expect(values.map((value) => isSmall({ value }))).toEqual([true, false, true, false]);
});

it('who leaves a list in the middle of its filter finds the filter in force, and the keyboard in no field', () => {
  const first = newUi(120, 40).getState();
  const typed = withList(startedFilter(first, 'orders'), 'orders', { filter: 'btc' });
  expect(leftLists(typed).orders).toMatchObject({ filter: 'btc', filtering: false });
  const inPane = withList(first, 'bots', { detailOpen: true, pane: 'detail' });
  expect(leftLists(inPane).bots).toMatchObject({ detailOpen: true, pane: 'list' });
});

it('what has become shorter is scrolled from its end, and the end stays the end', () => {
  expect([scrolled(0, 1, 5), scrolled(5, 1, 5), scrolled(0, -1, 5)]).toEqual([1, 5, 0]);
  expect(scrolled(90, -1, 5)).toBe(4);
  expect(scrolled(Number.POSITIVE_INFINITY, -2, 5)).toBe(3);
  expect(scrolled(2, Number.POSITIVE_INFINITY, 5)).toBe(Number.POSITIVE_INFINITY);
  expect(scrolled(3, 1, -2)).toBe(0);
});

it('balances are of before where their own account is not connected', () => {
  const base = deskState();
  const accounts = base.accounts.map((account) => ({
    ...account,
    link: account.id === 'paper-spot' ? ('down' as const) : ('up' as const),
  }));
  const held = { balances: [{ asset: 'USDT', usd: '1' }] };
  const portfolios = { 'paper-spot': held, 'paper-futures': held } as unknown as typeof base.portfolios;
  const rows = balanceRows({ ...base, accounts, portfolios });
  for (const { exchange, stale } of rows) expect(stale).toBe(exchange === 'paper-spot');
  expect(new Set(rows.map(({ exchange }) => exchange)).size).toBeGreaterThan(1);
});

it('the position side of a ticket is sent in hedge mode alone, where there is one', () => {
  const accounts = (hedge: boolean) => [{ id: 'paper-futures', kind: 'futures', hedge }] as const;
  const asked = (positionSide: string, hedge: boolean) => {
    const draft = { ...emptyDraft('paper-futures', 'BTCUSDT'), positionSide };
    return draftOrder(draft, ticketFields(draft, accounts(hedge)), NOON).order.positionSide;
  };
  expect([asked('LONG', true), asked('SHORT', true), asked('BOTH', true)]).toEqual([
    'LONG',
    'SHORT',
    undefined,
  ]);
  expect([asked('LONG', false), asked('BOTH', false)]).toEqual([undefined, undefined]);
});

describe('what is judged of a request', () => {
  const draft = { ...EMPTY_LAB, target: '/v2/ping' };
  const words = (change: Partial<LabForm>) => {
    const rule = { name: 'signature', verdict: 'passes', code: null, text: 'ok' } as const;
    const form: LabForm = {
      kind: 'lab-form',
      id: 'k',
      label: 'k',
      focus: 'target',
      draft,
      judged: draft,
      report: { rules: [rule], hint: null },
      ...change,
    };
    const [first = []] = reportLines(form, 72);
    return first.map(({ text }) => text).join('');
  };

  it('is shown of the very request that stands there, not of the one before', () => {
    expect(words({})).toBe('Nothing here refuses it: it would be let in now.');
    expect(words({ draft: { ...draft, target: '/v2/orders' } })).toBe('judging …');
    expect(words({ judged: null })).toBe('judging …');
    expect(words({ report: null })).toBe('judging …');
  });
});

it('another symbol in the form of a setting: nothing is shown any more that was of the one before', () => {
  const form: PositionForm = {
    kind: 'position-form',
    what: 'leverage',
    exchange: 'paper-futures',
    symbol: 'BTCUSDT',
    key: null,
    long: null,
    value: '20',
    focus: 'symbol',
    mode: null,
    check: null,
    brackets: BRACKETS,
    stale: false,
    refusal: 'no',
  };
  const typed = (dialog: PositionForm, text: string) => {
    const ui = { ...newUi(120, 40).getState(), dialogs: [dialog] };
    return withField(ui, activeField(ui)?.id ?? '', text).dialogs.at(-1);
  };
  const renewed = { stale: true, refusal: null };
  expect(typed(form, 'ETHUSDT')).toEqual({ ...form, ...renewed, symbol: 'ETHUSDT', brackets: null });
  const priced: PositionForm = { ...form, focus: 'value', what: 'limit' };
  expect(typed(priced, '7')).toEqual({ ...priced, ...renewed, value: '7' });
});

it.each([
  ['UI', 'operator'],
  ['API', 'a key'],
  ['BOT', 'bot b1'],
] as const)(
  'an order whose history is not here yet was asked by what kind of actor it was: %s',
  (creator, words) => {
    expect(askedBy(order('a', { creator, creatorId: 'b1' }), null)).toBe(words);
  },
);
