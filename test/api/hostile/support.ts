/**
 * The check after every hostile client: the service answers a normal signed request, and has shown nothing
 * internal.
 */
import { expect } from 'vitest';
import type { Bench, RawClient, Response } from '../support.ts';
import { expectNoLeaks } from '../support.ts';

export const CRLF = '\r\n';
export const TIME = '/api/v2/server/time';

/** One request line with custom headers; `Host: test` unless others are given. */
export function request(line: string, headers: readonly string[] = ['Host: test'], body = ''): string {
  return `${line} HTTP/1.1${CRLF}${headers.map((header) => header + CRLF).join('')}${CRLF}${body}`;
}

/** A plain public request. */
export const PLAIN = request(`GET ${TIME}`);

/** Expects that a new client is served as if nothing had happened. */
export async function expectServes(bench: Bench): Promise<void> {
  let signed = await bench.send('GET', '/api/v2/orders');
  // On a busy machine a signature can expire on its way: the service has answered, and serves the next one.
  for (let tries = 0; signed.status === 401 && tries < 5; tries++)
    signed = await bench.send('GET', '/api/v2/orders');
  expect(signed.status, signed.text).toBe(200);
  expectNoLeaks(signed);
  expectQuietLog(bench);
}

/** Expects that no line of the log is an internal error, and that none could control a terminal. */
export function expectQuietLog(bench: Bench): void {
  for (const { level, text } of bench.desk.lines) {
    expect(level, text).not.toBe('error');
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    expect(text.length).toBeLessThan(3_000);
  }
}

/** Returns every answer that a connection gets until the service closes it. */
export async function answersOf(client: RawClient): Promise<Response[]> {
  const answers: Response[] = [];
  for (;;) {
    const answer = await client.answer();
    if (answer === null) return answers;
    answers.push(answer);
  }
}

/** Waits until a condition holds, by turns of the event loop and nothing else. */
export async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
