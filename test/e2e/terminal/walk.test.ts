/**
 * One walk through the whole console in a real terminal, like a person's first half hour: a key, an order
 * placed and split, a bot written while its checks and its ladder change, started, watched and stopped, a
 * position opened and closed, another theme, panic, and leaving.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, review, typeWord } from '../../support/terminal/dialogs.ts';
import { type Attached, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const TOP = 60_000;
const FALL = 130;
const WIDE = 160;

/**
 * Candles that fall from 60,000 by 10 a minute, then rise again: bids are reached on the way down, targets on
 * the way up.
 */
function valley(): string[] {
  const first = Date.UTC(2025, 1, 3);
  const price = (at: number) => TOP - 10 * (at < FALL ? at : Math.max(0, 2 * FALL - at));
  return Array.from({ length: 3 * FALL }, (_, at) => {
    const [open, close] = [price(at), price(at + 1)];
    const prices = [open, Math.max(open, close), Math.min(open, close), close].map((each) => `${each}.00`);
    return `${first + at * 60_000},${prices.join(',')},100`;
  });
}

async function go(terminal: Terminal, key: string, shown: RegExp): Promise<void> {
  terminal.press(key);
  await terminal.waitFor(shown, `screen ${key}`);
}

async function registerKey(terminal: Terminal): Promise<void> {
  await go(terminal, '6', /No keys yet/);
  terminal.press('n');
  await terminal.waitFor(/Generate a key/, 'the form of a key');
  terminal.type('robot');
  await review(terminal, /y generate/);
  await answer(terminal, /y generate/, 'y');
  await terminal.waitFor(/robot\S*\.pem/, 'the path of the private key');
  await answer(terminal, /written once, readable by you only/, 'esc');
  await terminal.waitFor(/1 active/, 'the key in the list');
}

async function placeAndSplit(terminal: Terminal): Promise<void> {
  await go(terminal, '2', /no orders/);
  terminal.press('n');
  await terminal.waitFor(/BUY BTCUSDT/, 'the ticket');
  terminal.press('tab', 'tab', 'tab');
  await terminal.waitFor(/▸ quantity/, 'the quantity in focus');
  terminal.type('0.02');
  terminal.press('tab');
  await terminal.waitFor(/▸ price/, 'the price in focus');
  terminal.type('55000');
  await terminal.waitFor(/distance [-+]\d/, 'the live check');
  await review(terminal, /y place/);
  await answer(terminal, /y place/, 'y');
  await terminal.waitFor(/▸.*55,000\.00 .*OPENED/, 'the order resting');
  terminal.press('s');
  await terminal.waitFor(/Split order/, 'the split');
  terminal.type('54900,54800');
  await terminal.waitFor(/54,900[\s\S]*54,800/, 'the preview of both parts');
  await review(terminal, /y split/);
  await answer(terminal, /y split/, 'y');
  await terminal.waitFor(/54,900\.00 .*OPENED/, 'the first part');
  await terminal.waitFor(/54,800\.00 .*OPENED/, 'the second part');
}

/** Checks the results of the form; on a wide screen they are beside it. */
async function seeResults(terminal: Terminal, shown: RegExp): Promise<void> {
  const aside = terminal.emulator.cols >= WIDE;
  if (!aside) terminal.press('tab');
  await terminal.waitFor(shown, `the ladder with ${shown}`);
  if (aside) return;
  terminal.press('tab');
  await terminal.waitFor(/▸ deposit\.value/, 'the form again');
}

async function writeBot(terminal: Terminal): Promise<void> {
  await go(terminal, '3', /no bots/);
  terminal.press('n');
  await terminal.waitFor(/▸ FIBO/, 'the types of bots');
  terminal.press('enter');
  await terminal.waitFor(/New FIBO BTCUSDT/, 'the editor');
  for (const field of [/▸ symbol\.base/, /▸ symbol\.quote/, /▸ +▾ \d+ more: name/]) {
    await terminal.waitFor(field, `the field ${field}`);
    terminal.press('down');
  }
  await terminal.waitFor(/▸ deposit\.value +500/, 'the deposit in focus');
  await seeResults(terminal, /deposit +500\.00 USDT/);
  terminal.press('ctrl-u');
  terminal.type('no');
  await terminal.waitFor(/✗ must be a decimal above 0, got "no"/, 'the check beside the field');
  terminal.press('ctrl-u');
  terminal.type('1000');
  await terminal.waitFor(/✓ checked/, 'the check passed');
  await seeResults(terminal, /deposit +1,000\.00 USDT[\s\S]*fees a cycle/);
  await review(terminal, /y create this bot/);
  await answer(terminal, /y create this bot/, 'y');
  await terminal.waitFor(/▸ .*FIBO +BTCUSDT +NEW/, 'the bot under the cursor');
}

async function runBot(terminal: Terminal, attached: Attached): Promise<void> {
  terminal.press('s');
  await answer(terminal, /y start this bot/, 'y');
  await terminal.waitFor(/FIBO +BTCUSDT +STARTED/, 'the bot running');
  await go(terminal, '1', /Watchlist/);
  terminal.press('p');
  await attached.when('a buy and a sale of the bot', ({ orders }) => {
    const closed = Object.values(orders).filter(
      ({ creator, status }) => creator === 'BOT' && status === 'CLOSED',
    );
    return closed.some(({ side }) => side === 'BUY') && closed.some(({ side }) => side === 'SELL');
  });
  await terminal.waitFor(/FIBO +BTCUSDT +STARTED +\w+/, 'the bot on the Overview');
  terminal.press('p');
  await attached.when('the feed held', ({ clock }) => clock.held);
  await go(terminal, '3', /1 running/);
  terminal.press('x');
  await review(terminal, /y stop this bot/);
  await answer(terminal, /y stop this bot/, 'y');
  await terminal.waitFor(/FIBO +BTCUSDT +STOPPED/, 'the bot stopped');
  await attached.when('its orders gone', ({ orders }) =>
    Object.values(orders).every(({ creator, status }) => creator !== 'BOT' || status !== 'OPENED'),
  );
}

async function openAndClosePosition(terminal: Terminal): Promise<void> {
  await go(terminal, '5', /no open positions/);
  terminal.press('n');
  await terminal.waitFor(/account +paper-futures/, 'the ticket on the futures account');
  terminal.press('tab', 'tab', 'right');
  await terminal.waitFor(/type +◂ MARKET/, 'the type');
  terminal.press('tab', 'tab', 'tab');
  await terminal.waitFor(/▸ quantity/, 'the quantity in focus');
  terminal.type('0.1');
  await terminal.waitFor(/margin [\d,.]+ USDT needed/, 'the margin needed');
  await review(terminal, /y place this order/);
  await answer(terminal, /y place this order/, 'y');
  await terminal.waitFor(/▸ BTCUSDT +LONG +0\.100/, 'the position');
  terminal.press('x');
  await answer(terminal, /y close this position/, 'y');
  await terminal.waitFor(/no open positions/, 'the position closed');
}

async function switchTheme(terminal: Terminal): Promise<void> {
  const colour = () => JSON.stringify(terminal.emulator.buffer.active.getLine(1)?.getCell(2)?.getFgColor());
  const before = colour();
  terminal.press(':');
  await terminal.waitFor(/Command/, 'the palette');
  terminal.type('theme light');
  await terminal.waitFor(/▸ theme light/, 'the theme under the cursor');
  terminal.press('enter');
  await terminal.waitFor(/theme light, here/, 'the theme kept');
  expect(colour()).not.toBe(before);
}

async function panic(terminal: Terminal, attached: Attached): Promise<void> {
  await go(terminal, '1', /Watchlist/);
  terminal.press('P');
  await terminal.waitFor(/\[x\] cancel all orders +2 open/, 'the parts of a panic');
  await review(terminal, /type panic/);
  await typeWord(terminal, 'panic');
  await terminal.waitFor(/Panic: 2 of 2 done/, 'the results');
  terminal.press('esc');
  const { orders } = await attached.state();
  expect(Object.values(orders).filter(({ status }) => status === 'OPENED')).toEqual([]);
}

test.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('from the first start to the last key at $columns x $rows', async (size) => {
  const dataDir = stage.dataDir();
  const feed = stage.candles('BTCUSDT', valley());
  const terminal = stage.host(dataDir, { ...size, args: ['--feed', feed, '--hold', '--speed', '1200'] });
  await terminal.waitFor(/Watchlist/, 'the first screen');
  terminal.press('.');
  await terminal.waitFor(/BTCUSDT +60,000/, 'the first price');
  const attached = await stage.attach(dataDir);
  await registerKey(terminal);
  await placeAndSplit(terminal);
  await writeBot(terminal);
  await runBot(terminal, attached);
  await openAndClosePosition(terminal);
  await switchTheme(terminal);
  await panic(terminal, attached);
  expect(terminal.lines().every((line) => [...line].length <= size.columns)).toBe(true);
  await terminal.settled(200);
  terminal.press('q');
  await answer(terminal, /s stop/, 's');
  expect(await terminal.ended).toEqual({ exitCode: 0, signal: 0 });
});
