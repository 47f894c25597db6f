/** Authentication, keys, idempotency: the specification's section "Authentication" without the WebSocket. */
import { type Item, section } from '../item.ts';

export const ACCESS_ITEMS: readonly Item[] = [
  ...section('Scheme', {
    'rule header-key': 'X-SVC-KEY is the raw public key in Base64url, exactly 43 characters.',
    'rule header-sign': 'X-SVC-SIGN is the signature in Base64url without padding.',
    'rule header-timestamp': 'X-SVC-TIMESTAMP is Unix ms as text.',
  }),
  ...section('Signing rule', {
    'rule sign-message': 'What is signed is timestamp, method, path and body, joined by nothing.',
    'rule sign-timestamp': '(1) The timestamp is the very text of the header.',
    'rule sign-method': '(2) The method is in upper case.',
    'rule sign-path':
      '(3) The path begins at /v2 and holds the query as sent; one that begins at /api does not verify.',
    'rule sign-body': '(4) The body is signed as sent; without one nothing follows.',
    'rule sign-bytes': 'The bytes signed are the bytes sent.',
    'rule sign-pure':
      'PureEdDSA without pre-hash; keys come as PKCS#8, the public key is the last 32 bytes of its DER.',
  }),
  ...section('Timestamp and replay rules', {
    'rule timestamp-window': '(1) More than 5000 ms off is TIMESTAMP_EXPIRED.',
    'rule timestamp-number': '(1) What is no number is TIMESTAMP_INVALID.',
    'rule replay': '(2) A repeated pair of timestamp and signature is UNAUTHORIZED and says so.',
    'rule resign': '(2) Every attempt is signed anew with a fresh timestamp.',
    'rule client-offset': '(3) A client may keep the offset to GET /server/time.',
  }),
  ...section('Failure codes', {
    'failure headers': 'Headers missing or malformed: UNAUTHORIZED.',
    'failure key': 'A public key that is malformed, not registered or deactivated: INVALID_KEY.',
    'failure signature': 'A signature that does not match: INVALID_SIGNATURE.',
    'failure address': 'An address outside the key’s list: IP_NOT_WHITELISTED.',
    'failure tier': 'A tier too low: FORBIDDEN.',
    'failure shield': 'An exchange outside allowedExchanges: EXCHANGE_NOT_ALLOWED.',
    'failure shield-broken': 'A shield that cannot be evaluated: RISK_SHIELD_ERROR, and nothing happens.',
  }),
  ...section('Keys and permissions', {
    'rule key-registration': 'A key has a label, a tier, perhaps an IP list and a shield.',
    'rule key-count': 'Ten active keys at most.',
    'rule tier-read': 'read: balances, positions, orders, bots, streams.',
    'rule tier-trade': 'trade: that and every change.',
    'rule tier-full': 'full: all that trade may.',
    'rule ip-list': 'Up to ten CIDR entries; others get IP_NOT_WHITELISTED, on the stream IP_REJECTED.',
    'rule shield': 'allowedExchanges is checked on orders, leverage and margin changes.',
    'rule revocation': 'A revoked key stops at once; its sockets close with 4003.',
    'rule budgets-per-account': 'Budgets are counted per account and scaled by tier.',
  }),
  ...section('Idempotency', {
    'rule idempotency-key': '(1) A UUID of the client’s, optional, on POST, PUT and DELETE.',
    'rule idempotency-methods': '(1) Ignored on other methods, not honoured on PATCH.',
    'rule idempotency-replay':
      '(2) The same again within an hour gets the same status and body and happens once.',
    'rule idempotency-4xx': '(2) A refusal is replayed too.',
    'rule idempotency-conflict': '(3) The key with other parameters: 409, and says so.',
    'rule idempotency-in-progress': '(4) The key while the first is under way: 409, and says so.',
    'rule idempotency-5xx': '(5) A 5xx is not kept: the retry happens anew.',
    'rule idempotency-hour': '(6) After an hour the key is new.',
    'rule idempotency-echo': '(7) meta.idempotencyKey gives the key back.',
    'rule idempotency-retry': '(8) A retry keeps the key and signs anew.',
  }),
];
