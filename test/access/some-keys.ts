/** Public keys for tests: valid, and the same in every run. */
import { createHash } from 'node:crypto';
import { getPublicKey, hashes } from '@noble/ed25519';

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

export const KEYS = Array.from({ length: 25 }, (_, i) =>
  Buffer.from(getPublicKey(new Uint8Array(32).fill(i + 1))).toString('base64url'),
);

/** Number 24 is never registered: tests use it as an unknown key. */
export const keyText = (i: number) => KEYS[i] as string;

export const NOW = 1_760_000_000_000;
export const DAY_MS = 86_400_000;

export function codeOf(outcome: { ok: true } | { ok: false; error: { code: string } }): string {
  return outcome.ok ? 'ok' : outcome.error.code;
}
