/**
 * Why a connection or a request failed, in fixed words chosen by the error code: the messages of libraries
 * contain hosts and addresses. Pure.
 */

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  EPIPE: 'the connection was closed before an answer',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name was not found',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer did not end in time',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer has another length than it says',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: "the certificate is not valid yet: look at this machine's clock",
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'a message is too long',
  WS_ERR_INVALID_UTF8: 'a message is not UTF-8',
};
const CERTIFICATE = /CERT|SELF_SIGNED|ISSUER|VERIFY/;

/** Returns one line that is safe to show. `what`: what has failed, for codes that say nothing about it. */
export function wordsOfCode(error: unknown, what = 'the request'): string {
  const code = codeOf(error);
  if (code === null) return `${what} failed`;
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (CERTIFICATE.test(code)) return `the certificate is not trusted (${code})`;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `no TLS connection can be made (${code})`;
  return `${what} failed (${code})`;
}

/** Returns only the code, since messages contain hosts and addresses; null: the error has none. */
export function codeOf(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : null;
}
