/** A secret in a file of its own, as secret managers hand them over. Never shows what is in it. */
import { readFileSync, statSync } from 'node:fs';

/** A secret has one short line; whatever is larger is another file. */
export const SECRET_FILE_BYTES = 4_096;
const OTHERS = 0o077;

/** The file's one line without its end, or what is wrong, following the name of the key. */
export function readSecretFile(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    const { mode, size, uid } = statSync(path);
    if (size > SECRET_FILE_BYTES) return { problem: `${path} is larger than ${SECRET_FILE_BYTES} bytes` };
    const user = process.getuid?.();
    if (user !== undefined && uid !== user && uid !== 0)
      return { problem: `${path} belongs to another user` };
    if (user !== undefined && (mode & OTHERS) !== 0)
      return { problem: `others on this machine can read ${path}; run chmod 600 on it` };
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: `${path} cannot be read (${code ?? 'not a file'})` };
  }
}
