/**
 * Filter and sort on the Positions, Keys and Alerts screens: what the keys do, what is reported, and which
 * row is acted on.
 */
import { describe, expect, it } from 'vitest';
import type { OverviewPart } from '../../../src/console/overview/overview-parts.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { botDesk, someAlerts } from '../support/some-bots.ts';
import { someKeys } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';

const TAB = '\t';

/** A desk with positions of every kind of protection, keys of all kinds, alerts old and new. */
const desk = (change: Partial<DeskState> = {}): FakeDesk =>
  botDesk({ futures: somePositions(), keys: someKeys(), alerts: someAlerts(), ...change });
const open = rigPerTest(desk);

const sent = ({ calls }: FakeDesk, method: string) =>
  calls.filter((call) => call.method === method).map(({ params }) => params);
const cursor = (screen: Rig) => screen.screenLines().find((line) => line.startsWith('▸'));
const heads = (screen: Rig) => screen.screenLines().find((line) => /[▲▼]/.test(line.slice(0, 80)));

const SCREENS = [
  {
    key: '5',
    name: 'Positions',
    top: 'BTCUSDT',
    word: 'ETH',
    found: 'ETHUSDT',
    hidden: 'SOLUSDT',
    none: 'positions',
    sorts: ['symbol', 'USD', 'PnL', 'margin', 'it', 'account'],
  },
  {
    key: '6',
    name: 'Keys',
    top: 'dashboard',
    word: 'dash',
    found: 'dashboard',
    hidden: 'grid-bot',
    none: 'keys',
    sorts: ['label', 'use', 'total', 'state'],
  },
  {
    key: '8',
    name: 'Alerts',
    top: '14:06:31',
    word: 'ada',
    found: 'ADAUSDT',
    hidden: 'SOLUSDT',
    none: 'alerts',
    sorts: ['symbol', 'bot', 'time'],
  },
];

describe.each(SCREENS)('$name', ({ key, name, top, word, found, hidden, none, sorts }) => {
  it('is filtered as one types; enter keeps the filter, esc clears it', async () => {
    const screen = await open();
    await screen.press(key, '/', word);
    expect(screen.screenText()).toContain(`─ ${name} matching "${word}"`);
    expect(screen.screenText()).toContain(found);
    expect(screen.screenText()).not.toContain(hidden);
    await screen.press('zz');
    expect(screen.screenText()).toContain(`no ${none} match "${word}zz" · esc clears the filter`);
    expect(cursor(screen)).toBeUndefined();
    await screen.press(ESC);
    expect(screen.screenText()).toContain(hidden);
    expect(screen.screenText()).not.toContain('matching');
    await screen.press('/', word, ENTER);
    expect(screen.screenLines()[3]).toMatch(new RegExp(`^ {2}/ ${word} .*esc clears`));
    await screen.press('1', key);
    expect(screen.screenText()).toContain(`matching "${word}"`);
    await screen.press(ESC);
    expect(screen.screenText()).toContain(hidden);
  });

  it('the sort and its direction stand in the head line, whatever is sorted by', async () => {
    const screen = await open();
    await screen.press(key);
    const seen = new Set<string>();
    for (let times = 0; times < 6; times++) {
      await screen.press('o', 'O');
      const up = heads(screen);
      expect(up).toContain(' ▲');
      await screen.press('O');
      // The sort mark is in the title where its column does not fit.
      seen.add(/(\S+) ▼/.exec(heads(screen) ?? '')?.[1] ?? '');
      expect(heads(screen) ?? up?.replace('▲', '▼')).toContain(' ▼');
    }
    expect([...seen]).toEqual(sorts);
  });

  it('the cursor stays on its row when the order changes, and comes back when a filter goes that hid it', async () => {
    const screen = await open();
    await screen.press(key);
    expect(cursor(screen)).toContain(top);
    for (const change of ['O', 'o', 'o', 'O']) {
      await screen.press(change);
      expect(cursor(screen)).toContain(top);
    }
    await screen.press('/', word, ENTER);
    expect(cursor(screen)).toContain(found);
    await screen.press('j', ESC);
    expect(cursor(screen)).toContain(found);
    await screen.press('o');
    expect(cursor(screen)).toContain(found);
    await screen.press('O');
    expect(cursor(screen)).toContain(found);
    await screen.press('/', 'zz', ENTER);
    expect(cursor(screen)).toBeUndefined();
    await screen.press(ESC);
    expect(cursor(screen)).toContain(found);
  });
});

describe('a detail', () => {
  it.each([
    ['5', 'Position', 'BTCUSDT', 'eth', 'ETHUSDT'],
    ['6', 'Key', 'dashboard', 'grid', 'grid-bot'],
  ])(
    'screen %s: shows the row under the cursor while one filters, nothing when there is none',
    async (...given) => {
      const [key, name, first, word, other] = given;
      const screen = await open();
      await screen.press(key);
      while (!cursor(screen)?.includes(first)) await screen.press('j');
      await screen.press(ENTER, TAB);
      expect(screen.screenText()).toContain(`─ ${name} ${first}`);
      // The focus goes from the detail to the filter of the list.
      await screen.press('/', word);
      await screen.shows(`─ ${name} ${other}`);
      await screen.press('zz');
      expect(screen.screenText()).toMatch(new RegExp(`─ ${name} ─`));
      expect(screen.screenText()).toContain('esc clears the filter');
      await screen.press(ENTER, TAB, 'j', 'G', ESC);
      expect(screen.screenText()).toMatch(new RegExp(`─ ${name} ─`));
      await screen.press('/', ESC);
      await screen.shows(`─ ${name} ${first}`);
      await screen.press(ESC);
      expect(screen.screenText()).not.toContain(`─ ${name} ${first}`);
    },
  );
});

describe('what a filter hides', () => {
  it('is not acted on: a position is closed only when it is in sight', async () => {
    const held = desk();
    const screen = await open(held);
    await screen.press('5', '/', 'zz', ENTER, 'x');
    expect(screen.screenText()).toContain('nothing to close: the filter hides all positions');
    await screen.press('s');
    expect(screen.screenText()).toContain('the filter hides all positions');
    expect(screen.session.ui.getState().dialogs).toEqual([]);
    await screen.press(ESC, '/', 'eth', ENTER, 'x');
    await screen.shows('SHORT 4 ETHUSDT');
    await screen.press('y');
    await screen.until(() => held.acting.length > 0);
    expect(sent(held, 'orders.place')).toMatchObject([{ symbol: 'ETHUSDT', side: 'BUY' }]);
  });

  it('a form stays about its position when that no longer matches', async () => {
    const held = desk();
    const screen = await open(held);
    await screen.press('5', '/', 'no', ENTER, 's', '58000');
    await screen.shows('once the mark price reaches 58,000');
    const futures = somePositions();
    const account = futures['paper-futures'];
    if (!account) throw new Error('no positions');
    const [btc, ...rest] = account.positions;
    const stopped = { ...(btc ?? position('BTCUSDT')), protectedQty: '0.5' };
    held.push({ futures: { ...futures, 'paper-futures': { ...account, positions: [stopped, ...rest] } } });
    const covered = () =>
      screen.session.desk.getState().state?.futures['paper-futures']?.positions[0]?.protectedQty;
    await screen.until(() => covered() === '0.5');
    await screen.press(CTRL_R);
    await screen.shows('LONG 0.5 BTCUSDT');
    await screen.press('y');
    await screen.until(() => held.acting.length > 0);
    expect(sent(held, 'orders.place')).toMatchObject([{ symbol: 'BTCUSDT', stopPrice: '58000' }]);
  });

  it('does not count: the sums are of the positions in sight, and say of how many', async () => {
    const screen = await open();
    await screen.press('5', '/', 'long', ENTER);
    expect(screen.screenText()).toContain(
      '2 of 3 positions  PnL +836.24  margin 3,805.56  ! 1 without a stop',
    );
    await screen.press(ESC);
    expect(screen.screenText()).toContain('3 positions  PnL +756.48');
  });

  it('comes into sight when it is gone to from elsewhere', async () => {
    const screen = await open(desk(), { columns: 200, rows: 50 });
    await screen.press('5', '/', 'eth', ENTER, '8', '/', 'ada', ENTER, '1');
    const into = async (part: OverviewPart) => {
      while (screen.session.ui.getState().overview.part !== part) await screen.press(TAB);
      await screen.press(ENTER);
    };
    await into('positions');
    await screen.shows('─ Position BTCUSDT');
    expect(screen.screenText()).not.toContain('matching');
    expect(cursor(screen)).toContain('BTCUSDT');
    await screen.press('1');
    await into('alerts');
    await screen.shows('─ Alerts');
    expect(screen.screenText()).not.toContain('matching');
    expect(cursor(screen)).toContain('SOLUSDT');
  });

  it('a key just made is selected, in sight', async () => {
    const held = desk({ keys: someKeys().slice(1) });
    const screen = await open(held);
    await screen.press('6', '/', 'zz', ENTER, 'n', 'robot', CTRL_R);
    await screen.shows('generate');
    await screen.press('y');
    await screen.until(() => sent(held, 'keys.generate').length > 0);
    await screen.until(() => screen.screenText().includes('Key robot'));
    await screen.press(ESC);
    expect(screen.screenText()).not.toContain('matching');
  });

  it('stays new: all that are shown are marked as seen, and no others', async () => {
    const held = desk();
    const screen = await open(held);
    await screen.press('8', '/', 'ada', ENTER, 'S');
    await screen.shows('!1');
    expect(sent(held, 'alerts.seen')).toEqual([{ ids: ['a2'] }]);
    await screen.press('S');
    expect(screen.screenText()).toContain('all that the filter shows are seen');
    await screen.press(ESC, '/', 'new', ENTER, 's');
    await screen.shows('no alerts match "new"');
    await screen.press('s');
    expect(screen.screenText()).toContain('the filter hides all alerts');
    expect(sent(held, 'alerts.seen')).toEqual([{ ids: ['a2'] }, { ids: ['a3'] }]);
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('at $columns x $rows', (size) => {
  it('positions by size, of those that are long, one in detail', async () => {
    const held = desk();
    const screen = await open(held, size);
    await screen.press('5', 'o', 'o', 'O', '/', 'long', ENTER);
    expect(screen.screenText()).toMatchSnapshot('list');
    await screen.press(ENTER, '/', 'zz');
    expect(screen.screenText()).toMatchSnapshot('none');
  });

  it('keys by requests, of those that are active', async () => {
    const screen = await open(desk(), size);
    await screen.press('6', 'o', 'o', 'o', '/', 'active', ENTER);
    expect(screen.screenText()).toMatchSnapshot('list');
    await screen.press('/', 'zz');
    expect(screen.screenText()).toMatchSnapshot('none');
  });

  it('alerts by bot, those that are new', async () => {
    const screen = await open(desk(), size);
    await screen.press('8', 'o', 'o', '/', 'new', ENTER);
    expect(screen.screenText()).toMatchSnapshot('list');
    await screen.press('/', 'zz');
    expect(screen.screenText()).toMatchSnapshot('none');
  });
});
