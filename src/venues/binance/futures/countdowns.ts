/**
 * The dead-man switch of USD-M futures: a countdown for each symbol, which cancels the open orders of that
 * symbol. It is not documented whether it also cancels orders that wait for a trigger.
 */
import type { SettingOutcome } from '../../../domain/position.ts';
import { visible } from '../../../domain/visible.ts';
import type { Caller, CallResult } from '../../kit/caller.ts';
import type { DeadManVenue } from '../../venue.ts';
import { errorOf } from '../dialect.ts';
import { readCountdown } from './messages.ts';
import { oddWords, successOf } from './questions.ts';
import { FUTURES } from './requests.ts';

export function countdowns(caller: Caller): DeadManVenue {
  return {
    async arm({ symbol, seconds }, dispatch) {
      if (symbol === null)
        return { kind: 'rejected', code: 'SYMBOL', message: 'Binance counts down for single symbols' };
      const parameters = { symbol, countdownTime: String(seconds * 1_000) };
      return caller.renew(FUTURES.countdown, parameters, dispatch ?? DEFAULT_DISPATCH, (called) =>
        outcomeOf(called, symbol),
      );
    },
  };
}

function outcomeOf(called: CallResult, symbol: string): SettingOutcome {
  if (called.kind === 'unsent') return { kind: 'rejected', code: 'UNSENT', message: called.cause };
  if (called.kind === 'lost') return { kind: 'unknown', cause: called.cause };
  const text = successOf(called);
  if (text === null) {
    const error = errorOf(called.text);
    // Any other answer: it may have been carried out.
    const isRefused = error !== null && called.status >= 400 && called.status < 500;
    if (!isRefused) return { kind: 'unknown', cause: oddWords(called) };
    return { kind: 'rejected', code: String(error.code), message: visible(error.message).slice(0, 200) };
  }
  const read = readCountdown(text);
  if (!read.ok) return { kind: 'unknown', cause: read.problem };
  if (read.value.symbol !== symbol)
    return { kind: 'unknown', cause: `the answer is of ${visible(read.value.symbol)}` };
  return { kind: 'done' };
}

/** Default terms for callers that do not hurry and give none. */
const DEFAULT_DISPATCH = {
  lane: 'renewal',
  notAfter: Number.POSITIVE_INFINITY,
  waitUntil: Number.POSITIVE_INFINITY,
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
} as const;
