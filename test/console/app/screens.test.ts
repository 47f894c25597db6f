/** Whole screens on a terminal emulator: what they show, that they fit, and that they survive a resize. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const hostile = (
  JSON.parse(
    readFileSync(new URL('../../fixtures/security/terminal_strings.json', import.meta.url), 'utf8'),
  ) as {
    strings: { s: string }[];
  }
).strings.map(({ s }) => s);

/**
 * The screen's text; a countdown, which uses the real clock, is set to its start, also where a dialog hides
 * its first words.
 */
function picture(screen: Rig): string {
  return screen.screenText().replace(/(settles in |│ )\d s(?= )/g, '$19 s');
}

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  it.each([
    ['Overview', '1'],
    ['Orders', '2'],
    ['Positions', '5'],
    ['Keys', '6'],
    ['Log', '9'],
  ])('%s', async (_, key) => {
    const screen = await open(new FakeDesk(), { columns, rows });
    await screen.press(key);
    expect(picture(screen)).toMatchSnapshot();
  });

  it('the order detail, the ticket, the confirmation and the help', async () => {
    const screen = await open(new FakeDesk(), { columns, rows });
    await screen.press('2', 'j', ENTER);
    await screen.shows('asked by operator');
    expect(picture(screen)).toMatchSnapshot('detail');
    await screen.press(ESC, 'n');
    await screen.shows('is needed');
    expect(picture(screen)).toMatchSnapshot('ticket');
    await screen.press(ESC, 'x');
    expect(picture(screen)).toMatchSnapshot('cancel');
    await screen.press(ESC, '?');
    expect(picture(screen)).toMatchSnapshot('help');
  });

  it('positions, one of them in detail, and the ways to close, protect and set it', async () => {
    const desk = new FakeDesk(deskState({ futures: somePositions() }));
    const screen = await open(desk, { columns, rows });
    await screen.shows('no stop 1 of 3');
    await screen.press('5', 'j');
    expect(picture(screen)).toMatchSnapshot('positions');
    await screen.press(ENTER);
    await screen.until(() => desk.calls.some(({ method }) => method === 'futures.brackets'));
    await screen.settle();
    expect(picture(screen)).toMatchSnapshot('position');
    await screen.press('\t', 'G');
    await screen.shows('3,000,000');
    await screen.press(ESC, 'k', 'x');
    await screen.shows('Close at market');
    expect(picture(screen)).toMatchSnapshot('close');
    await screen.press(ESC, 's', '54000');
    await screen.shows('once the mark price reaches 54,000');
    expect(picture(screen)).toMatchSnapshot('stop form');
    await screen.press(CTRL_R);
    expect(screen.screenText()).toContain('the liquidation price 54,210.55 is reached first');
    await screen.press(ESC, ESC, 'v', '200');
    await screen.shows('the symbol allows 1 to 125');
    expect(picture(screen)).toMatchSnapshot('leverage form');
    await screen.press(ESC, 'n', '\t', '\t', '\x1b[C', '\x1b[C', '\x1b[C');
    await screen.shows('trigger by');
    // The engine's check of what is typed so far.
    await screen.shows('available 100,000 USDT');
    expect(picture(screen)).toMatchSnapshot('futures ticket');
  });

  it('no row is wider than the terminal, whatever the desk says', async () => {
    const base = deskState();
    const orders = Object.fromEntries(
      hostile.map((s, at) => {
        const entry = order(`oc-${at}${s}`, {
          symbol: s,
          creatorId: s,
          text: s,
          exchange: s,
          origQty: s,
          price: s,
        });
        return [entry.id, entry];
      }),
    );
    const log = hostile.map((text) => ({ at: 1, level: 'warn' as const, source: text, text }));
    const keys = hostile.map((label, at) => ({
      ...base.keys[0],
      id: `${at}${label}`,
      label,
    })) as typeof base.keys;
    const prices = Object.fromEntries(
      hostile.map((s) => [
        `paper ${s}`,
        { market: 'paper', symbol: s, last: s, time: 1, open24h: s, spark: [] },
      ]),
    );
    const futures = {
      'paper-futures': {
        hedgeMode: true,
        leverage: {},
        positions: hostile.map((s, at) =>
          position(s, { key: `${at}${s}`, amount: s, entryPrice: s, markPrice: s, exchange: s }),
        ),
      },
    };
    const desk = new FakeDesk({
      ...base,
      orders,
      log,
      keys,
      prices,
      futures,
      desk: { ...base.desk, user: hostile[0] ?? '' },
    });
    const screen = await open(desk, { columns, rows });
    for (const key of ['1', '2', '4', '5', '6', '7', '9']) {
      await screen.press(key, 'G', 'k', 'k');
      const lines = screen.screenLines();
      expect(lines[1]).toContain('Ord');
      expect(lines).toHaveLength(rows);
      expect(screen.terminal.buffer.active.length).toBe(rows);
      expect(lines[rows - 1]).toContain('? help');
    }
    const sent = screen.stdout.chunks.join('');
    // Apart from line ends and Ink's CSI sequences, there is nothing that a terminal would act on.
    const [start = '', ...sequences] = sent.split('\u001b');
    const texts = sequences.map((sequence) => {
      expect(sequence).toMatch(/^\[[0-9;?]*[A-Za-z]/);
      return sequence.replace(/^\[[0-9;?]*[A-Za-z]/, '');
    });
    expect([start, ...texts].join('').replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]*$/u);
  });
});

describe('the frame', () => {
  it('follows a resize at once, with the selection kept', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'j');
    for (const [columns, rows] of [
      [120, 30],
      [200, 50],
      [81, 25],
      [80, 24],
    ] as const) {
      await screen.resize(columns, rows);
      await screen.shows('help');
      const lines = screen.screenLines();
      expect(lines).toHaveLength(rows);
      expect(lines[0]).toContain('OUTCRY');
      expect(lines[rows - 1]).toContain('? help');
      expect(lines.find((line) => line.startsWith('▸'))).toContain('ETHUSDT');
      expect(lines.filter((line) => line.includes('OUTCRY'))).toHaveLength(1);
    }
  });

  it('says it is too small, with both sizes, and keeps q working', async () => {
    const screen = await open(new FakeDesk(), { columns: 79, rows: 24 });
    expect(screen.screenText()).toContain('have 79x24, need 80x24');
    await screen.resize(80, 10);
    await screen.shows('have 80x10, need 80x24');
    await screen.resize(12, 2);
    expect(screen.screenLines()).toHaveLength(2);
    await screen.resize(100, 30);
    await screen.shows('Watchlist');
    await screen.resize(40, 10);
    await screen.press('n', 'y', 'q');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'detach' });
  });

  it('names PAPER as a word, the replay with its pace, and that it is held', async () => {
    const base = deskState();
    const market = Date.UTC(2025, 1, 3, 2, 8);
    const clock = { ...base.clock, feed: 'csv:./data', live: false, market, speed: 600, held: true };
    const screen = await open(new FakeDesk({ ...base, clock }), { columns: 120, rows: 30 });
    expect(screen.screenLines()[0]).toContain(' PAPER ');
    expect(screen.screenLines()[0]).toContain('REPLAY 2025-02-03 02:08 x600 HELD');
  });

  it('draws everything anew on ctrl-l', async () => {
    const screen = await open();
    const before = screen.screenText();
    screen.terminal.write('\x1b[5;5Hgarbage of another program');
    await screen.until(() => screen.screenText().includes('garbage'));
    await screen.press('\x0c');
    await screen.until(() => !screen.screenText().includes('garbage'));
    expect(screen.screenText()).toBe(before);
  });

  it('shows LIVE when it is', async () => {
    const base = deskState();
    const screen = await open(new FakeDesk({ ...base, desk: { ...base.desk, paper: false } }));
    expect(screen.screenLines()[0]).toContain(' LIVE ');
  });

  it('puts unresolved orders on top with their countdown, and counts them in the footer', async () => {
    const screen = await open();
    await screen.press('2', 'o', 'O');
    const first = screen.screenLines().findIndex((line) => line.includes('symbol'));
    expect(screen.screenLines()[first + 1]).toContain('UNKNOWN');
    expect(screen.screenLines().at(-1)).toContain('! 1 unresolved');
    await screen.press('1');
    expect(screen.screenText()).toMatch(/XRPUSDT {6}BUY {2}8,000 {2}settles in \d+ s {2}asked 2 times/);
  });

  it('draws in ASCII when asked to', async () => {
    const screen = await open(new FakeDesk(), { ascii: true });
    for (const key of ['1', '2', '5', '6', '9', '?']) {
      await screen.press(key);
      expect(screen.screenText()).toMatch(/^[\x20-\x7e\n]*$/);
    }
  });

  it('shows a lost line as such, calls nothing and leaves with q', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    desk.lose('the desk was stopped');
    await screen.shows('The line to the desk is lost');
    expect(screen.screenText()).toContain('the desk was stopped');
    const before = desk.calls.length;
    await screen.press('n', 'x', 'y', ENTER, '2', ':');
    expect(desk.calls.length).toBe(before);
    await screen.press('q');
    await screen.until(() => screen.exit() !== null);
  });

  it('restores the terminal when it is left, and when the terminal goes away', async () => {
    const screen = await open(new FakeDesk(), { hosting: false });
    await screen.press('q');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'detach' });
    const sent = screen.stdout.chunks.join('');
    expect(sent).toContain('\x1b[?1049l');
    expect(sent.lastIndexOf('\x1b[?25h')).toBeGreaterThan(sent.lastIndexOf('\x1b[?25l'));

    const other = await open();
    other.stdin.end();
    await other.until(() => other.exit() !== null);
    expect(other.exit()?.action).toBe('hangup');
  });
});

describe('Orders', () => {
  it('shows all closed orders, page by page as the selection gets there', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'a');
    await screen.shows('106+ shown');
    await screen.press('G');
    await screen.shows('206 shown');
    expect(desk.calls.filter(({ method }) => method === 'orders.closed')).toHaveLength(2);
  });

  it('filters live, also when all keys come in one event', async () => {
    const screen = await open();
    await screen.press('2', '/eth');
    expect(screen.screenText()).toContain('1 open · 1 shown');
    await screen.press('x');
    expect(screen.screenText()).toContain('no orders match "ethx" · esc clears the filter');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('4 open · 6 shown');
  });

  it('takes several characters of one event one by one', async () => {
    const screen = await open();
    await screen.press('2', 'jjj');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('SOLUSDT');
  });

  it('keeps the selection on its order when others come in above', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', 'j');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('BTCUSDT');
    desk.push({ orders: { 'oc-zzz': order('oc-zzz', { symbol: 'NEWUSDT', orderTime: Date.now() * 2 }) } });
    await screen.shows('NEWUSDT');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('BTCUSDT');
  });
});
