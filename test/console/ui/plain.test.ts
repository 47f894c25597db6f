/** Settings of the terminal hold on every screen: no colours, ASCII only, lines for screen readers. */

import { describe, expect, it } from 'vitest';
import { toAscii } from '../../../src/console/ui/glyphs.ts';
import { spokenCell, spokenLine } from '../../../src/console/ui/spoken.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { SCREENS } from '../support/parts.ts';
import { CTRL_R, ENTER, ESC, type Rig, type RigOptions } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';

const open = rigPerTest();

/** Walks through every screen with its detail, and one dialog of each kind; returns all output. */
async function walk(options: RigOptions, look: (screen: Rig) => void = () => {}): Promise<string> {
  const desk = new FakeDesk(deskState({ futures: somePositions(), bots: someBots() }));
  const rig = await open(desk, options);
  const go = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await rig.press(key);
      look(rig);
    }
  };
  for (const { digit } of SCREENS) await go(digit, 'j', ENTER, '\t', ESC, ESC, ESC);
  await go('2', '?', ESC, 'x', ESC, 's', '60000 61000', ESC, 'X', ESC, '/', 'btc', ESC, ESC);
  await go('n', '1.5', '\t', '\t', 'é', CTRL_R, ESC, ESC, ESC);
  await go(
    ':',
    'é',
    ESC,
    ':',
    'theme light',
    ESC,
    '6',
    'n',
    'label',
    ESC,
    '5',
    'v',
    ESC,
    '3',
    'r',
    ESC,
    'x',
    ESC,
    'q',
    ESC,
  );
  return rig.stdout.chunks.join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const SEQUENCE = /\x1b(?:\[[0-9;?>=<$ ]*[@-~]|\][^\x07]*\x07)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const SGR = /\x1b\[([0-9;]*)m/g;

/** The sequences that set a colour, foreground or background. */
function colours(output: string): string[] {
  return [...output.matchAll(SGR)]
    .map(([, codes = '']) => codes)
    .filter((codes) => codes.split(';').some((code) => /^(3[0-8]|4[0-8]|9\d|10[0-7])$/.test(code)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the bell and line ends are no signs
const SIGNS = /[^\x20-\x7e\r\n\x07]/gu;
const beyondAscii = (output: string) => [...new Set(output.replace(SEQUENCE, '').match(SIGNS) ?? [])];

describe('on every screen', { timeout: 60_000 }, () => {
  it('NO_COLOR: not one colour', async () => {
    const output = await walk({ env: { TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1' } });
    expect(colours(output)).toEqual([]);
    expect(output).toContain('\x1b[7m');
  });

  it('otherwise colours, in the notation the terminal knows', async () => {
    const output = await walk({ env: { TERM: 'xterm-256color' } });
    const found = colours(output);
    expect(found.length).toBeGreaterThan(100);
    expect(found.every((codes) => /^[34]8;5;\d+$/.test(codes) || codes === '39' || codes === '49')).toBe(
      true,
    );
  });

  it('--ascii: no character beyond ASCII, what is typed included', async () => {
    expect(beyondAscii(await walk({ ascii: true }))).toEqual([]);
  });

  it('TERM=dumb: lines without colours, ASCII only, no alternate screen', async () => {
    const output = await walk({ env: { TERM: 'dumb', COLORTERM: 'truecolor' } });
    expect([...output.matchAll(SGR)]).toEqual([]);
    expect(beyondAscii(output)).toEqual([]);
    // It only writes lines, without escape sequences.
    expect(output).not.toContain('\x1b');
  });

  it('TERM=dumb: a key writes what is new, and ctrl-l the whole page', async () => {
    const screen = await open(new FakeDesk(), { env: { TERM: 'dumb' } });
    const written = async (key: string) => {
      const from = screen.stdout.chunks.length;
      await screen.press(key);
      return screen.stdout.chunks.slice(from).join('').split('\n').filter(Boolean);
    };
    const page = await written('2');
    expect(page).toContain('Screen 2: Orders');
    expect(await written('j')).toEqual([expect.stringMatching(/^selected: .*BTCUSDT/)]);
    expect(await written('\x0c')).toHaveLength(page.length);
  });

  it('--screen-reader: plain lines, the first of which says so', async () => {
    const firsts = new Set<string>();
    const output = await walk({ screenReader: true, columns: 200, rows: 100 }, (screen) =>
      firsts.add(screen.screenLines()[0] ?? ''),
    );
    expect([...firsts]).toEqual(['Screen reader mode, ? lists the keys']);
    expect([...output.matchAll(SGR)]).toEqual([]);
    expect(output).not.toContain('\x1b[?1049h');
    expect(output.match(/[\u2500-\u259f\u25a0-\u25ff\u2800-\u28ff]/gu)).toBeNull();
  });
});

describe('read aloud', () => {
  const spoken = (desk?: FakeDesk) => open(desk, { screenReader: true, columns: 200, rows: 100 });
  const lines = (screen: Rig) => screen.screenLines().filter((line) => line !== '');

  it('a screen goes from its name over its panes, one after the other, to its keys', async () => {
    const screen = await spoken();
    const all = lines(screen);
    const at = (start: string) => all.findIndex((line) => line.startsWith(start));
    const order = [
      'Screen reader mode',
      'OUTCRY, PAPER',
      'Screen 1: Overview',
      'Equity and PnL',
      'Orders',
      'Feed',
    ];
    const places = [...order, 'Watchlist', 'Log', 'n new order'].map(at);
    expect(places.every((place) => place >= 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  it('a row of a table says the titles of its columns, and whether it is selected', async () => {
    const screen = await spoken();
    await screen.press('2', 'j');
    const row = lines(screen).find((line) => line.startsWith('selected: '));
    expect(row).toMatch(/symbol BTCUSDT, side BUY, type LIMIT, .*price 60,500\.00.*status OPENED/);
    expect(lines(screen).filter((line) => line.startsWith('selected: '))).toHaveLength(1);
  });

  it('a dialog takes the place of the screen; the field that is typed into says so', async () => {
    const screen = await spoken();
    await screen.press('n', 'ETHUSDT');
    expect(lines(screen).some((line) => /^selected: symbol typing: ETHUSDT/.test(line))).toBe(true);
    expect(screen.screenText()).not.toContain('Watchlist');
    await screen.press(ESC, '2', 'j', 'x');
    await screen.shows('y cancel');
    expect(screen.screenText()).toContain('Cancel');
  });

  it('stands still while nobody presses a key, and shows the newest after one', async () => {
    const desk = new FakeDesk();
    const rig = await spoken(desk);
    const price = desk.state.prices['paper ADAUSDT'];
    if (!price) throw new Error('no price');
    const before = rig.stdout.chunks.length;
    const acks = desk.acks;
    desk.push({ prices: { 'paper ADAUSDT': { ...price, last: '0.9999' } } });
    // The desk gets its acknowledgement; the page is not read out again.
    await rig.until(() => desk.acks > acks);
    expect(rig.stdout.chunks.slice(before).join('')).not.toContain('0.9999');
    await rig.press('j');
    await rig.shows('0.9999');
  });

  it('has no mouse, and says where one is turned on', async () => {
    const screen = await open(new FakeDesk(), { screenReader: true });
    await screen.press(':', ...'mouse on', ENTER);
    await screen.shows('on your other terminals');
  });

  it('the help is one list', async () => {
    const screen = await spoken();
    await screen.press('2', '?');
    await screen.shows('x: cancel');
    expect(screen.screenText()).toContain('j or down: down');
    expect(screen.screenText()).toContain('right or space or l: next choice');
  });
});

describe('spokenLine', () => {
  const said = (text: string) => spokenLine([{ text }]);

  it('says signs as words and leaves drawings out', () => {
    expect(said('─ Orders ───────────── 3 open ─')).toBe('Orders, 3 open');
    expect(said('│ paper-spot ●  fee –        │')).toBe('paper-spot on, fee none');
    expect(said('  ▲ +1.20 %  ▁▂▃▅')).toBe('up, +1.20 %');
    expect(said('│ ◂ LIMIT ▸ │')).toBe('choice LIMIT');
    expect(said('▸ theme dark      theme')).toBe('selected: theme dark, theme');
    expect(said('12.5 ┃╽ ╷ ╵')).toBe('');
    expect(said('╰──────────╯')).toBe('');
  });

  it('keeps numbers whole', () => {
    expect(said('equity 201,482.10  +1,200.50, 3 orders,  2 bots ')).toBe(
      'equity 201,482.10, +1,200.50, 3 orders, 2 bots',
    );
    expect(spokenCell('last', '  61,234.10')).toBe('last 61,234.10, ');
    expect(spokenCell('1 h', '▁▂▃')).toBe('');
  });
});

describe('glyphs', () => {
  it('every sign the console is written with has an ASCII form', async () => {
    const { globSync, readFileSync } = await import('node:fs');
    const folder = new URL('../../../src/console/', import.meta.url).pathname;
    const signs = new Set<string>();
    for (const file of globSync('**/*.{ts,tsx}', { cwd: folder })) {
      const text = readFileSync(`${folder}${file}`, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      for (const sign of text.match(/[^\x20-\x7e\n]/gu) ?? []) signs.add(sign);
    }
    // Represents what must not be drawn at all.
    signs.delete('\ufffd');
    const without = [...signs].filter((sign) => toAscii(sign) === '?');
    expect(without).toEqual([]);
    for (const sign of signs) expect(toAscii(sign)).toMatch(/^[\x20-\x7e]$/);
  });
});
