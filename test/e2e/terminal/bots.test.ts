/**
 * A bot's life at a real terminal: made from JSON, started, seen with its order, stopped with clean-up,
 * deleted; and an alarm that rings.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, review, typeWord } from '../../support/terminal/dialogs.ts';
import { fallingCandles, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const SQUEEZE = {
  type: 'SQUEEZE',
  settings: {
    exchange: 'paper-spot',
    symbol: { base: 'BTC', quote: 'USDT' },
    timeFrame: 60_000,
    deposit: { value: '200', asset: 'USDT' },
    price: { percent: { buy: '5', sell: '1' } },
  },
  tag: 'dip',
};

/** Fires as the price falls through 59,995, in the first minute. */
const ALARM = {
  type: 'ALARM',
  settings: {
    exchange: 'paper-spot',
    symbol: { base: 'BTC', quote: 'USDT' },
    ticker: 'BTCUSDT',
    range: [{ type: 'price', trend: { '1': '59995', '2': '59995' }, direction: 'down' }],
    notify: ['bell'],
    message: 'below the line',
  },
};

/** A replay that is held one tick after its start, at 60,000. */
async function hostReplay(dataDir: string, size: { columns: number; rows: number }): Promise<Terminal> {
  const feed = stage.candles('BTCUSDT', fallingCandles());
  const terminal = stage.host(dataDir, { ...size, args: ['--feed', feed, '--hold', '--speed', '600'] });
  await terminal.waitFor(/Watchlist/, 'the first screen');
  terminal.press('.');
  await terminal.waitFor(/BTCUSDT +60,000/, 'the first price');
  return terminal;
}

/** How often the terminal's bell rang. */
function rings({ raw }: Terminal): number {
  return raw.split('\x07').length - 1;
}

/** Makes a bot from pasted JSON. */
async function create(terminal: Terminal, bot: { readonly type: string }): Promise<void> {
  terminal.press('3');
  await terminal.waitFor(/─ Bots/, 'the Bots screen');
  terminal.press('N');
  await terminal.waitFor(/▸ template/, 'the form');
  terminal.press('tab');
  await terminal.waitFor(/▸ file/, 'the path in focus');
  terminal.type(`\x1b[200~${JSON.stringify(bot, null, 2)}\x1b[201~`);
  await terminal.waitFor(new RegExp(`"type": "${bot.type}"[\\s\\S]*nothing stands against it`), 'the check');
  await review(terminal, /y create this bot/);
  await answer(terminal, /y create this bot/, 'y');
  await terminal.waitFor(new RegExp(`▸ .*${bot.type} +BTCUSDT +NEW`), 'the new bot under the cursor');
}

async function start(terminal: Terminal, type: string): Promise<void> {
  terminal.press('s');
  await answer(terminal, /y start this bot/, 'y');
  await terminal.waitFor(new RegExp(`${type} +BTCUSDT +STARTED`), 'the bot running');
}

/** Plays ticks of the replay, one by one. */
async function step(terminal: Terminal, ticks: number): Promise<void> {
  terminal.press('1');
  await terminal.waitFor(/Watchlist/, 'the Overview');
  for (let at = 0; at < ticks; at++) {
    terminal.press('.');
    await terminal.settled(100);
  }
}

/** Types the word that the question in front asks for, and confirms it. */
async function typeAskedWord(terminal: Terminal): Promise<void> {
  await typeWord(terminal, await terminal.waitFor(/type ([a-z]+(?: \w+)?) :/, 'the word'));
}

// proves: endpoint POST /bots, endpoint POST /bots/{id}/runs, endpoint DELETE /bots/{id}/runs/{runId}
describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('at $columns x $rows', (size) => {
  test('a SQUEEZE is made of JSON, started, places its order, is stopped with clean-up and deleted', async () => {
    const dataDir = stage.dataDir();
    const terminal = await hostReplay(dataDir, size);
    const attached = await stage.attach(dataDir);
    terminal.press('3');
    await terminal.waitFor(/no bots · n writes one, N takes JSON/, 'the empty screen');
    await create(terminal, SQUEEZE);
    await start(terminal, 'SQUEEZE');

    await step(terminal, 6);
    await terminal.waitFor(/dip +SQUEEZE +BTCUSDT +STARTED/, 'the bot on the Overview');
    await attached.when('the order of the bot', ({ orders }) =>
      Object.values(orders).some(({ creator, status }) => creator === 'BOT' && status === 'OPENED'),
    );
    terminal.press('3', 'enter');
    await terminal.waitFor(/▸ .*dip +SQUEEZE +BTCUSDT +STARTED/, 'the bot running');
    await terminal.waitFor(/─ dip b\w{6} ─/, 'the detail');
    terminal.press('tab', 'G');
    await terminal.waitFor(
      /Open orders 1\s[\s\S]*BUY +LIMIT .* at 56,990\.50 .*OPENED/,
      'its order in the detail',
    );

    terminal.press('x');
    await terminal.waitFor(/cancelled +1: BUY 0\.0035 at 56,990\.50?/, 'what the stop will do');
    await terminal.waitFor(/nothing: there is nothing to sell/, 'what it holds');
    await review(terminal, /y stop this bot/);
    await answer(terminal, /y stop this bot/, 'y');
    await terminal.waitFor(/dip +SQUEEZE +BTCUSDT +STOPPED/, 'the bot stopped');
    await terminal.waitFor(/Open orders 0/, 'the order gone from the detail');
    terminal.press('2');
    await terminal.waitFor(/BTCUSDT +BUY +LIMIT .*CANCELLED/, 'the order cancelled');

    terminal.press('3', 'd');
    await terminal.waitFor(/Delete bot/, 'the dialog');
    await typeAskedWord(terminal);
    await terminal.waitFor(/no bots · n writes one, N takes JSON/, 'the empty screen again');
    expect(Object.keys((await attached.state()).bots)).toEqual([]);
    expect(terminal.lines().every((line) => [...line].length <= size.columns)).toBe(true);
  });
});

test('an ALARM rings the terminal and is counted until it is seen; leaving with it running takes a word', async () => {
  const dataDir = stage.dataDir();
  const terminal = await hostReplay(dataDir, { columns: 80, rows: 24 });
  await create(terminal, ALARM);
  await start(terminal, 'ALARM');
  expect(rings(terminal)).toBe(0);
  await step(terminal, 6);
  await terminal.waitFor(/8 Ale\w* !1/, 'the count on the tab');
  expect(rings(terminal)).toBe(1);
  terminal.press('8');
  await terminal.waitFor(/new .*BTCUSDT +below the line +bell/, 'the alert');
  terminal.press('enter');
  await terminal.waitFor(/condition +range\[0\]/, 'the alert whole');
  terminal.press('esc');
  await terminal.waitFor(
    (text, lines) => !lines[1]?.includes('!1') && !text.includes('Deliveries'),
    'the alert seen, and closed',
  );
  expect(rings(terminal)).toBe(1);

  await create(terminal, { ...ALARM, settings: { ...ALARM.settings, repeat: 'always' } } as typeof ALARM);
  await start(terminal, 'ALARM');
  terminal.press('q');
  await answer(terminal, /1 bot is running: d leaves it at work/, 's');
  await terminal.waitFor(/Stop the desk with 1 bot running/, 'the warning');
  await typeAskedWord(terminal);
  expect(await terminal.ended).toEqual({ exitCode: 0, signal: 0 });
});
