/**
 * Colour arithmetic for judging themes: WCAG contrast, CIE L*a*b* and CIEDE2000, how colour-blind people see
 * a colour, and what the indexed colours of terminals look like. Pure.
 */

/** Channels from 0 to 1, gamma encoded (sRGB). */
export type Rgb = readonly [number, number, number];
export type Lab = readonly [number, number, number];
export type Deficiency = 'protanopia' | 'deuteranopia' | 'tritanopia';

export function fromHex(hex: string): Rgb {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex);
  if (!parts) throw new Error(`${hex} is not a colour`);
  return parts.slice(1).map((part) => Number.parseInt(part, 16) / 255) as unknown as Rgb;
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encoded(value: number): number {
  const clamped = Math.min(1, Math.max(0, value));
  return clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055;
}

/** Relative luminance, WCAG 2.2. */
export function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map(linear) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio, WCAG 2.2: 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

type Matrix = readonly [Rgb, Rgb, Rgb];

function times(matrix: Matrix, [x, y, z]: Rgb): Rgb {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Rgb;
}

/** Machado, Oliveira and Fernandes 2009, severity 1.0; for linear RGB. */
const MACHADO: Readonly<Record<Deficiency, Matrix>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** The colour as somebody with this deficiency sees it. */
export function seenWith(deficiency: Deficiency, colour: Rgb): Rgb {
  return times(MACHADO[deficiency], colour.map(linear) as unknown as Rgb).map(encoded) as unknown as Rgb;
}

/** IEC 61966-2-1, white point D65. */
const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE: Rgb = [0.95047, 1, 1.08883];

export function toLab(colour: Rgb): Lab {
  const xyz = times(TO_XYZ, colour.map(linear) as unknown as Rgb);
  const [x, y, z] = xyz.map((value, at) => {
    const share = value / (WHITE[at] ?? 1);
    return share > 216 / 24389 ? Math.cbrt(share) : ((24389 / 27) * share + 16) / 116;
  }) as unknown as Rgb;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const hue = (a: number, b: number) =>
  a === 0 && b === 0 ? 0 : ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;

/** Colour difference CIEDE2000 with all factors 1, as set out by Sharma, Wu and Dalal 2005. */
export function ciede2000([l1, a1, b1]: Lab, [l2, a2, b2]: Lab): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const grey = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + grey), a2 * (1 + grey)];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  const colourless = c1 * c2 === 0;
  const apart = Math.abs(h1 - h2);
  const turn = apart <= 180 ? 0 : h2 <= h1 ? 360 : -360;
  const dh = colourless ? 0 : h2 - h1 + turn;
  const around = h1 + h2 < 360 ? 360 : -360;
  const meanH = colourless ? h1 + h2 : apart <= 180 ? (h1 + h2) / 2 : (h1 + h2 + around) / 2;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(dh / 2));
  const [meanL, meanC] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const t =
    1 -
    0.17 * Math.cos(radians(meanH - 30)) +
    0.24 * Math.cos(radians(2 * meanH)) +
    0.32 * Math.cos(radians(3 * meanH + 6)) -
    0.2 * Math.cos(radians(4 * meanH - 63));
  const turned = 30 * Math.exp(-(((meanH - 275) / 25) ** 2));
  const spread = 2 * Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7));
  const dl = (l2 - l1) / (1 + (0.015 * (meanL - 50) ** 2) / Math.sqrt(20 + (meanL - 50) ** 2));
  const dc = (c2 - c1) / (1 + 0.045 * meanC);
  const dhue = dH / (1 + 0.015 * meanC * t);
  return Math.sqrt(dl ** 2 + dc ** 2 + dhue ** 2 - Math.sin(radians(2 * turned)) * spread * dc * dhue);
}

/** How different two colours look; below 1 nobody can distinguish them, above 20 nobody confuses them. */
export function difference(a: Rgb, b: Rgb): number {
  return ciede2000(toLab(a), toLab(b));
}

const STEPS = [0, 95, 135, 175, 215, 255];

/** Colours 16 to 255 of xterm: a cube of 6 x 6 x 6 and 24 greys. The first 16 are the terminal's own. */
export function fromIndex(index: number): Rgb {
  if (!Number.isInteger(index) || index < 16 || index > 255) throw new Error(`${index} is not 16 to 255`);
  if (index >= 232) return Array(3).fill((8 + (index - 232) * 10) / 255) as unknown as Rgb;
  const at = index - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(
    (step) => (STEPS[step] ?? 0) / 255,
  ) as unknown as Rgb;
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** The first 16 colours of two terminals: the Linux console (as VGA), and xterm. */
const SIXTEEN = {
  vga: '000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff',
  xterm:
    '000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
} as const;
export type Terminal16 = keyof typeof SIXTEEN;
export const TERMINALS = Object.keys(SIXTEEN) as Terminal16[];

/** A colour by its name (`redBright`, `gray`) on one of these terminals. */
export function fromName(name: string, terminal: Terminal16): Rgb {
  const bright = name.endsWith('Bright');
  const at = name === 'gray' ? 8 : NAMES.indexOf(bright ? name.slice(0, -6) : name) + (bright ? 8 : 0);
  const hex = SIXTEEN[terminal].split(' ')[at];
  if (hex === undefined) throw new Error(`${name} is no colour`);
  return fromHex(`#${hex}`);
}
