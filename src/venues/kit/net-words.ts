/** Why a connection to an exchange or a request failed: in words of this adapter, or chosen by its code. Pure. */
import { wordsOfCode } from '../../domain/net-words.ts';

/** Its own words; everything else is described by its code. */
export class NetProblem extends Error {}

/** One line, fit to be shown. `what`: of what has failed, where its code says nothing. */
export function wordsOf(error: unknown, what = 'the request'): string {
  return error instanceof NetProblem ? error.message : wordsOfCode(error, what);
}
