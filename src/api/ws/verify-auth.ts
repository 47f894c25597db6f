/**
 * Checks an auth message: timestamp, key, signature over the connection's challenge, the key's IP list, in
 * this order (specification, "WebSocket authentication"; D3, D4, D22). Reads no clock.
 */
import { addressAllowed } from '../../access/address.ts';
import { WINDOW_MS } from '../../access/replay-cache.ts';
import { Verifier } from '../../access/verifier.ts';
import { type WsAuth, wsAuthMessage } from '../../access/ws-auth.ts';
import type { ApiDesk } from '../../desk/api/api-port.ts';
import type { StreamErrorCode } from '../../schemas/stream.ts';
import type { Verdict } from './session.ts';

export interface AuthAttempt {
  readonly auth: WsAuth;
  readonly challenge: string;
  /** The client's address. */
  readonly address: string;
  /** Wall time, Unix ms. */
  readonly now: number;
}

/** Verifies an attempt, at once or later. An error of its own is a rejection or an exception. */
export type AuthVerifier = (attempt: AuthAttempt) => Verdict | Promise<Verdict>;

/**
 * Makes a verifier that answers at once, so that what a client sends right after its auth message finds the
 * session open.
 */
export function authVerifier(desk: Pick<ApiDesk, 'activeKey'>, verifier = new Verifier()): AuthVerifier {
  return ({ auth, challenge, address, now }) => {
    const { keyId, signature, timestamp } = auth;
    const behind = now - timestamp;
    if (Math.abs(behind) > WINDOW_MS) {
      const side = behind > 0 ? 'behind' : 'ahead of';
      return failed(
        'TIMESTAMP_EXPIRED',
        `timestamp is ${Math.abs(behind)} ms ${side} the server's time ${now}; allowed: ${WINDOW_MS}`,
      );
    }
    const message = wsAuthMessage(timestamp, challenge);
    const key = desk.activeKey(keyId);
    if (!key) {
      verifier.pretendNow(message, signature);
      return failed('INVALID_KEY', `the key ${keyId.slice(0, 8)}... is not registered here or was revoked`);
    }
    if (!verifier.verifyNow(keyId, message, signature)) {
      return failed(
        'INVALID_SIGNATURE',
        `the signature does not match; sign WSAuth + timestamp + challenge, here ${message.toString()}`,
      );
    }
    if (key.ipList !== null && !addressAllowed(key.ipList, address)) {
      return failed('IP_REJECTED', `the address ${address} is not on the key's IP list`);
    }
    return { ok: true, key };
  };
}

function failed(code: StreamErrorCode, message: string): Verdict {
  return { ok: false, code, message };
}
