/**
 * The points of small order of edwards25519 in all their encodings, computed from the curve's definition (RFC 8032,
 * 5.1). Signatures verify under such keys without any private key, so registration and the self-test refuse them.
 * Pure; used outside the request path only.
 */

/** Field prime. */
export const P = 2n ** 255n - 19n;
/** Order of the base point. */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const SIGN_BIT = 2n ** 255n;

/** The 32 bytes as a little-endian number. */
export function fromLittleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return value;
}

/** A number below 2^256 as 32 little-endian bytes. */
export function toLittleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

/** The y coordinate of an encoded point as it is written, without the sign bit; may be P or more (non-canonical). */
export function encodedY(bytes: Uint8Array): bigint {
  return fromLittleEndian(bytes) & (SIGN_BIT - 1n);
}

/**
 * All 14 encodings of the 8 points of small order: y = 1, -1, 0 and the two y of order 8, each with either sign bit,
 * and 0 and 1 written as P and P + 1. (-1 and the order-8 values have no second form below 2^255.)
 */
export function smallOrderEncodings(): readonly Buffer[] {
  known ??= computeSmallOrder();
  return known;
}

let known: readonly Buffer[] | null = null;

function computeSmallOrder(): Buffer[] {
  const y8 = orderEightY();
  const ys = [1n, P - 1n, 0n, y8, P - y8, P, P + 1n];
  return ys.flatMap((y) => [toLittleEndian(y), toLittleEndian(y + SIGN_BIT)]);
}

/**
 * Doubling a point of order 8 gives y = 0, so x^2 = -y^2; put into -x^2 + y^2 = 1 + d x^2 y^2 that is
 * d y^4 + 2 y^2 - 1 = 0, of whose two solutions for y^2 one is a square.
 */
function orderEightY(): bigint {
  const d = mod(-121665n * invert(121666n));
  const root = sqrt(mod(1n + d));
  if (root === null) throw new Error('1 + d is not a square');
  const y = sqrt(mod((-1n + root) * invert(d))) ?? sqrt(mod((-1n - root) * invert(d)));
  if (y === null) throw new Error('no point of order 8');
  return y;
}

function mod(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = mod(base);
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

function invert(value: bigint): bigint {
  return power(value, P - 2n);
}

/** Square root for a prime that is 5 mod 8 (RFC 8032, 5.1.3); null when there is none. */
function sqrt(value: bigint): bigint | null {
  const candidate = power(value, (P + 3n) / 8n);
  if (mod(candidate * candidate) === value) return candidate;
  const other = mod(candidate * power(2n, (P - 1n) / 4n));
  return mod(other * other) === value ? other : null;
}
