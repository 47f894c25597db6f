/**
 * What an operator finds again at the next console, on any terminal: lists, theme, charts, watchlists, the
 * last account.
 */
import { describe, expect, it } from 'vitest';
import {
  ALL_SYMBOLS,
  MOST_IN_LIST,
  MOST_LISTS,
  movedIn,
  named,
  nextList,
  readWatchlists,
  unwatched,
  type Watchlists,
  watched,
} from '../../../src/console/trading/watchlists.ts';
import { ok } from '../../../src/domain/errors.ts';
import { MEMORY_BYTES, type OperatorMemory } from '../../../src/domain/operator-memory.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';

const open = rigPerTest();

/** A desk that keeps what consoles store, across all that attach. */
class KeepingDesk extends FakeDesk {
  memory: OperatorMemory | null = null;
  writes = 0;

  constructor() {
    super(deskState());
    Object.assign(this.answers, {
      'memory.read': () => this.memory,
      'memory.write': ({ memory }: { memory: OperatorMemory }) => {
        this.memory = memory;
        this.writes++;
        return ok(null);
      },
    });
  }
}

const ui = (screen: Rig) => screen.session.ui.getState();
const watchlist = (screen: Rig) =>
  screen
    .screenLines()
    .map((line) => /^[▸ ] ([A-Z]+USDT)/.exec(line)?.[1])
    .filter((symbol) => symbol !== undefined);

/** The next console, after the first has been left. */
async function again(desk: KeepingDesk, first: Rig): Promise<Rig> {
  await first.until(() => desk.writes > 0);
  await first.close();
  return await open(desk);
}

describe('a console that comes back', () => {
  it('has sort, filter, theme, chart and watchlists as they were left', async () => {
    const desk = new KeepingDesk();
    const first = await open(desk);
    await first.press('2', 'o', 'O', '/', 'usdt', ENTER);
    await first.press(':', 'theme mono', ENTER);
    await first.press('1', ENTER, '>', 'w', 'i', 'e', ESC);
    await first.press(':', 'watch sol', ENTER, ':', 'watch btc', ENTER, 'j', 'K');
    expect(watchlist(first)).toEqual(['BTCUSDT', 'SOLUSDT']);
    const before = ui(first);
    const second = await again(desk, first);
    await second.until(() => ui(second).watchlists.at === 'mine');
    expect(watchlist(second)).toEqual(['BTCUSDT', 'SOLUSDT']);
    const { orders, market, chosenTheme, theme } = ui(second);
    expect(orders).toMatchObject({ sort: before.orders.sort, reverse: true, filter: 'usdt' });
    expect(market).toMatchObject({ frameMs: 3_600_000, shows: before.market.shows, at: null });
    expect([chosenTheme, theme.name]).toEqual(['mono', 'mono']);
  });

  it('begins an order with the account of the last one', async () => {
    const desk = new KeepingDesk();
    const first = await open(desk);
    await first.press('n', '\x1b[A', '\x1b[C', '\t', '\t', '\t', '\t', '0.1', '\t', '600', CTRL_R);
    await first.shows('Place');
    await first.press('y');
    await first.until(() => ui(first).orders.account === 'paper-futures');
    const second = await again(desk, first);
    await second.until(() => ui(second).orders.account !== null);
    await second.press('n');
    expect(ui(second).dialogs[0]).toMatchObject({ draft: { exchange: 'paper-futures' } });
  });

  it('another theme asked for at the start holds before the one that was chosen', async () => {
    const desk = new KeepingDesk();
    const first = await open(desk);
    await first.press(':', 'theme mono', ENTER);
    await first.until(() => desk.writes > 0);
    await first.close();
    const second = await open(desk, { theme: 'light' });
    await second.press('2');
    expect([ui(second).chosenTheme, ui(second).theme.name]).toEqual([null, 'light']);
  });

  it('writes once things have settled, nothing when nothing has changed, and keeps parts it does not know', async () => {
    const desk = new KeepingDesk();
    desk.memory = { later: { version: 'another' } };
    const screen = await open(desk);
    await screen.press('2', 'j', '1', 'j');
    await screen.press('2', 'o', 'o', 'o');
    await screen.until(() => desk.writes > 0);
    expect(desk.writes).toBe(1);
    expect(desk.memory).toMatchObject({
      later: { version: 'another' },
      lists: { orders: { sort: 'price' } },
    });
  });

  it.each([
    ['nothing', null],
    ['rubbish', { lists: 7, theme: [], watchlists: 'x', chart: { frameMs: '1', shows: 3 }, account: {} }],
    ['lists of another version', { lists: { orders: { sort: 'colour', reverse: 1, filter: 2 }, gone: {} } }],
    ['a theme that is gone', { theme: { chosen: 'gone', asked: 'dark' } }],
  ])('is as at first with %s', async (_, memory) => {
    const desk = new KeepingDesk();
    desk.memory = memory as OperatorMemory | null;
    const screen = await open(desk);
    await screen.press('2');
    const { orders, theme, watchlists, market } = ui(screen);
    expect(orders).toMatchObject({ sort: 'time', reverse: false, filter: '', account: null });
    expect([theme.name, watchlists, market.frameMs]).toEqual(['dark', ALL_SYMBOLS, 900_000]);
  });
});

describe('watchlists', () => {
  it('the palette puts in and takes out, makes lists and shows them; w goes through them', async () => {
    const screen = await open(new KeepingDesk());
    await screen.press(':', 'watch eth', ENTER);
    expect([ui(screen).watchlists.at, watchlist(screen)]).toEqual(['mine', ['ETHUSDT']]);
    await screen.press(':', 'watchlist majors', ENTER);
    expect(ui(screen).watchlists.at).toBe('majors');
    expect(screen.screenText()).toContain('Watchlist majors');
    await screen.press('w');
    expect(ui(screen).watchlists.at).toBeNull();
    expect(watchlist(screen).length).toBeGreaterThan(5);
    await screen.press('w');
    expect(ui(screen).watchlists.at).toBe('mine');
    await screen.press(':', 'unwatch eth', ENTER);
    expect(ui(screen).watchlists).toMatchObject({ at: null, lists: [{ name: 'majors' }] });
    await screen.press(':', 'watchlist all', ENTER, 'u');
    expect(screen.screenText()).toContain('none can be taken out');
  });

  const of = (next: Watchlists | string): Watchlists => {
    if (typeof next === 'string') throw new Error(next);
    return next;
  };

  it('hold each symbol once, in the order given, and no more than there is room for in the operator’s memory', () => {
    let all = ALL_SYMBOLS;
    for (let at = 0; at < MOST_LISTS; at++) {
      all = of(named(all, `a list of ${at}`.padEnd(24, 'x'), `binance-futures SYMBOL${at}USDT`));
      for (let nth = 1; nth < MOST_IN_LIST; nth++) all = of(watched(all, `binance-futures ${at}x${nth}USDT`));
      expect(watched(all, 'binance-futures ONEMOREUSDT')).toContain('is full');
      expect(watched(all, `binance-futures ${at}x1USDT`)).toContain('already');
    }
    expect(named(all, 'another', 'paper BTCUSDT')).toContain('the most');
    expect(JSON.stringify(all).length).toBeLessThan(MEMORY_BYTES / 1.2);
    expect(readWatchlists(JSON.parse(JSON.stringify(all)))).toEqual(all);
  });

  it('move a symbol within its ends, and go round', () => {
    const list = of(watched(of(watched(of(named(ALL_SYMBOLS, 'one', 'a A')), 'a B')), 'a C'));
    const keys = (of: Watchlists | string) => (typeof of === 'string' ? of : of.lists[0]?.keys.join());
    expect(keys(movedIn(list, 'a A', 1))).toBe('a B,a A,a C');
    expect(keys(movedIn(list, 'a C', 1))).toBe('a A,a B,a C');
    expect(movedIn({ ...list, at: null }, 'a A', 1)).toContain('desk’s');
    expect(unwatched(list, 'a X')).toContain('not in one');
    const two = of(named(list, 'two', 'b B'));
    expect([nextList(two).at, nextList(nextList(two)).at]).toEqual([null, 'one']);
  });

  it.each(['', 'all', 'ALL', ' ', '\x1b[2J', 'x'.repeat(25), '-x'])('none is called %j', (name) => {
    expect(typeof named(ALL_SYMBOLS, name, 'a A')).toBe('string');
  });
});
