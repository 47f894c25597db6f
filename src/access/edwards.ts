/**
 * The points of small order of edwards25519 in all their encodings, computed from the curve's definition (RFC
 * 8032, 5.1). With such a key a signature can be made without a private key, so registration and the
 * self-test refuse them. Pure; used outside the request path only.
 */

/** Field prime. */
export const P = 2n ** 255n - 19n;
/** Order of the base point. */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const SIGN_BIT = 2n ** 255n;

/**
 * The y of a point of order 8; the other y is its negative. Doubling such a point gives y = 0, so x^2 = -y^2;
 * put into
 * -x^2 + y^2 = 1 + d x^2 y^2 that is d y^4 + 2 y^2 - 1 = 0.
 */
export const Y8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;

/** The bytes as a little-endian number. */
export function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`);
}

/** A number below 2^256 as 32 little-endian bytes. */
export function toLittleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

/**
 * The y coordinate of an encoded point as written, without the sign bit; may be P or more (non-canonical).
 */
export function encodedY(bytes: Uint8Array): bigint {
  return fromLittleEndian(bytes) & (SIGN_BIT - 1n);
}

/**
 * All 14 encodings of the 8 points of small order: y = 1, -1, 0 and the two y of order 8, each with either
 * sign bit, and 0 and 1 written as P and P + 1. (-1 and the order-8 values have no second form below 2^255.)
 */
export function smallOrderEncodings(): readonly Buffer[] {
  known ??= computeSmallOrder();
  return known;
}

let known: readonly Buffer[] | null = null;

function computeSmallOrder(): Buffer[] {
  const ys = [1n, P - 1n, 0n, Y8, P - Y8, P, P + 1n];
  return ys.flatMap((y) => [toLittleEndian(y), toLittleEndian(y + SIGN_BIT)]);
}
