/**
 * The form and the rules of a passphrase. Works on bytes where possible, so that no text of it is created.
 */
import { isAscii, isUtf8 } from 'node:buffer';

export const LEAST_CHARACTERS = 12;
export const MOST_BYTES = 1_024;

/**
 * The same passphrase for every keyboard: letters with their marks become one character each (NFC). Returns
 * another Buffer, with the given one filled with zeros, or the given one.
 */
export function composed(passphrase: Buffer): Buffer {
  if (isAscii(passphrase) || !isUtf8(passphrase)) return passphrase;
  const text = passphrase.toString('utf8').normalize('NFC');
  passphrase.fill(0);
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** What is wrong with a new passphrase, in a sentence that contains none of it; null: nothing. */
export function passphraseProblem(passphrase: Buffer, avoid: readonly string[]): string | null {
  if (passphrase.length > MOST_BYTES)
    return `the passphrase is longer than ${MOST_BYTES} bytes; use a shorter one`;
  if (!isUtf8(passphrase)) return 'the passphrase is not UTF-8 text; save the file as UTF-8';
  if (passphrase.some((byte) => byte < 0x20 || byte === 0x7f))
    return 'the passphrase has control characters; it is one line of text';
  const characters = passphrase.reduce((count, byte) => count + (isContinuation(byte) ? 0 : 1), 0);
  if (characters < LEAST_CHARACTERS)
    return `the passphrase has ${characters} characters; use at least ${LEAST_CHARACTERS}, several words make a good one`;
  if (isName(passphrase, avoid))
    return 'the passphrase is the name of a connection or of the user; use another one';
  return null;
}

/** Whether a byte is in a UTF-8 sequence after its first byte. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Whether the passphrase is one of the names; capitals, spaces and signs do not count. */
function isName(passphrase: Buffer, names: readonly string[]): boolean {
  const plain = plainBytes(passphrase);
  const found = names.some((name) => {
    const other = plainBytes(Buffer.from(name));
    return other.length > 0 && other.equals(plain);
  });
  plain.fill(0);
  return found;
}

/** Letters, digits and non-ASCII bytes of a text, in lower case. */
function plainBytes(text: Buffer): Buffer {
  const plain = Buffer.alloc(text.length);
  let length = 0;
  for (const byte of text) {
    const isCapital = byte >= 0x41 && byte <= 0x5a;
    const isPlain =
      isCapital || byte >= 0x80 || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39);
    if (isPlain) plain[length++] = isCapital ? byte + 0x20 : byte;
  }
  return plain.subarray(0, length);
}
