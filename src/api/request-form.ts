/**
 * Rules on the form of a request that need no route and no key: headers that may occur once, framing, content
 * type, idempotency key. They read the raw header list, because node merges or drops repeated headers.
 */
import { createHash } from 'node:crypto';
import { type Outcome, ok, refuse, type ServiceError } from '../domain/errors.ts';

const CONTENT_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

export interface IdempotencyKey {
  /** The key in lower case, so that case does not matter (D13). */
  readonly key: string;
  /** The request's fingerprint, hexadecimal SHA-256 (D11). */
  readonly fingerprint: string;
}

/** Returns every value of one header, in order. `name` in lower case. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const own = rawHeaders[i] ?? '';
    // A quick test first: most names differ in length already.
    if (own.length === name.length && own.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}

/** Checks the header form (D26, 2.7). Returns the problem or null. */
export function checkHeaders(
  rawHeaders: readonly string[],
  httpVersion: string,
  maxCount: number,
): ServiceError | null {
  // Node also accepts a request line without a version, as in HTTP/0.9.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return invalid('only HTTP/1.1 and HTTP/1.0 are spoken');
  if (rawHeaders.length > maxCount * 2) return invalid(`more than ${maxCount} headers`);
  const hosts = headerValues(rawHeaders, 'host').length;
  if (hosts > 1) return invalid('more than one Host header');
  if (hosts === 0 && httpVersion !== '1.0') return invalid('a Host header is missing');
  const expect = headerValues(rawHeaders, 'expect');
  if (expect.length > 1 || (expect[0] !== undefined && expect[0].toLowerCase() !== '100-continue')) {
    return invalid('Expect must be 100-continue or absent');
  }
  return null;
}

/**
 * What is wrong with the framing of a request, or null. With wrong framing the end of the body is ambiguous,
 * so nothing after it is read: the connection must be closed (RFC 9112, 6.1).
 */
export function framingProblem(rawHeaders: readonly string[], httpVersion: string): ServiceError | null {
  const coding = headerValues(rawHeaders, 'transfer-encoding');
  if (coding.length > 1 || (coding[0] !== undefined && coding[0].toLowerCase() !== 'chunked')) {
    return invalid('Transfer-Encoding must be chunked or absent');
  }
  if (coding.length > 0 && httpVersion === '1.0') return invalid('Transfer-Encoding needs HTTP/1.1');
  return null;
}

/**
 * Checks whether the method may have a body, and its content type (D31, D32). Returns the problem or null.
 */
export function checkContent(
  method: string,
  rawHeaders: readonly string[],
  body: Buffer,
): ServiceError | null {
  if (headerValues(rawHeaders, 'content-encoding').length > 0) {
    return invalid('Content-Encoding is not supported; send the body as it is');
  }
  if (body.length === 0) return null;
  if (method === 'GET') return invalid('a GET request has no body; use query parameters');
  const types = headerValues(rawHeaders, 'content-type');
  if (types.length !== 1) {
    return invalid(
      `one Content-Type header is needed with a body, got ${types.length}; send application/json`,
    );
  }
  if (!CONTENT_TYPE.test(types[0] ?? '')) {
    return invalid('Content-Type must be application/json, with charset=utf-8 or none');
  }
  return null;
}

/**
 * Reads X-Idempotency-Key of a mutating request (D11, D13); undefined without one and on methods that ignore
 * it.
 */
export function readIdempotencyKey(
  method: string,
  target: string,
  rawHeaders: readonly string[],
  body: Buffer,
): Outcome<IdempotencyKey | undefined> {
  if (!IDEMPOTENT_METHODS.has(method)) return ok(undefined);
  const values = headerValues(rawHeaders, 'x-idempotency-key');
  if (values.length === 0) return ok(undefined);
  if (values.length > 1) return refuse('INVALID_REQUEST', 'more than one X-Idempotency-Key header');
  const key = values[0] ?? '';
  if (!UUID.test(key)) {
    return refuse(
      'INVALID_REQUEST',
      'X-Idempotency-Key must be a UUID such as 3f2b8c1e-7d4a-4c5b-9e6f-0a1b2c3d4e5f',
    );
  }
  return ok({ key: key.toLowerCase(), fingerprint: fingerprint(method, target, body) });
}

/** Digests a request. Method and target cannot contain a newline, so the parts cannot be confused. */
function fingerprint(method: string, target: string, body: Buffer): string {
  return createHash('sha256').update(`${method}\n${target}\n`).update(body).digest('hex');
}

function invalid(message: string): ServiceError {
  return { code: 'INVALID_REQUEST', message };
}
