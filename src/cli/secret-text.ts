/** Secrets as a command sends them over the data folder's socket: as text; the bytes are overwritten. */
import { isUtf8 } from 'node:buffer';
import { readSecretBytes } from '../access/secret-file.ts';
import { UsageError } from './usage-error.ts';

/** The one line of a file that no other user can read. Throws a UsageError with the option, not the text. */
export function secretFromFile(flag: string, file: string): string {
  const read = readSecretBytes(file);
  if ('problem' in read) throw new UsageError(`option ${flag}: ${read.problem}`);
  if (!isUtf8(read.bytes)) throw new UsageError(`option ${flag}: ${file} is not UTF-8 text`);
  return secretText(read.bytes);
}

/** Converts bytes to text and fills the bytes with zeros. */
export function secretText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  bytes.fill(0);
  return text;
}
