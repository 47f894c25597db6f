/** Errors, the limits other than those per route, and versioning. */
import { type Item, prefixed, section } from '../item.ts';

export const ERROR_ITEMS: readonly Item[] = [
  ...section('Errors', {
    'rule error-envelope':
      'An error is {error: {code, status, message}, meta: {requestId}}; status mirrors HTTP.',
    'rule no-internals': 'What fails inside is told in general words, nothing of the inside.',
    ...prefixed('error', {
      INVALID_REQUEST: '400: malformed, a wrong or missing parameter, or what the exchange refused.',
      UNAUTHORIZED: '401: headers missing, a repeated signature.',
      INVALID_KEY: '401: the key is unknown, deactivated or malformed.',
      INVALID_SIGNATURE: '401: the signature does not match.',
      TIMESTAMP_EXPIRED: '401: out of the window.',
      TIMESTAMP_INVALID: '401: not a number.',
      FORBIDDEN: '403: the key may not do that.',
      IP_NOT_WHITELISTED: '403: the address is not on the key’s list.',
      EXCHANGE_NOT_ALLOWED: '403: the exchange is outside the shield.',
      NOT_FOUND: '404: there is no such order, bot, run or route.',
      CONFLICT: '409: against the present state.',
      IDEMPOTENCY_CONFLICT: '409: the key was used otherwise, or is in use.',
      PAYLOAD_TOO_LARGE: '413: a body over 100 KB.',
      VALIDATION_ERROR: '422: what lies behind called the request invalid.',
      RATE_LIMITED: '429: over a limit, with Retry-After.',
      INTERNAL_ERROR: '500: unexpected, or a feature the exchange lacks.',
      RISK_SHIELD_ERROR: '500: a shield could not be evaluated; blocked.',
      SERVICE_UNAVAILABLE: '503: maintenance or overload.',
      UNKNOWN_ERROR: '500: a failure of no known kind.',
    }),
    'rule retry-guidance':
      'RATE_LIMITED, INTERNAL_ERROR, SERVICE_UNAVAILABLE, RISK_SHIELD_ERROR and a lost line may be retried, other 4xx not.',
    'rule replayed-400': 'A 400 stays a 400 for its idempotency key.',
    'rule retry-after-seconds': 'Retry-After is in whole seconds.',
  }),
  ...section('Other limits', {
    'limit body-size': '100 KB, then 413.',
    'limit timestamp-skew': '5000 ms either way.',
    'limit active-keys': '10 per account.',
    'limit ip-list-entries': '10 CIDR entries per key.',
    'limit idempotency-window': 'One hour.',
    'limit recent-window': 'About one hour.',
    'limit split-prices': '2 to 50.',
    'limit trades': '1 to 500, 100 by default.',
    'limit leverage': 'An integer from 1 to 125.',
    'limit dust': 'Once in six hours.',
  }),
  ...section('Versioning', {
    'rule version-in-path': '(1) The version is in the path, of the WebSocket too.',
    'rule version-in-meta': '(2) meta.version is in every envelope; status and version name apiVersion.',
    'rule version-number': '(3) The version is 2.0.0.',
    'rule ping-envelope': '(4) GET /ping keeps its legacy envelope.',
    'rule codes-are-stable': '(5) Codes are stable, words may change.',
    'rule compatibility': '(6) What version 2 does not have, or has no more, answers 404.',
  }),
];
