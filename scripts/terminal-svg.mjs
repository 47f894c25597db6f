/** Draws a terminal's content as SVG: one picture, or frames one after the other. */

// Pixels. The width of a cell is that of the usual monospace fonts at this size; `textLength` makes other
// fonts fit.
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
/** The sixteen named colours; the colour cube and the greys are computed. */
const NAMED = [
  ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
].flat();

/** @typedef {{ text: string, at: number, color: string, bold: boolean, dim: boolean }} Run */

/**
 * The drawing of a terminal's content, row by row, each at the height of its row.
 * @param {import('../test/support/terminal/terminal.ts').Terminal} terminal
 */
export function rowsOf({ emulator }) {
  const { active } = emulator.buffer;
  return Array.from({ length: emulator.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    return line ? rowDrawing(line, row, emulator.cols).join('\n') : '';
  });
}

/**
 * A picture of a terminal's content.
 * @param {import('../test/support/terminal/terminal.ts').Terminal} terminal
 */
export function pictureOf(terminal) {
  return framed(terminal.emulator, rowsOf(terminal).join('\n'));
}

/** @typedef {{ rows: readonly string[], seconds: number }} Frame */

/**
 * Frames one after the other, in an endless loop. A row that is the same in several frames is drawn once.
 * @param {{ cols: number, rows: number }} size
 * @param {readonly Frame[]} frames
 */
export function recordingOf(size, frames) {
  const all = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const ids = new Map();
  for (const row of frames.flatMap(({ rows }) => rows))
    if (row !== '' && !ids.has(row)) ids.set(row, `r${ids.size}`);
  const percent = (/** @type {number} */ seconds) => `${round((seconds / all) * 100)}%`;
  let at = 0;
  const styles = frames.map(({ seconds }, n) => {
    const [from, to] = [percent(at), percent(at + seconds)];
    at += seconds;
    const before = n === 0 ? '' : '0%{visibility:hidden}';
    const after = n === frames.length - 1 ? '' : `${to}{visibility:hidden}`;
    return `@keyframes f${n}{${before}${from}{visibility:visible}${after}}.f${n}{${n === 0 ? '' : 'visibility:hidden;'}animation:f${n} ${all}s step-end infinite}`;
  });
  const drawn = frames.map(({ rows }, n) => {
    const uses = rows.filter((row) => row !== '').map((row) => `<use href="#${ids.get(row)}"/>`);
    return `<g class="f${n}">${uses.join('')}</g>`;
  });
  const rows = [...ids].map(([row, id]) => `<g id="${id}">${row}</g>`);
  return framed(
    size,
    [`<style>${styles.join('')}</style>`, '<defs>', ...rows, '</defs>', ...drawn].join('\n'),
  );
}

/**
 * @param {{ cols: number, rows: number }} size
 * @param {string} inside
 */
function framed({ cols, rows }, inside) {
  const width = Math.ceil(cols * CELL_WIDTH + 2 * PADDING);
  const height = rows * CELL_HEIGHT + 2 * PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The Outcry console in a terminal">`,
    `<rect width="${width}" height="${height}" rx="${RADIUS}" fill="${BACKGROUND}"/>`,
    `<g transform="translate(${PADDING} ${PADDING})" font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${FOREGROUND}" xml:space="preserve">`,
    inside,
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
 * Splits a run at its wide gaps, so that no font can shift the text after one.
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
    // A narrow gap between bars, and space below the line above.
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
 * Draws from the cell's edge up or down to its middle, round the bend, to its side.
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
