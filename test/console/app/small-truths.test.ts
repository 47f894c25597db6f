/**
 * Small figures and limits of the console: sums with their units, order of pages, the end of a text, fixed
 * decimals.
 */
import { describe, expect, it } from 'vitest';
import { activeArea, activeField, withPastedText } from '../../../src/console/forms/text-fields.ts';
import { moved } from '../../../src/console/lists/cursor.ts';
import { detailLines } from '../../../src/console/orders/order-detail.ts';
import { logRows, partRows } from '../../../src/console/overview/overview-parts.ts';
import { partDetail } from '../../../src/console/panic/panic.ts';
import { positionDetailLines } from '../../../src/console/positions/position-detail.ts';
import type { Dialog } from '../../../src/console/state/ui.ts';
import type { Line } from '../../../src/console/ui/line.ts';
import type { Result } from '../../../src/desk/console/protocol.ts';
import { refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const ui = (screen: Rig) => screen.session.ui.getState();
const textOf = (lines: readonly Line[]) =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

/** A dialog with the person's input only; the desk's check of a ticket comes at any time. */
const typed = (dialog: Dialog) => ({ ...dialog, check: null, stale: false });
const typedInto = (screen: Rig) => ui(screen).dialogs.map(typed);

describe('a terminal that is too small', () => {
  it.each([
    ['a field', ['2', 'n']],
    ['a filter', ['2', '/']],
    ['a word to be typed', ['2', 'X']],
    ['the palette', [':']],
  ])('takes no keys for what nobody sees, and q leaves: %s', async (_, keys) => {
    const screen = await open(new FakeDesk(), { hosting: false });
    await screen.press(...keys);
    expect(activeField(ui(screen))).not.toBeNull();
    await screen.resize(70, 20);
    expect(activeField(ui(screen))).toBeNull();
    const before = ui(screen);
    await screen.press('c', '4');
    expect(typedInto(screen)).toEqual(before.dialogs.map(typed));
    expect(ui(screen).orders.filter).toBe(before.orders.filter);
    await screen.press('q');
    await screen.until(() => screen.exit() !== null);
  });

  it('takes no pastes', async () => {
    const screen = await open(new FakeDesk(), { columns: 120, rows: 40 });
    await screen.press('3', 'N');
    await screen.until(() => ui(screen).dialogs.at(-1)?.kind === 'bot-form');
    expect(withPastedText(ui(screen), '{"type":"SQUEEZE"}')).not.toBeNull();
    await screen.resize(70, 20);
    expect(withPastedText(ui(screen), '{"type":"SQUEEZE"}')).toBeNull();
    const json = { ...ui(screen).dialogs.at(-1), focus: 'json' } as Dialog;
    const at = { ...ui(screen), dialogs: [json] };
    expect(activeArea(at)).toBeNull();
    expect(activeArea({ ...at, columns: 120, rows: 40 })).not.toBeNull();
  });
});

describe('the orders of a panic', () => {
  const market = { type: 'MARKET', status: 'NEW', price: undefined, side: 'BUY' } as const;

  it('are counted by what would be cancelled', () => {
    const orders = {
      m1: order('m1', market),
      m2: order('m2', market),
      s1: order('s1', { side: 'SELL', price: '60000', origQty: '0.5' }),
    };
    expect(partDetail(deskState({ orders }), 'orders')).toBe('1 open: 0 BUY, 1 SELL, 30,000.00 USDT');
  });

  it('are summed quote by quote', () => {
    const base = deskState();
    const [first] = base.instruments;
    if (!first) throw new Error('no instrument');
    const instruments = [...base.instruments, { ...first, symbol: 'ETHBTC', base: 'ETH', quote: 'BTC' }];
    const orders = {
      a: order('a', { price: '60000', origQty: '0.5' }),
      b: order('b', { symbol: 'ETHBTC', price: '0.05', origQty: '2.5' }),
      c: order('c', { side: 'SELL', price: '60000', origQty: '1' }),
      d: order('d', { symbol: 'OLDXYZ', price: '2', origQty: '3' }),
    };
    expect(partDetail(deskState({ instruments, orders }), 'orders')).toBe(
      '4 open: 3 BUY, 1 SELL, 90,000.00 USDT + 0.12500000 BTC + 6.00 in the quote of OLDXYZ',
    );
  });
});

describe('all orders ever', () => {
  const page = (name: string, next: string | null): Result<'orders.closed'> => ({
    orders: Array.from({ length: 100 }, (_, at) =>
      order(`${name}-${100 + at}`, { status: 'CLOSED', orderTime: NOON - 86_400_000 - at }),
    ),
    next,
  });

  it('switched off and on while a page comes begin with the first page', async () => {
    const desk = new FakeDesk();
    const asked: (string | undefined)[] = [];
    const waits: ((page: Result<'orders.closed'>) => void)[] = [];
    desk.answers['orders.closed'] = ({ before }) => {
      asked.push(before);
      return new Promise((resolve) => waits.push(resolve));
    };
    const screen = await open(desk);
    const seen = () => [...new Set(ui(screen).orders.closed.map(({ id }) => id.split('-')[0]))];
    await screen.press('2', 'a');
    waits[0]?.(page('p1', 'c1'));
    await screen.settle();
    await screen.press('G', 'a', 'a');
    expect(asked).toEqual([undefined, 'c1', undefined]);
    waits[1]?.(page('p2', 'c2'));
    await screen.settle();
    expect([seen(), ui(screen).orders.loading]).toEqual([[], true]);
    waits[2]?.(page('p1', 'c1'));
    await screen.settle();
    expect(seen()).toEqual(['p1']);
    await screen.press('G');
    waits[3]?.(page('p2', null));
    await screen.settle();
    expect(asked).toEqual([undefined, 'c1', undefined, 'c1']);
    expect([seen(), ui(screen).orders.next]).toEqual([['p1', 'p2'], null]);
  });

  it('two answers for the first page are one page', async () => {
    const desk = new FakeDesk();
    const waits: ((page: Result<'orders.closed'>) => void)[] = [];
    desk.answers['orders.closed'] = () => new Promise((resolve) => waits.push(resolve));
    const screen = await open(desk);
    await screen.press('2', 'a', 'a', 'a');
    for (const answer of waits) answer(page('p1', 'c1'));
    await screen.settle();
    expect(waits).toHaveLength(2);
    expect(ui(screen).orders.closed).toHaveLength(100);
    expect(ui(screen).orders.loading).toBe(false);
  });
});

describe('a notice', () => {
  const failing = (count: number): FakeDesk => {
    const ids = Array.from({ length: count }, (_, at) => `o${at}`);
    const desk = new FakeDesk(deskState({ orders: Object.fromEntries(ids.map((id) => [id, order(id)])) }));
    desk.answers['orders.cancelAll'] = ({ ids: asked = [] }) =>
      asked.map((id) => ({ id, outcome: refuse('INTERNAL_ERROR', `failed ${id}`) }));
    return desk;
  };

  it('is read to its end, however long, and up again from there at once', async () => {
    const screen = await open(failing(230));
    await screen.press('2', 'X', ...'cancel 230', 'y');
    await screen.until(() => ui(screen).dialogs.at(-1)?.kind === 'notice');
    await screen.send('j'.repeat(300));
    const last = screen.screenText();
    expect(last).not.toContain(' more, ');
    await screen.send('k');
    expect(screen.screenText()).toContain('1 more, ');
  });

  it('shorter than the screen is not scrolled', async () => {
    const screen = await open(failing(2));
    await screen.press('2', 'X', ...'cancel 2', 'y');
    await screen.until(() => ui(screen).dialogs.at(-1)?.kind === 'notice');
    await screen.press('j', 'j');
    expect(ui(screen).dialogs.at(-1)).toMatchObject({ offset: 0 });
  });
});

describe('equal lines of one moment', () => {
  const line = (text: string) => ({ at: NOON, level: 'info' as const, source: 'x', text });
  const log = [line('old'), line('same'), line('same'), line('same'), line('new')];

  it('are rows of their own, which keep their names as others come', () => {
    const ids = (lines: typeof log) => logRows(lines).map(({ id }) => id);
    expect(new Set(ids(log)).size).toBe(5);
    expect(ids([...log, line('same')]).slice(1)).toEqual(ids(log));
  });

  it('do not hold the cursor', () => {
    const rows = partRows(deskState({ log }), 'log');
    let selection: Parameters<typeof moved>[1] = { id: null, index: 0 };
    for (let step = 0; step < 4; step++) selection = moved(rows, selection, 1);
    expect(selection.id).toContain('old');
  });

  it('are passed on the Overview, and the one under the cursor is gone to', async () => {
    const screen = await open(new FakeDesk(deskState({ log })), { columns: 200, rows: 50 });
    for (let tab = 0; tab < 9 && ui(screen).overview.part !== 'log'; tab++) await screen.press('\t');
    await screen.press('j', 'j', 'j', 'j');
    expect(screen.screenLines().find((text) => text.includes('▸'))).toContain('old');
    await screen.press(ENTER);
    expect(ui(screen).log.line).toMatchObject({ text: 'old' });
    await screen.press(ESC);
  });
});

describe('figures have the decimals of their instrument', () => {
  const state = deskState({
    prices: {
      'paper BTCUSDT': {
        market: 'paper',
        symbol: 'BTCUSDT',
        last: '61234.1',
        open24h: '60000',
        time: NOON,
        spark: [],
      },
    },
  });

  it('in the detail of an order', () => {
    const text = textOf(
      detailLines(
        order('a', { price: '60500', origQty: '0.5', fillPrice: '60500.5' }),
        null,
        state,
        NOON,
        80,
      ),
    );
    for (const part of ['61,234.10', '60,500.00', '60,500.50']) expect(text).toContain(part);
  });

  it('in the detail of a position; computed averages are rounded to them', () => {
    const figures = {
      entryPrice: '60000.5',
      breakEvenPrice: '60030.123456',
      markPrice: '61234.1',
      liquidationPrice: '54210',
    };
    const text = textOf(
      positionDetailLines({ ...position('BTCUSDT', figures), id: 'a' }, state, [], NOON, 80),
    );
    for (const part of ['60,000.50', '60,030.12 entry fees in', '61,234.10', '54,210.00'])
      expect(text).toContain(part);
  });
});

describe('figures of one moment', () => {
  it('the ticket’s last and mark are those of its check, however the price has moved since', async () => {
    const desk = new FakeDesk(deskState({ futures: somePositions() }));
    const screen = await open(desk);
    await screen.press('5', 'n');
    await screen.shows('mark 61,234.10');
    const price = desk.state.prices['paper BTCUSDT'];
    if (price) desk.push({ prices: { 'paper BTCUSDT': { ...price, last: '61999.00' } } });
    await screen.settle();
    const shown = /last ([\d,.]+) {2}mark ([\d,.]+)/.exec(screen.screenText());
    expect(shown?.[1]).toBe(shown?.[2]);
  });
});

describe('a trailing stop that the engine holds', () => {
  const trailing = order('t', {
    type: 'STOP_MARKET',
    side: 'SELL',
    status: 'NEW',
    price: undefined,
    held: true,
    trailing: { delta: 100, time: NOON },
    trail: { best: '61234.10', level: '60621.759' },
  });

  it('shows where it fires now, in the list and in its details, and that it is emulated', async () => {
    const screen = await open(new FakeDesk(deskState({ orders: { t: trailing } })), {
      columns: 160,
      rows: 40,
    });
    await screen.press('2');
    expect(screen.screenText()).toMatch(/SELL +STOP +0\.50000 +60,621\.76 .* -1\.00 %/);
    await screen.press(ENTER);
    expect(screen.screenText()).toMatch(/best so far +61,234\.10 +fires at +60,621\.76/);
    expect(screen.screenText()).toContain('emulated: held by the engine');
  });

  it('says that it is not armed, and that the exchange tells no level', () => {
    const state = deskState({});
    const lines = (change: Partial<typeof trailing>) =>
      textOf(detailLines({ ...trailing, trail: undefined, ...change }, null, state, NOON, 80));
    expect(lines({})).toContain('not armed yet');
    const there = { held: undefined, specific: { activationPrice: '62000' } };
    expect(lines(there)).toContain(
      'trails      1 % from 62,000.00 on, by the exchange since 03-02 14:07; level at exchange',
    );
    expect(lines({ ...there, trailing: { delta: 50, time: 0 } })).toContain(
      '0.5 % from 62,000.00 on, not armed yet',
    );
    expect(lines({ held: undefined, trailing: { delta: 50, time: 0 } })).toContain(
      '0.5 %, by the exchange; level',
    );
  });
});
