/**
 * Describes why a connection to an exchange or a request failed: in the adapter's own words, or by the
 * error's code. Pure.
 */
import { wordsOfCode } from '../../domain/net-words.ts';

/** An error with a text of our own; any other error is described by its code. */
export class NetProblem extends Error {}

/** One line, safe to show. `what`: the name of what has failed, for an error whose code says nothing. */
export function wordsOf(error: unknown, what = 'the request'): string {
  return error instanceof NetProblem ? error.message : wordsOfCode(error, what);
}
