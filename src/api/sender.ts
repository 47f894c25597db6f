/**
 * What a request says about its sender before it is counted: a page of another origin in a browser, or a
 * program with a key. Pure.
 */
import { KEY_CHARACTERS } from '../access/canonical.ts';

export interface Sender {
  /** A browser sent it for a page that may not use this API: the browser's user did not ask for it. */
  readonly foreign: boolean;
  /** The key that the request claims; null when there is none of the right length. */
  readonly keyId: string | null;
}

/** Values by which a browser marks requests from pages of another origin. */
const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

export function senderOf(rawHeaders: readonly string[], allowedOrigins: readonly string[]): Sender {
  let keyId: string | null = null;
  let origins = 0;
  let foreign = false;
  let site: string | null = null;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const value = rawHeaders[i + 1] as string;
    // A quick test first: most names differ in length already.
    if (name.length === 6 && name.toLowerCase() === 'origin') {
      origins += 1;
      foreign ||= !allowedOrigins.includes(value);
    } else if (name.length === 9 && name.toLowerCase() === 'x-svc-key') {
      if (value.length === KEY_CHARACTERS) keyId ??= value;
    } else if (name.length === 14 && name.toLowerCase() === 'sec-fetch-site') {
      site = value;
    }
  }
  // A request for an image or a script has no Origin.
  if (origins === 0 && site !== null) foreign = FOREIGN_SITES.has(site);
  return { foreign, keyId };
}
