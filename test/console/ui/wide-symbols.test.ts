/**
 * Symbols of letters two cells wide: every screen has the same layout as with the same number of narrow
 * cells, and names that are easily confused are marked.
 */
import { describe, expect, it } from 'vitest';
import { activeField } from '../../../src/console/forms/text-fields.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk } from '../support/some-bots.ts';
import { somePortfolios } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order, someOrders } from '../support/some-orders.ts';

const open = rigPerTest();
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

const WIDE = { BTC: '币安人生', SOL: '币人', XRP: '安生' };
/** Names with the same number of cells, in the same order, also after the capitals. */
const NARROW = { BTC: 'xzzzxzzz', SOL: 'xyyy', XRP: 'wwww' };

const TRADE: FillRecord = {
  user: 'owner',
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  tradeId: '7',
  orderId: 'oc-1',
  side: 'BUY',
  price: '60000',
  qty: '0.1',
  comm: '0.01',
  commAsset: 'USDT',
  maker: false,
  rPnl: null,
  posSide: 'BOTH',
  time: NOON,
};

/** A busy desk whose symbols have these names. */
function deskWith(names: typeof WIDE): FakeDesk {
  const desk = botDesk({
    futures: somePositions(),
    portfolios: somePortfolios(),
    orders: { ...someOrders(), 'oc-long': order('oc-long', { symbol: 'BTCXRPBTCUSDT' }) },
  });
  let text = JSON.stringify(desk.state);
  for (const [plain, name] of Object.entries(names)) text = text.replaceAll(plain, name);
  desk.state = JSON.parse(text) as DeskState;
  desk.answers['trades.page'] = () => ({
    trades: [
      { ...TRADE, symbol: `${names.BTC}USDT` },
      { ...TRADE, symbol: 'ETHUSDT', tradeId: '8', commAsset: names.SOL },
    ],
    next: null,
  });
  return desk;
}

/** The cells of the screen; the cells of the names, and where they are cut, are blank. */
function picture({ terminal }: Rig): string[] {
  const rows: string[] = [];
  const { active } = terminal.buffer;
  for (let row = 0; row < terminal.rows; row++) {
    const line = active.getLine(active.viewportY + row);
    let out = '';
    for (let column = 0; column < terminal.cols; column++) {
      const cell = line?.getCell(column);
      const char = cell?.getChars() || ' ';
      out += /[币安人生wxyz…]/.test(char) ? ' ' : char;
      if (cell?.getWidth() === 2) {
        out += ' ';
        column += 1;
      }
    }
    rows.push(out.replace(/settles in \d s/, 'settles in 9 s'));
  }
  return rows;
}

/** Keys to each place that shows symbols. */
const PLACES: readonly (readonly [name: string, ...keys: string[]])[] = [
  ['the overview', '1'],
  ['orders', '2'],
  ['an order', '2', ENTER],
  ['orders sorted by symbol', '2', 'o'],
  ['trades', '2', 't'],
  ['bots', '3'],
  ['a bot', '3', ENTER],
  ['a new bot', 'j', 'j', 'j', 'j', '3', 'n', ENTER],
  ['the portfolio', '4'],
  ['positions', '5'],
  ['a position', '5', ENTER],
  ['accounts', '7'],
  ['alerts', '8'],
  ['the log', '9'],
  ['the palette', ':'],
];

describe.each([
  [80, 24],
  [132, 40],
])('at %ix%i', (columns, rows) => {
  it.each(PLACES)('%s stands as with narrow letters', async (_, ...keys) => {
    const shown = [];
    for (const names of [WIDE, NARROW]) {
      const screen = await open(deskWith(names), { columns, rows });
      await screen.press(...keys);
      await screen.settle();
      // The editor's replay comes without a key, a moment after the last one.
      if (keys.includes('n')) await screen.shows('not played here');
      if (names === WIDE && !['7', ':'].includes(keys[0] ?? ''))
        expect(screen.screenText()).toMatch(/[币安]/);
      shown.push(picture(screen));
    }
    expect(shown[0]).toEqual(shown[1]);
  });
});

/** Checks that every row of the dialog ends where its frame does. */
function framed(screen: Rig): void {
  const rows = screen.screenLines().filter((row) => /[│╮╯]$/.test(row));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => cellWidth(row) !== cellWidth(rows[0] ?? ''))).toEqual([]);
}

/** Keys to each dialog that names symbols. */
const DIALOGS: readonly (readonly [name: string, ...keys: string[]])[] = [
  ['the question whether to cancel', '2', 'x'],
  ['the question whether to cancel all', '2', 'X'],
  ['a split', '2', 'j', 's'],
  ['the close of a position', '5', 'x'],
  ['a stop of a position', '5', 's'],
  ['the leverage of a position', '5', 'v'],
  ['panic', '1', 'P'],
  ['the end of a bot', '3', 'j', 'j', 'j', 'x'],
];

it.each(DIALOGS)('%s keeps its frame', async (_, ...keys) => {
  const screen = await open(deskWith(WIDE));
  await screen.press(...keys);
  await screen.settle();
  expect(screen.session.ui.getState().dialogs.length, screen.screenText()).toBeGreaterThan(0);
  framed(screen);
});

const symbolOf = ({ session }: Rig) => activeField(session.ui.getState())?.value;

describe('an order of such a symbol', () => {
  it('is typed or pasted into the ticket, whose letters are named there and in the confirmation', async () => {
    const screen = await open(deskWith(WIDE));
    await screen.press('2', 'n', '币', '安人', '生usdt');
    expect(symbolOf(screen)).toBe('币安人生USDT');
    expect(screen.screenText()).toContain('letters outside A-Z: 币安人生 (Han)');
    expect(screen.screenText()).toMatch(/BUY 币安人生USDT/);
    framed(screen);
    await screen.press('\x7f', '\x7f', '\x7f', '\x7f', '\x7f');
    expect(symbolOf(screen)).toBe('币安人');
    expect(screen.screenText()).toContain('币安人生USDT');
    framed(screen);
    await screen.press('\x1b[D', '\x1b[C', paste('生USDT'));
    expect(symbolOf(screen)).toBe('币安人生USDT');
    await screen.press('\t', '\t', '\t', '1', '\t', '60000', CTRL_R);
    await screen.shows('place this order');
    expect(screen.screenText()).toContain('letters     outside A-Z: 币安人生 (Han)');
    framed(screen);
  });

  it('is found by the filter and in the palette, also pasted in parts', async () => {
    const screen = await open(deskWith({ ...WIDE, BTC: 'ÉTÉ' }));
    await screen.press('2', '/', paste('été'.normalize('NFD')));
    expect(screen.screenText()).toContain('ÉTÉUSDT');
    expect(screen.screenText()).not.toContain('ETHUSDT');
    await screen.press(ESC, '/', '安生');
    expect(screen.screenText()).toContain('安生USDT');
    expect(screen.screenText()).not.toContain('ÉTÉUSDT');
    await screen.press(ESC, ':', '安生');
    expect(screen.screenText()).toContain('安生USDT');
  });

  it('has its letters named in every question about it', async () => {
    const screen = await open(deskWith(WIDE));
    await screen.press('2', 'x');
    await screen.shows('cancel the order');
    expect(screen.screenText()).toContain('letters     outside A-Z: 安生 (Han)');
    framed(screen);
    await screen.press(ESC, '5', 'x');
    await screen.shows('Close at market');
    expect(screen.screenText()).toContain('letters     outside A-Z: 币安人生 (Han)');
  });

  it('of a spelling with small letters is typed in any case', async () => {
    const screen = await open(deskWith({ ...WIDE, BTC: 'kPepe' }));
    await screen.press('2', 'n', 'kpepeusd');
    expect(symbolOf(screen)).toBe('KPEPEUSD');
    expect(screen.screenText()).toContain('kPepeUSDT');
    await screen.press('t');
    expect(symbolOf(screen)).toBe('kPepeUSDT');
    await screen.press('\t', '\t', '\t', '7');
    expect(screen.screenText()).toContain('BUY kPepeUSDT');
  });

  it('of letters beyond U+FFFF loses a whole one by Backspace', async () => {
    const screen = await open(deskWith(WIDE));
    await screen.press('2', 'n', '𠮷', '野');
    expect(symbolOf(screen)).toBe('𠮷野');
    await screen.press('\x7f', '\x7f');
    expect(symbolOf(screen)).toBe('');
    await screen.press('B', '𠮷', '\x7f', 'T');
    expect(symbolOf(screen)).toBe('BT');
  });

  it('longer than its field shows its end in the field', async () => {
    const screen = await open(deskWith(WIDE));
    await screen.press('2', 'n', paste('币安人生'.repeat(6)));
    framed(screen);
    await screen.press('\t');
    framed(screen);
    expect(screen.screenText()).toContain('…币安人生');
  });
});
