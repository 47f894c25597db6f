/** What the console reports and remembers while a person works with it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();
afterEach(() => {
  vi.useRealTimers();
});

/** The cells of one row on the terminal, from column `from`, and which of them are inverse. */
function cells(screen: Rig, text: string) {
  const row = screen.screenLines().findIndex((line) => line.includes(text));
  const line = screen.terminal.buffer.active.getLine(row);
  const column = line?.translateToString(true).indexOf(text) ?? -1;
  return { row, line, column };
}

function inverse(screen: Rig, text: string): boolean {
  const { line, column } = cells(screen, text);
  return Boolean(line?.getCell(column)?.isInverse() && line.getCell(column + text.length - 1)?.isInverse());
}

describe('while the desk opens', () => {
  const opening = async (hosting: boolean) => {
    const desk = new FakeDesk();
    const { onState } = desk;
    let listener: Parameters<typeof onState>[0] | null = null;
    desk.onState = (given) => {
      listener = given;
    };
    const screen = await open(desk, { opening: true, hosting });
    return { screen, opened: () => listener && onState.call(desk, listener) };
  };

  it('keys choose the screen that is shown first and open nothing unseen', async () => {
    const { screen, opened } = await opening(true);
    await screen.press('2', 'n', ':', '?', 'x');
    expect(screen.session.ui.getState()).toMatchObject({ screen: 'orders', dialogs: [] });
    opened();
    await screen.shows('─ Orders');
  });

  it.each([
    [true, 'stop'],
    [false, 'detach'],
  ] as const)('leaving needs no question (hosting: %s): %s', async (hosting, action) => {
    const { screen } = await opening(hosting);
    expect(screen.screenText()).toContain('q leave');
    await screen.press('q');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action });
  });
});

describe('leaving', () => {
  it('waits for what the terminal was asked last: a shell would take the answer for keys', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.until(() => screen.stdout.chunks.some((chunk) => chunk.includes('\x1b[5n')));
    screen.answers.given = false;
    const asked = () => screen.stdout.chunks.filter((chunk) => chunk.includes('\x1b[5n')).length;
    const before = asked();
    desk.push({ equity: { ...desk.state.equity, usd: '1' } });
    await screen.until(() => asked() > before);
    await screen.press('q', 'd');
    expect(screen.exit()).toBeNull();
    // After leaving, the keys belong to the shell.
    await screen.press('2', 'n');
    expect(screen.session.ui.getState().screen).toBe('overview');
    screen.stdin.write('\x1b[0n');
    await screen.until(() => screen.exit() !== null);
    expect(screen.exit()).toEqual({ action: 'detach' });
  });
});

describe('the ticket’s symbol', () => {
  it('stands selected, and the first character takes its place', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'n');
    await screen.shows('BUY BTCUSDT');
    expect(inverse(screen, 'BTCUSDT                BTCUSDT'.slice(0, 7))).toBe(false);
    const { line, row } = cells(screen, '▸ symbol');
    expect(row).toBeGreaterThan(0);
    const column = line?.translateToString(true).indexOf('BTCUSDT') ?? 0;
    for (let at = 0; at < 7; at++) expect(line?.getCell(column + at)?.isInverse()).toBeTruthy();
    await screen.press('e', 't');
    expect(screen.screenText()).toContain('BUY ET ');
    await screen.press('\x7f', 'thusdt');
    expect(screen.screenText()).toContain('BUY ETHUSDT ');
  });

  it('is replaced again after the field was entered anew, and by keys of one event', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'n', '\t', '\x1b[Z', 'sol');
    expect(screen.screenText()).toContain('BUY SOL ');
    await screen.press('\t', '\x1b[Z', '\x7f');
    expect(screen.screenText()).toContain('BUY new order');
  });

  it('can be edited after an arrow', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'n', '\x1b[C', '\x7f');
    expect(screen.screenText()).toContain('BUY BTCUSD ');
  });
});

describe('a dialog', () => {
  it.each([
    [80, 24],
    [200, 50],
  ])('covers what is behind it at %ix%i, to the last cell of each row', async (columns, rows) => {
    const screen = await open(new FakeDesk(), { columns, rows });
    await screen.press('n');
    await screen.shows('is needed');
    // Every field once: focused, empty, with a value, and with a value that has become shorter.
    for (const key of ['', 'btcusdt', '\x15', 'btc', ...Array<string>(8).fill('\t'), '5', '\x7f']) {
      if (key !== '') await screen.press(key);
      const lines = screen.screenLines();
      const top = lines.findIndex((line) => line.includes('╭─'));
      const bottom = lines.findIndex((line) => line.includes('╰'));
      const left = lines[top]?.indexOf('╭') ?? -1;
      const right = lines[top]?.indexOf('╮') ?? -1;
      expect(bottom - top).toBeGreaterThan(10);
      for (const line of lines.slice(top + 1, bottom)) {
        expect(line[left]).toBe('│');
        expect(line[right]).toBe('│');
        // The ticket's own market line has an arrow of the day.
        const behind = line.slice(left, right).replace(/^│ last \S+ +24 h [▲▼]/, '');
        expect(behind).not.toMatch(/recent|unknown|partly|●|Watchlist|ended|own BUY|[▲▼] [+-]/);
      }
    }
  });
});

describe('messages', () => {
  it('go with the next screen, dialog or edit', async () => {
    const screen = await open();
    await screen.press('!', '2', 'G', 'x');
    expect(screen.screenText()).toContain('nothing to cancel');
    await screen.press('1');
    expect(screen.screenText()).not.toContain('nothing to cancel');
    await screen.press('2', 'x');
    expect(screen.screenText()).toContain('nothing to cancel');
    await screen.press('n');
    await screen.shows('is needed');
    expect(screen.screenText()).not.toContain('nothing to cancel');
    await screen.press('\t', '\t', '\t', CTRL_R);
    expect(screen.screenText()).toContain('quantity: is needed');
    await screen.press('5');
    expect(screen.screenText()).not.toContain('quantity: is needed');
  });

  it('of an order stay on the next screen', async () => {
    const screen = await open();
    await screen.press('2', 'j', 'x', 'y');
    await screen.shows('BTCUSDT CANCELLED');
    await screen.press('1');
    expect(screen.screenText()).toContain('BTCUSDT CANCELLED');
  });

  it('are gone after 6 seconds', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
    const screen = await open();
    await screen.press('2', 'G', 'x');
    expect(screen.screenText()).toContain('nothing to cancel');
    await vi.advanceTimersByTimeAsync(6_000);
    await screen.settle();
    expect(screen.screenText()).not.toContain('nothing to cancel');
  });
});

describe('what cannot be done', () => {
  it.each([
    ['x', 'nothing to cancel: no order is selected'],
    ['s', 'nothing to split: no order is selected'],
  ])('%s without an order says so', async (key, text) => {
    const screen = await open(new FakeDesk(deskState({ orders: {} })));
    await screen.press('2', key);
    expect(screen.screenText()).toContain(text);
  });

  it.each([
    ['k', 'while its outcome is unknown'],
    ['jjj', 'only a resting LIMIT order can be split; this is STOP_MARKET, NEW'],
    ['G', 'only a resting LIMIT order can be split; this is LIMIT, CANCELLED'],
  ])('split after %s says why not', async (way, text) => {
    const screen = await open();
    await screen.press('2', way, 's');
    expect(screen.screenText()).toContain(text);
    expect(screen.screenText()).not.toContain('Split order');
  });
});

describe('the filter of a symbol', () => {
  it('stands in the title, and esc clears it', async () => {
    const screen = await open();
    await screen.press('2', '/', 'XRPUSDT', ENTER);
    expect(screen.screenText()).toContain('─ Orders matching "XRPUSDT" ─');
    expect(screen.screenText()).toContain('esc clears');
    await screen.press(ESC);
    expect(screen.screenText()).toContain('4 open · 6 shown');
    await screen.press('/', 'UNIUSDT', ENTER);
    expect(screen.screenText()).toContain('no orders match "UNIUSDT" · esc clears the filter');
  });
});

describe('the end of a detail', () => {
  it('stays the end of what is told after G was pressed', async () => {
    const desk = new FakeDesk();
    let tell = (): void => {};
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    desk.answers['orders.detail'] = async ({ id }) => {
      await told;
      const event = {
        orderId: id,
        user: 'owner',
        at: NOON,
        market: NOON,
        kind: 'accepted',
        status: 'OPENED',
      } as const;
      const events = Array.from({ length: 40 }, (_, at) => ({ ...event, text: `line ${at} of it` }));
      return { order: desk.state.orders[id] ?? order(id), events, fills: [] };
    };
    const screen = await open(desk);
    await screen.press('2', ENTER, '\t', 'G');
    tell();
    await screen.shows('line 39 of it');
    await screen.press('g');
    await screen.until(() => !screen.screenText().includes('line 39 of it'));
    expect(screen.screenText()).toContain('in force    GTC');
  });
});

describe('the log', () => {
  const long = `gateway said: ${'a long story '.repeat(16)}end of it`;
  const desk = () => {
    const base = deskState();
    return new FakeDesk({
      ...base,
      log: [
        ...base.log,
        { at: NOON, level: 'warn', source: 'order', text: long, orderId: 'oc-7f3k2m9q1a2c' },
        { at: NOON, level: 'info', source: 'desk', text: 'short' },
      ],
    });
  };

  it('opens a line whole and goes to its order', async () => {
    const screen = await open(desk());
    await screen.press('9', 'k', ENTER);
    expect(screen.screenText()).toContain('end of it');
    expect(screen.screenText()).toContain('order oc-7f3k2m9q1a2c');
    await screen.press('o');
    await screen.shows('Order oc-7f3k2m9q1a2c');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('ETHUSDT');
  });

  it('keeps the cursor on its line when others come in, and follows again with G', async () => {
    const fake = desk();
    const screen = await open(fake);
    await screen.press('9', 'k');
    fake.push({ log: [{ at: NOON, level: 'info', source: 'desk', text: 'one more' }] });
    await screen.shows('2 newer below');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('gateway said');
    await screen.press('G');
    expect(screen.screenLines().find((line) => line.startsWith('▸'))).toContain('one more');
    expect(screen.screenText()).toContain('following');
  });

  it('says so when the order is not among the recent ones', async () => {
    const base = deskState();
    const log = [{ at: NOON, level: 'info' as const, source: 'order', text: 'gone', orderId: 'oc-old' }];
    const screen = await open(new FakeDesk({ ...base, log }));
    await screen.press('9', ENTER, 'o');
    expect(screen.screenText()).toContain('order oc-old is not a recent one');
  });
});

describe('the Overview', () => {
  it('says how to begin when the feed is held and nothing has a price', async () => {
    const base = deskState({ prices: {}, orders: { a: order('a') } });
    const held = { ...base, clock: { ...base.clock, held: true } };
    const screen = await open(new FakeDesk(held));
    expect(screen.screenText()).toContain('no prices yet · the feed is held: . steps, p plays');
    await screen.close();
    const other = await open(new FakeDesk(base));
    expect(other.screenText()).not.toContain('steps, p plays');
  });
});
