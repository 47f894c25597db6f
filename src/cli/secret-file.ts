/** Reads a secret of the configuration from a file of its own. Never shows its text. */
import { readSecretBytes } from '../access/secret-file.ts';

/** Returns the file's one line without its end, or the problem as words that follow the name of the key. */
export function readSecretFile(path: string): { readonly text: string } | { readonly problem: string } {
  const read = readSecretBytes(path);
  if ('problem' in read) return read;
  const text = read.bytes.toString('utf8');
  read.bytes.fill(0);
  return { text };
}
