/**
 * A bot's levels and pages, and the ticket, in edge cases: repeated values, partly mirrored ones, just
 * enough, far ahead.
 */
import { describe, expect, it } from 'vitest';
import { type BotDetailWorld, botNowLines } from '../../../src/console/bots/bot-detail.ts';
import { botPageLines } from '../../../src/console/bots/bot-history.ts';
import { settingsLevels } from '../../../src/console/bots/bot-levels.ts';
import { futuresFigures, marginText } from '../../../src/console/orders/ticket/futures-ticket.ts';
import { parseGoodTill } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { span } from '../../../src/console/ui/format.ts';
import type { Line } from '../../../src/console/ui/line.ts';
import type { BotDetail, TicketCheck } from '../../../src/desk/console/protocol.ts';
import { detailOf, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';

const textOf = (lines: readonly Line[]) =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

describe('the levels that settings name', () => {
  const levels = (type: string, settings: object, now = 0) =>
    settingsLevels({ type, settings } as Parameters<typeof settingsLevels>[0], now).map(
      ({ price, name }) => `${name} ${price}`,
    );

  it('FIBO: a price that is given stands, the others lie between the ends, beyond them too', () => {
    const channels = [
      { name: '0', fiboPrice: '80' },
      { name: '0.5' },
      { name: '0.618', fiboPrice: '99' },
      { name: '1', fiboPrice: '120' },
      { name: '1.5' },
      { name: 'x' },
    ];
    expect(levels('FIBO', { channels })).toEqual(['0 80', '0.5 100', '0.618 99', '1 120', '1.5 140']);
    expect(levels('FIBO', { channels: channels.slice(0, 2) })).toEqual(['0 80']);
  });

  it.each([
    [0, 'level 100'],
    [50, 'level 105'],
    [100, 'level 110'],
    [200, 'level 120'],
    [-100, 'level 90'],
  ])('INTRADAY: the line at %d', (now, level) => {
    expect(levels('INTRADAY', { trend: { 100: 110, 0: 100 } }, now)).toEqual([level]);
  });

  it('INTRADAY: the points of a line go by their times, however they are written', () => {
    const at = (ms: number) => `${NOON + ms}`;
    const trend = { [at(100)]: 110, [at(0)]: 100 };
    expect(Object.keys(trend)).toEqual([at(100), at(0)]);
    expect(levels('INTRADAY', { trend }, NOON + 50)).toEqual(['level 105']);
    expect(levels('INTRADAY', { trend }, NOON - 100)).toEqual(['level 90']);
  });

  it('that have fallen to nothing are none', () => {
    expect(levels('INTRADAY', { trend: { 0: 100, 100: 50 } }, 200)).toEqual([]);
    expect(levels('INTRADAY', { trend: { 0: 100 } }, 200)).toEqual([]);
  });
});

describe('what a bot does now', () => {
  const dip = someBots().b7f3k2m9q10;
  if (!dip) throw new Error('there is such a bot');
  const now = (bot: typeof dip, change: object = {}) => {
    const room = { chart: null, wall: NOON, width: 120, height: 40 };
    return textOf(botNowLines(bot, { state: deskState(), detail: null, ...room, ...change }));
  };

  it('counts to its next start by the time of the market', () => {
    const day = 86_400_000;
    const replay = { ...deskState().clock, live: false, market: NOON - day };
    const bot = { ...dip, restartAt: NOON - day + 90_000 };
    expect(now(bot, { state: deskState({ clock: replay }) })).toContain(
      `starts again in ${span(90_000)} of market time`,
    );
  });

  it('says that the link of its own account is down, and of no other', () => {
    const { accounts } = deskState();
    const down = (id: string) =>
      deskState({ accounts: accounts.map((one) => (one.id === id ? { ...one, link: 'down' } : one)) });
    const on = (exchange: string, id: string) => now({ ...dip, exchange }, { state: down(id) });
    const [one = '', other = ''] = accounts.map(({ id }) => id);
    expect(on(one, one)).toContain(`${one}: the link is down`);
    expect(on(other, other)).toContain(`${other}: the link is down`);
    expect([on(one, other), on(other, one)].join()).not.toContain('the link is down');
  });

  it('has a line at the stops that are looked at, not at those that are off', () => {
    const known = detailOf(dip, {});
    const stop = (level: string, disabled: boolean) => ({
      strategy: 'fixed',
      trigger: 'kline',
      level,
      disabled,
      rule: { strategy: 'fixed', trigger: { type: 'kline', value: level }, complete: true },
    });
    const drawn = (disabled: boolean) => {
      const detail = { ...known, live: known.live && { ...known.live, stops: [stop('60990', disabled)] } };
      const candles = Array.from({ length: 30 }, (_, at) => ({
        time: NOON - (30 - at) * 60_000,
        volume: '1',
        open: '61000',
        high: '61100',
        low: '60900',
        close: '61000',
      }));
      const chart = { id: dip.id, market: 'paper', symbol: 'BTCUSDT', frameMs: 60_000, candles };
      return /60,990\.00 stop/.test(now(dip, { detail, chart }));
    };
    expect([drawn(false), drawn(true)]).toEqual([true, false]);
  });

  it('is drawn with the candles of its own bot, symbol and market, and of no other', () => {
    const own = { id: dip.id, market: 'paper', symbol: 'BTCUSDT' };
    const drawn = (change: object) => {
      const candles = [{ time: NOON, open: '41', high: '42', low: '40', close: '41.5', volume: '1' }];
      return now(dip, { chart: { ...own, frameMs: 60_000, candles, ...change } }).includes('41.50');
    };
    expect(drawn({})).toBe(true);
    for (const other of [{ id: 'other' }, { market: 'other' }, { symbol: 'ETHUSDT' }])
      expect(drawn(other), JSON.stringify(other)).toBe(false);
  });
});

describe('the pages of a bot', () => {
  const [bot] = Object.values(someBots());
  if (!bot) throw new Error('there are some bots');
  const page = (name: 'log' | 'settings', mirrored: typeof bot, detail: BotDetail | null) =>
    textOf(botPageLines(name, mirrored, { ...deskState(), detail, width: 100 } as unknown as BotDetailWorld));
  const detail = (change: Partial<BotDetail>): BotDetail => ({
    bot,
    runs: [],
    orders: [],
    notices: [],
    ...change,
  });

  it('log: a fill that its run tells of is told once, any other by itself', () => {
    const fill = { side: 'BUY', price: '100', qty: '2' } as const;
    const notice = { market: NOON, level: 2, text: 'bought two' } as unknown as BotDetail['notices'][number];
    const told = { ...fill, time: NOON };
    const untold = { ...fill, side: 'SELL', time: NOON - 60_000 } as const;
    const lines = page('log', bot, detail({ notices: [notice], fills: [untold, told] })).split('\n');
    expect(lines.map((line) => line.trim().split(/ {2,}/).at(-1))).toEqual(['bought two', 'SELL 2 at 100']);
  });

  it('settings: those that are mirrored in part are shown when the whole is there', () => {
    const part = { ...bot, settings: { small: 1 }, abridged: true } as typeof bot;
    const whole = { ...bot, settings: { small: 1, large: 'the rest' } };
    expect(page('settings', part, null)).toContain('loading');
    expect(page('settings', part, detail({ bot: whole }))).toContain('the rest');
    expect(page('settings', { ...bot, settings: { new: 2 } }, detail({ bot: whole }))).not.toContain(
      'the rest',
    );
  });
});

describe('the margin of a ticket', () => {
  const figures = (margin: string, available: string, order: object = {}) => {
    const check = { margin, available } as unknown as TicketCheck;
    const asked = { exchange: 'paper-futures', symbol: 'BTCUSDT', ...order };
    return futuresFigures(deskState(), asked as never, check);
  };

  it('is more than is available only beyond all of it, and never for what only closes', () => {
    expect([figures('100', '100')?.short, figures('100.01', '100')?.short]).toEqual([false, true]);
    for (const closes of [{ reduceOnly: true }, { closePosition: true }]) {
      const found = figures('100.01', '100', closes);
      expect(found?.short).toBe(false);
      expect(found && marginText(found, 'USDT')).toMatch(/^none needed: it only closes/);
    }
    expect(figures('1', '1', { exchange: 'paper-spot' })).toBeNull();
  });
});

it.each([
  ['+90m', 5_400_000],
  ['+2h', 7_200_000],
  ['+3d', 259_200_000],
  [' +3D ', 259_200_000],
  ['1970-01-02 00:05', 86_700_000 - 7],
  ['1970-01-02T00:05', 86_700_000 - 7],
  ['+3w', null],
  ['3d', null],
  ['1970-13-02 00:05', null],
])('good till %s', (text, ahead) => {
  expect(parseGoodTill(text, 7)).toBe(ahead === null ? null : 7 + ahead);
});
