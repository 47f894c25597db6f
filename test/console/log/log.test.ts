/** The Log screen: levels and sources, search, following, and the way to an order or a bot. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findMatch,
  highlighted,
  isMatch,
  LOG_LEVELS,
  logIndex,
  logLine,
  logSources,
  shownLog,
} from '../../../src/console/log/log-view.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { LogLine } from '../../../src/domain/rows.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

function line(at: number, level: LogLine['level'], source: string, text: string, orderId?: string): LogLine {
  return { at: NOON + at * 1_000, level, source, text, ...(orderId === undefined ? {} : { orderId }) };
}

const LINES: readonly LogLine[] = [
  line(0, 'info', 'desk', 'desk open on 127.0.0.1:7420'),
  line(1, 'info', 'order', 'ETHUSDT filled 1.3', 'oc-7f3k2m9q1a2c'),
  line(2, 'warn', 'exchange', 'paper-spot is down'),
  line(3, 'error', 'order', 'XRPUSDT outcome unknown', 'oc-gone'),
  line(4, 'info', 'bot', 'b7f3k2m9q10: bought 0.1 BTC'),
  line(5, 'info', 'order', 'ETHUSDT filled 2.9', 'oc-bot'),
  line(6, 'info', 'exchange', 'paper-spot is up'),
];

const logDesk = (log: readonly LogLine[] = LINES): FakeDesk => {
  const state = deskState({ log, bots: someBots() });
  const own = order('oc-bot', { symbol: 'ETHUSDT', creator: 'BOT', creatorId: 'b8a2c4e6g80' });
  return new FakeDesk({ ...state, orders: { ...state.orders, 'oc-bot': own } });
};

const cursor = (screen: Rig): string => screen.screenLines().find((row) => row.startsWith('▸')) ?? '';
const rows = (screen: Rig): string[] =>
  screen
    .screenLines()
    .filter((row) => /^[▸ ]\d\d:\d\d:\d\d/.test(row))
    .map((row) => row.slice(1).trimEnd());

describe('levels and sources', () => {
  it('v shows all, then warnings and worse, then errors only', async () => {
    const screen = await open(logDesk());
    await screen.press('9');
    expect(rows(screen)).toHaveLength(7);
    await screen.press('v');
    expect(rows(screen)).toEqual([
      '14:07:33  warn   exchange  paper-spot is down',
      '14:07:34  error  order     XRPUSDT outcome unknown',
    ]);
    expect(screen.screenText()).toContain('warn and worse · 2 of 7 · following');
    await screen.press('v');
    expect(rows(screen)).toEqual(['14:07:34  error  order     XRPUSDT outcome unknown']);
    await screen.press('v');
    expect(rows(screen)).toHaveLength(7);
  });

  it('s goes through the sources there are', async () => {
    const screen = await open(logDesk());
    await screen.press('9', 's');
    expect(rows(screen)).toEqual(['14:07:35  info   bot       b7f3k2m9q10: bought 0.1 BTC']);
    await screen.press('s', 's');
    expect(rows(screen)).toHaveLength(2);
    expect(screen.screenText()).toContain('of exchange · 2 of 7');
    await screen.press('v', 'v');
    expect(screen.screenText()).toContain('no line of this level and source');
    await screen.press(ESC);
    expect(rows(screen)).toHaveLength(7);
  });

  it('keeps exactly the lines that are asked for, in their order', () => {
    const level = fc.constantFrom(...LOG_LEVELS);
    const lines = fc
      .array(fc.tuple(level, fc.constantFrom('a', 'b', 'c')))
      .map((given) => given.map(([one, source], at) => line(at, one, source, 'x')));
    fc.assert(
      fc.property(lines, level, fc.constantFrom('', 'a', 'b', 'zz'), (log, least, source) => {
        const wanted = log.filter(
          (one) =>
            LOG_LEVELS.indexOf(one.level) >= LOG_LEVELS.indexOf(least) &&
            (source === '' || one.source === source),
        );
        expect(shownLog({ log }, { level: least, source })).toEqual(wanted);
      }),
    );
    expect(logSources({ log: LINES })).toEqual(['bot', 'desk', 'exchange', 'order']);
  });
});

describe('the search', () => {
  it('goes to the newest match as it is typed, then back and forth with n and N, and around', async () => {
    const screen = await open(logDesk());
    await screen.press('9', '/', ...'filled');
    expect(cursor(screen)).toContain('filled 2.9');
    await screen.press(ENTER);
    expect(screen.screenText()).toContain('2 with "filled"');
    await screen.press('n');
    expect(cursor(screen)).toContain('filled 1.3');
    expect(screen.screenText()).not.toContain('the search goes on');
    await screen.press('n');
    expect(cursor(screen)).toContain('filled 2.9');
    expect(screen.screenText()).toContain('the search goes on at the newest');
    await screen.press('N');
    expect(cursor(screen)).toContain('filled 1.3');
    expect(screen.screenText()).toContain('the search goes on at the oldest');
    await screen.press('N');
    expect(cursor(screen)).toContain('filled 2.9');
  });

  it('stands out where it is found', async () => {
    const screen = await open(logDesk());
    await screen.press('9', '/', ...'xrp', ENTER);
    const row = screen.screenLines().findIndex((one) => one.startsWith('▸'));
    const cell = screen.terminal.buffer.active.getLine(row)?.getCell(28);
    expect([cell?.getChars(), cell?.isInverse()]).toEqual(['X', expect.any(Number)]);
    expect(cell?.isInverse()).toBeGreaterThan(0);
  });

  it('says when there is no match, and what to do without a search', async () => {
    const screen = await open(logDesk());
    await screen.press('9', 'n');
    expect(screen.screenText()).toContain('nothing is searched for: / searches');
    await screen.press('/', ...'nowhere', ENTER);
    expect(screen.screenText()).toContain('no line shown has "nowhere"');
    await screen.press('n');
    expect(screen.screenText()).toContain('no line shown has "nowhere"');
  });

  it('esc while it is typed gives it up, esc after that clears it', async () => {
    const screen = await open(logDesk());
    await screen.press('9', '/', ...'up', ESC);
    expect(screen.session.ui.getState().log).toMatchObject({ search: '', searching: false });
    await screen.press('/', ...'down', ENTER, ESC);
    expect(screen.session.ui.getState().log.search).toBe('');
    expect(cursor(screen)).toContain('paper-spot is down');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('following');
  });

  it('searches in what the filters show only', async () => {
    const screen = await open(logDesk());
    await screen.press('9', 'v', '/', ...'paper', ENTER);
    expect(cursor(screen)).toContain('paper-spot is down');
    await screen.press('n');
    expect(cursor(screen)).toContain('paper-spot is down');
    // There is only one match: the search wraps around to itself.
    expect(screen.screenText()).toContain('the search goes on at the newest');
  });

  it('visits every match once on its way round, whatever the log holds', () => {
    const log = fc
      .array(fc.constantFrom('xa', 'xb', 'a', ''), { minLength: 1, maxLength: 30 })
      .map((texts) => texts.map((text, at) => line(at, 'info', 'desk', text)));
    fc.assert(
      fc.property(
        log,
        fc.constantFrom('x', 'a', 'zz', ''),
        fc.constantFrom(-1 as const, 1 as const),
        fc.nat(29),
        (lines, search, by, start) => {
          const all = lines.flatMap((one, at) => (isMatch(one, search) ? [at] : []));
          const found: number[] = [];
          let at = start % lines.length;
          for (let step = 0; step < all.length; step++) {
            const next = findMatch(lines, search, at, by);
            if (next === null) break;
            found.push(next);
            at = next;
          }
          expect([...found].sort((a, b) => a - b)).toEqual(all);
          if (all.length === 0) expect(findMatch(lines, search, at, by, true)).toBeNull();
        },
      ),
    );
  });

  it('changes no text by making it stand out', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme', maxLength: 3 }),
        (text, search) => {
          expect(
            highlighted(text, search, 'text')
              .map((part) => part.text)
              .join(''),
          ).toBe(text);
        },
      ),
    );
    expect(highlighted('aXbx', 'x', 'text').filter(({ inverse }) => inverse)).toHaveLength(2);
    const plain = LINES[1] as LogLine;
    expect(lineWidth(logLine(plain, false, 'filled'))).toBe(lineWidth(logLine(plain)));
  });
});

describe('following', () => {
  it('goes on with the newest, stops where one scrolls back, and f follows again', async () => {
    const desk = logDesk(Array.from({ length: 60 }, (_, at) => line(at, 'info', 'desk', `event ${at}`)));
    const screen = await open(desk);
    await screen.press('9');
    expect(cursor(screen)).toContain('event 59');
    desk.push({ log: [line(60, 'info', 'desk', 'event 60')] });
    await screen.shows('event 60');
    expect(cursor(screen)).toContain('event 60');
    await screen.press('k', 'k');
    expect(screen.screenText()).toContain('2 newer below · G follows');
    desk.push({ log: [line(61, 'info', 'desk', 'event 61')] });
    await screen.shows('3 newer below');
    expect(cursor(screen)).toContain('event 58');
    await screen.press('f');
    expect(cursor(screen)).toContain('event 61');
  });

  it('stays near its line when a filter hides it', () => {
    const shown = shownLog({ log: LINES }, { level: 'info', source: 'order' });
    expect(logIndex(shown, LINES[4] as LogLine)).toBe(1);
    expect(logIndex(shown, LINES[0] as LogLine)).toBe(0);
    // A hidden line of the same moment as one that is shown.
    expect(logIndex(shown, line(5, 'info', 'bot', 'hidden'))).toBe(2);
    expect(logIndex(shown, line(4.999, 'info', 'bot', 'hidden'))).toBe(1);
    expect(logIndex(shown, null)).toBe(2);
    expect(logIndex([], LINES[0] as LogLine)).toBe(0);
  });
});

describe('from a line', () => {
  it('o leads to its order, with its detail', async () => {
    const screen = await open(logDesk());
    await screen.press('9', '/', ...'1.3', ENTER, 'o');
    const { screen: id, orders } = screen.session.ui.getState();
    expect([id, orders.selection.id, orders.detailOpen]).toEqual(['orders', 'oc-7f3k2m9q1a2c', true]);
  });

  it('b leads to the bot it names, or whose order it is about', async () => {
    const screen = await open(logDesk());
    await screen.press('9', '/', ...'bought', ENTER, 'b');
    expect(screen.session.ui.getState().bots.selection.id).toBe('b7f3k2m9q10');
    await screen.press('9', '/', '\x15', ...'2.9', ENTER, 'b');
    expect(screen.session.ui.getState().bots.selection.id).toBe('b8a2c4e6g80');
  });

  it('says when there is none, or when the order is not a recent one', async () => {
    const screen = await open(logDesk());
    await screen.press('9', 'o');
    expect(screen.screenText()).toContain('this line is about no order');
    await screen.press('b');
    expect(screen.screenText()).toContain('this line is about no bot');
    await screen.press('v', 'o');
    expect(screen.screenText()).toContain('order oc-gone is not a recent one');
    expect(screen.session.ui.getState().screen).toBe('log');
  });
});
