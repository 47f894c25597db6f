/**
 * One POST over undici: no redirects, no proxies from the environment, a response read up to a small limit. A
 * failure is described in fixed words chosen by its code, since the library's own messages name hosts and
 * addresses.
 */
import { type Dispatcher, errors, Pool } from 'undici';
import { codeOf, wordsOfCode } from '../domain/net-words.ts';
import { NO_ANSWER, type Sending, type Sent, TRIES_AT_ONCE, TRY_LIMIT_MS } from './target.ts';

/** Most bytes that are read of a response's body; a longer one is cut off with its connection. */
const ANSWER_BYTES = 16_384;
/** Limit of a try that its caller does not end, ms. */
const HARD_LIMIT_MS = 2 * TRY_LIMIT_MS;
/** Statuses below 500 that mean a temporary problem: request timeout, too early, too many requests. */
const PASSING: readonly number[] = [408, 425, 429];

/** A response or a failure. `body` is empty when it was too long, or ended half way. */
export type Answered =
  | { readonly status: number; readonly body: string; readonly retryAfterMs: number | null }
  | { readonly problem: string };

export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class HttpPoster {
  readonly #pool: Pool;

  constructor(origin: string) {
    this.#pool = new Pool(origin, {
      connections: TRIES_AT_ONCE,
      pipelining: 1,
      allowH2: false,
      connectTimeout: TRY_LIMIT_MS,
      headersTimeout: HARD_LIMIT_MS,
      bodyTimeout: HARD_LIMIT_MS,
      autoSelectFamily: true,
    });
  }

  /** Sends one POST. Never rejects. */
  async post({ path, headers, body }: Post, { now, signal }: Sending): Promise<Answered> {
    try {
      const answer = await this.#pool.request({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json', 'user-agent': 'outcry', ...headers },
        body,
        signal,
      });
      const retryAfterMs = readRetryAfter(answer.headers['retry-after'], now);
      return { status: answer.statusCode, body: await start(answer.body), retryAfterMs };
    } catch (error) {
      return { problem: signal.aborted ? NO_ANSWER : wordsOf(error) };
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/**
 * Returns what a response means for the try. 2xx: delivered. 408, 425, 429, 5xx and no response: retry.
 * Anything else will not change by itself. `told`: further words of the receiver.
 */
export function judged(answered: Answered, told = ''): Sent {
  if ('problem' in answered) {
    return { ok: false, reason: answered.problem, retryable: true, retryAfterMs: null };
  }
  const { status, retryAfterMs } = answered;
  if (status >= 200 && status < 300) return { ok: true };
  const retryable = status >= 500 || PASSING.includes(status);
  const redirect = status >= 300 && status < 400 ? ', redirects are not followed' : '';
  const reason = `HTTP ${status}${redirect}${told === '' ? '' : `: ${told}`}`;
  return { ok: false, reason, retryable, retryAfterMs };
}

/** The only form of date that senders may still produce (RFC 9110). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Reads the header in its two forms, seconds or a date; null without a readable one. */
export function readRetryAfter(header: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const ms = HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/**
 * Returns the body when it is short; a longer one is not read further. Errors here do not matter, since the
 * status has arrived.
 */
async function start(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ANSWER_BYTES) return '';
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Codes for different timeouts, which are all the same to the receiver of the notice. */
const LATE: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

function wordsOf(error: unknown): string {
  if (error instanceof errors.HTTPParserError) return 'the answer is not HTTP';
  return LATE.has(codeOf(error) ?? '') ? NO_ANSWER : wordsOfCode(error);
}
