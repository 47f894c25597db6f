/**
 * The market screen on a terminal: what it shows at both sizes, what its keys do, and what it asks of the
 * desk.
 */
import { describe, expect, it } from 'vitest';
import { ok, refuse } from '../../../src/domain/errors.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { lookOf, marketDesk, TAPE } from './markets.ts';

const open = rigPerTest();

const BTC_ROW = ['j', 'j', 'j', 'j', ENTER] as const;
const MINUTE = 60_000;
const RIGHT = '\x1b[C';
const LEFT = '\x1b[D';
const UP = '\x1b[A';
const DOWN = '\x1b[B';

const asked = (desk: FakeDesk, ...methods: readonly string[]) =>
  desk.calls.filter(({ method }) => methods.includes(method));
const view = (screen: Rig) => screen.session.ui.getState().market;

async function shown(desk: FakeDesk, columns = 80, rows = 24): Promise<Rig> {
  const screen = await open(desk, { columns, rows });
  await screen.press(...BTC_ROW);
  await screen.until(() => view(screen).past !== null && view(screen).fills !== null);
  return screen;
}

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  it('shows chart, depth and trades of a market that tells them', async () => {
    const screen = await shown(marketDesk('depth'), columns, rows);
    await screen.press('e', 'e', 'w', LEFT, LEFT, UP);
    await screen.until(() => screen.session.ui.getState().message !== null);
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('shows the chart alone of one that knows last prices only', async () => {
    const screen = await shown(marketDesk('last'), columns, rows);
    await screen.press('i');
    expect(screen.screenText()).toContain('knows last prices only');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('draws it in ASCII where that is asked for', async () => {
    const screen = await open(marketDesk('depth'), { columns, rows, ascii: true });
    await screen.press(...BTC_ROW, 'e', 'e', 'w', 'i', LEFT, UP);
    expect(screen.screenText()).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('its keys', () => {
  it('shorter and longer candles are asked for, and no more when the frame has not changed', async () => {
    const desk = marketDesk('depth');
    const screen = await shown(desk);
    await screen.press('>', '>', '>', '>');
    expect(screen.screenText()).toContain('there are no longer candles');
    const frames = asked(desk, 'market.look').map(
      ({ params }) => (params as { frameMs: number }).frameMs / MINUTE,
    );
    expect(frames).toEqual([15, 60, 240, 1_440]);
    expect(
      asked(desk, 'market.candles').map(({ params }) => (params as { frameMs: number }).frameMs / MINUTE),
    ).toEqual(frames);
  });

  it('a market without such short candles is looked at in the next longer ones', async () => {
    const desk = marketDesk('last', {
      'market.look': ({ frameMs, symbol }) => {
        if (frameMs < 60 * MINUTE) return refuse('INVALID_REQUEST', 'a frame that it has not');
        desk.push({ look: { whole: true, ...lookOf('last', frameMs, symbol) } });
        return ok(null);
      },
    });
    const screen = await shown(desk);
    expect(view(screen)).toMatchObject({ frameMs: 60 * MINUTE, refusal: null });
  });

  it('a refusal is shown in words', async () => {
    const refused = refuse('NOT_FOUND', 'no account here trades BTCUSDT on paper');
    const screen = await shown(marketDesk('last', { 'market.look': () => refused }));
    await screen.shows('no account here trades BTCUSDT on paper');
  });

  it('the price under the crosshair is the one a ticket begins with, on the account that tab has chosen', async () => {
    const screen = await shown(marketDesk('depth'));
    await screen.press('\t', LEFT, LEFT, UP, UP, UP);
    const { across } = view(screen);
    expect(Number(across)).toBeGreaterThan(0);
    await screen.press('n');
    const [ticket] = screen.session.ui.getState().dialogs;
    expect(ticket).toMatchObject({
      kind: 'ticket',
      draft: { exchange: 'paper-futures', symbol: 'BTCUSDT', price: across },
    });
    await screen.press(ESC, ESC);
    expect(view(screen)).toMatchObject({ cursor: null, across: null });
    // The ticket that was left opens again, with another price if the cursor points at one.
    await screen.press(ENTER);
    expect(screen.session.ui.getState().dialogs[0]).toMatchObject({ draft: { price: across } });
    await screen.press(ESC, UP, UP);
    const { across: other } = view(screen);
    expect(other).not.toBe(across);
    await screen.press('n');
    expect(screen.session.ui.getState().dialogs[0]).toMatchObject({ draft: { price: other } });
  });

  it('the line across moves by rows, stays on the tick and between the edges of the chart', async () => {
    const screen = await shown(marketDesk('last'));
    await screen.press(UP);
    const first = Number(view(screen).across);
    await screen.press(DOWN, DOWN);
    expect(Number(view(screen).across)).toBeLessThan(first);
    await screen.press('G');
    const lowest = Number(view(screen).across);
    await screen.press(DOWN);
    expect(Number(view(screen).across)).toBe(lowest);
    await screen.press('g');
    expect(Number(view(screen).across)).toBeGreaterThan(first);
    expect(view(screen).across).toMatch(/^\d+\.\d\d$/);
    await screen.press(RIGHT);
    expect(view(screen).cursor).not.toBeNull();
  });

  it('from 120 columns on the ticket stands beside the chart, and the chart gives way to it', async () => {
    const screen = await shown(marketDesk('depth'), 120, 30);
    await screen.press('n');
    const lines = screen.screenLines().slice(2, 28);
    const at = lines.find((line) => line.includes('BUY BTCUSDT'))?.indexOf('╭') ?? -1;
    expect(at).toBe(57);
    for (const line of lines) expect(line.slice(0, 56)).not.toMatch(/[╭╮╰╯]/);
    expect(lines.some((line) => line.slice(0, 56).includes('last'))).toBe(true);
  });
});

describe('what the desk is asked', () => {
  it('is for what is in view, and that it is left when the screen is', async () => {
    const desk = marketDesk('depth');
    const screen = await shown(desk);
    expect(asked(desk, 'market.look', 'market.lookAway').map(({ method }) => method)).toEqual([
      'market.look',
    ]);
    await screen.press(ESC);
    expect(screen.session.ui.getState().screen).toBe('overview');
    await screen.until(() => asked(desk, 'market.lookAway').length === 1);
    desk.push({ look: { whole: true, ...lookOf('depth', MINUTE) } });
    await screen.settle();
    expect(asked(desk, 'market.look')).toHaveLength(1);
  });

  it('a candle that has closed stays where it is until the desk has it', async () => {
    const desk = marketDesk('last');
    const screen = await shown(desk);
    const before = view(screen).past?.candles.length ?? 0;
    const { forming } = lookOf('last', 15 * MINUTE);
    if (!forming) throw new Error('no candle forms');
    desk.push({ look: { forming: { ...forming, time: forming.time + 15 * MINUTE } } });
    await screen.until(() => view(screen).past?.candles.at(-1)?.time === forming.time);
    expect(view(screen).past?.candles.length).toBeLessThanOrEqual(Math.max(1_000, before + 1));
  });

  it('trades that come are put before those that are there', async () => {
    const desk = marketDesk('depth');
    const screen = await shown(desk, 200, 50);
    const [newest] = TAPE;
    if (!newest) throw new Error('no trades');
    desk.push({ look: { tape: [{ ...newest, price: '61999.99' }] } });
    await screen.shows('61,999.99');
  });
});

describe('the way to it', () => {
  it.each([
    ['an order', ['2'], 'BTCUSDT'],
    ['a position', ['5'], 'BTCUSDT'],
    ['a symbol of the Overview', ['j'], 'AVAXUSDT'],
  ] as const)('C opens it from %s', async (_, keys, symbol) => {
    const screen = await open(marketDesk('last'));
    await screen.press(...keys, 'C');
    const { screen: id, market } = screen.session.ui.getState();
    expect([id, market.at?.symbol]).toEqual(['market', symbol]);
    await screen.press(ESC);
    expect(screen.session.ui.getState().screen).toBe(market.from);
  });

  it('a balance leads to where its asset is traded', async () => {
    const { somePortfolios } = await import('../support/some-desk.ts');
    const desk = marketDesk('last');
    desk.push({ portfolios: somePortfolios() });
    const screen = await open(desk);
    await screen.press('4', '/', 'BTC', ENTER, 'C');
    expect(view(screen).at).toEqual({ market: 'paper', symbol: 'BTCUSDT', exchange: 'paper-spot' });
  });

  it('the palette opens it by its name', async () => {
    const screen = await open(marketDesk('last'));
    await screen.press(':', 'market sol', ENTER);
    const { screen: id, market } = screen.session.ui.getState();
    expect([id, market.at?.symbol]).toEqual(['market', 'SOLUSDT']);
  });
});
