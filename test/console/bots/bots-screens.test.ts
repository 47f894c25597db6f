/**
 * The Bots screen, its detail and its dialogs, and the Alerts screen on a terminal emulator, at both sizes.
 */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { alert, bot, botDesk, detailOf, someBots } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest(botDesk);
afterEach(() => {
  vi.useRealTimers();
});

const hostile = (
  JSON.parse(
    readFileSync(new URL('../../fixtures/security/terminal_strings.json', import.meta.url), 'utf8'),
  ) as { strings: { s: string }[] }
).strings.map(({ s }) => s);

describe.each([
  [80, 24],
  [200, 50],
])('at %ix%i', (columns, rows) => {
  const size = { columns, rows };

  it('the list, and the Overview with what runs and what fired', async () => {
    const screen = await open(botDesk(), size);
    expect(screen.screenText()).toMatchSnapshot('overview');
    await screen.press('3', ' ');
    expect(screen.screenText()).toMatchSnapshot('list');
    await screen.press('/', 'started', ENTER);
    expect(screen.screenText()).toMatchSnapshot('filtered');
  });

  it('without bots says how to make one', async () => {
    const screen = await open(new FakeDesk(), size);
    await screen.press('3');
    expect(screen.screenText()).toContain('no bots · n writes one, N takes JSON');
    await screen.press('8');
    expect(screen.screenText()).toContain('no alerts yet');
  });

  it('the pages of a detail', async () => {
    const screen = await open(botDesk(), size);
    await screen.press('3', 'j', 'j', 'j', ENTER);
    await screen.shows('candles of 3 min');
    await screen.until(() => /log \d/.test(screen.screenText()));
    expect(screen.screenText()).toMatchSnapshot('now');
    await screen.press('\t', 'G');
    expect(screen.screenText()).toMatchSnapshot('now, the end');
    for (const page of ['runs', 'log', 'settings']) {
      await screen.press('v');
      expect(screen.screenText()).toMatchSnapshot(page);
    }
  });

  it('a bot in error says why, one that tells what it told', async () => {
    const screen = await open(botDesk(), size);
    await screen.press('3', ENTER);
    await screen.shows('refused the entry three times');
    await screen.press('j');
    await screen.shows('Last alerts');
    expect(screen.screenText()).toContain('SOLUSDT crossed 150 upwards');
  });

  it('a new bot: template, text with problems, review', async () => {
    const screen = await open(botDesk(), size);
    await screen.press('3', 'N');
    await screen.shows('nothing stands against it');
    expect(screen.screenText()).toMatchSnapshot('template');
    await screen.press('\t', '\t', '\x1b[B', '\x1b[B', 'x');
    await screen.shows('line 3, column 1');
    expect(screen.screenText()).toMatchSnapshot('problem');
    await screen.press('\x1a', CTRL_R);
    await screen.shows('y create this bot');
    expect(screen.screenText()).toMatchSnapshot('review');
  });

  it('stop, delete, start, stop rules, tag, leaving', async () => {
    const screen = await open(botDesk(), size);
    await screen.press('3', 'j', 'j', 'j', 'x');
    await screen.shows('0.00327 BTCUSDT, entry 61,120.40');
    expect(screen.screenText()).toMatchSnapshot('stop');
    await screen.press('\t', '\x1b[C', CTRL_R);
    await screen.shows('type sell BTCUSDT');
    expect(screen.screenText()).toMatchSnapshot('stop and sell');
    await screen.press(ESC, ESC, 'd');
    expect(screen.screenText()).toMatchSnapshot('delete');
    await screen.press(ESC, 'r');
    await screen.shows('entry 61,120.4');
    expect(screen.screenText()).toMatchSnapshot('rule');
    await screen.press(ESC, 't');
    expect(screen.screenText()).toMatchSnapshot('tag');
    await screen.press(ESC, 'j', 's');
    await screen.shows('y start this bot');
    expect(screen.screenText()).toMatchSnapshot('start');
    await screen.press(ESC, 'q');
    expect(screen.screenText()).toContain('3 bots are running: d leaves them at work');
    await screen.press('s');
    expect(screen.screenText()).toMatchSnapshot('leave');
  });

  it('alerts, and one whole', async () => {
    const screen = await open(botDesk(), size);
    await screen.press('8', 'j');
    expect(screen.screenText()).toMatchSnapshot('alerts');
    await screen.press(ENTER);
    await screen.shows('ops: failed after 5 tries: 503 Service Unavailable');
    // Opening the alert has marked it as seen; the desk's answer is on the screen, too.
    await screen.shows('1 new');
    expect(screen.screenText()).toMatchSnapshot('alert');
  });

  it('no row is wider than the terminal, whatever bots and alerts say', async () => {
    const bots = Object.fromEntries(
      hostile.map((s, at) => {
        const entry = bot(`b${at}${s}`, {
          tag: s,
          exchange: s,
          state: s,
          runId: s,
          status: 'STARTED',
          startedAt: NOON,
          settings: {
            ...someBots().b7f3k2m9q10?.settings,
            ticker: s,
            deposit: { value: s, asset: s },
            name: s,
          },
        });
        return [entry.id, entry];
      }),
    );
    const alerts = hostile.map((s, at) =>
      alert(`a${at}`, { symbol: s, message: s, condition: s, price: s, botId: s, deliveries: [told(s)] }),
    );
    const desk = botDesk({
      bots,
      alerts,
      prices: Object.fromEntries(hostile.map((s) => [`paper ${s}`, price(s)])),
    });
    desk.answers['bots.detail'] = ({ id }) => {
      const found = desk.state.bots[id] ?? bot(id);
      const detail = detailOf({ ...found, state: 'holding' }, {});
      const text = found.tag ?? '';
      return {
        ...detail,
        orders: [order('o', { symbol: text })],
        notices: detail.notices.map((notice) => ({ ...notice, text })),
        runs: detail.runs.map((run) => ({ ...run, reason: text, error: text, runId: text })),
        ...(detail.live ? { live: { ...detail.live, symbol: text } } : {}),
      };
    };
    const screen = await open(desk, size);
    for (const way of [
      ['3', ENTER, 'v', 'v', 'v'],
      ['t'],
      [ESC, 'x'],
      [ESC, 'd'],
      [ESC, 'r'],
      [ESC, '8', ENTER],
    ]) {
      for (const key of way) {
        await screen.press(key);
        const lines = screen.screenLines();
        expect(lines).toHaveLength(rows);
        expect(screen.terminal.buffer.active.length).toBe(rows);
        expect(lines[1]).toContain('2 Ord');
      }
    }
    const sent = screen.stdout.chunks.join('');
    const [start = '', ...sequences] = sent.split('\u001b');
    const texts = sequences.map((sequence) => {
      expect(sequence).toMatch(/^\[[0-9;?]*[A-Za-z]/);
      return sequence.replace(/^\[[0-9;?]*[A-Za-z]/, '');
    });
    expect([start, ...texts].join('').replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]*$/u);
  });
});

function told(target: string) {
  return { target, state: 'failed' as const, tries: 1, nextAt: null, error: target };
}

function price(symbol: string) {
  return { market: 'paper', symbol, last: '61000', time: NOON, open24h: null, spark: [] };
}

it('is drawn in ASCII when asked to', async () => {
  const screen = await open(botDesk(), { ascii: true });
  for (const key of [
    '1',
    '3',
    'j',
    'j',
    'j',
    ENTER,
    'v',
    'v',
    'v',
    'n',
    ENTER,
    ESC,
    ESC,
    'N',
    ESC,
    'x',
    ESC,
    '8',
    ENTER,
  ]) {
    await screen.press(key);
    await screen.settle();
    expect(screen.screenText().replaceAll('’', '')).toMatch(/^[\x20-\x7e\n]*$/);
  }
});

it.each(['3', '8'])('writes nothing in ten minutes with the feed held (screen %s)', async (key) => {
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  const base = deskState();
  const screen = await open(botDesk({ clock: { ...base.clock, held: true } }));
  await screen.press(key, 'j');
  await screen.settle();
  const before = screen.stdout.chunks.length;
  await vi.advanceTimersByTimeAsync(600_000);
  await screen.settle();
  expect(screen.stdout.chunks.length - before).toBe(0);
});
