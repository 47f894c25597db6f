/** A secret of the configuration in a file of its own, as text. Never shows what is in it. */
import { readSecretBytes } from '../access/secret-file.ts';

/** The file's one line without its end, or what is wrong, following the name of the key. */
export function readSecretFile(path: string): { readonly text: string } | { readonly problem: string } {
  const read = readSecretBytes(path);
  if ('problem' in read) return read;
  const text = read.bytes.toString('utf8');
  read.bytes.fill(0);
  return { text };
}
