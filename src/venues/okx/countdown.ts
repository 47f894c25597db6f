/**
 * The dead-man switch of OKX (OD Cancel All After): one countdown for each tag of orders, so that the two
 * accounts of a wallet, and other programs on it, do not cancel each other's orders. It is not documented
 * whether it also cancels conditional orders.
 */
import type { SettingOutcome } from '../../domain/position.ts';
import type { Caller, CallResult } from '../kit/caller.ts';
import type { DeadManVenue, Dispatch } from '../venue.ts';
import { OKX_CODES } from './codes.ts';
import { refusalOf, verdictOf } from './dialect.ts';
import { readCountdown } from './messages.ts';
import { OKX } from './requests.ts';
import { codedTrouble, troubleOf } from './trouble.ts';

export function countdown(caller: Caller, tag: string): DeadManVenue {
  return {
    async arm({ symbol, seconds }, dispatch) {
      if (symbol !== null)
        return {
          kind: 'rejected',
          code: 'SYMBOL',
          message: 'OKX counts down for the account, not for single symbols',
        };
      const parameters = { timeOut: String(seconds), tag };
      return caller.renew(OKX.countdown, parameters, dispatch ?? DEFAULT_DISPATCH, outcomeOf);
    },
  };
}

function outcomeOf(called: CallResult): SettingOutcome {
  if (called.kind === 'unsent') return { kind: 'rejected', code: 'UNSENT', message: called.cause };
  if (called.kind === 'lost') return { kind: 'unknown', cause: called.cause };
  const verdict = verdictOf(called.text);
  const refusal = verdict && refusalOf(verdict);
  if (refusal) {
    const { code, message } = refusal;
    const isRefused = OKX_CODES.meaning('submit', refusal).kind === 'rejected' || code === TOO_MANY_TAGS;
    return isRefused
      ? { kind: 'rejected', code, message: codedTrouble(code, message) }
      : { kind: 'unknown', cause: codedTrouble(code, message) };
  }
  const read = called.status < 300 ? readCountdown(called.text) : null;
  return read?.ok ? { kind: 'done' } : { kind: 'unknown', cause: troubleOf(called) };
}

/** The code for: twenty tags have a countdown already. */
const TOO_MANY_TAGS = '51071';

/** Default dispatch for callers that do not hurry and give none. */
const DEFAULT_DISPATCH: Dispatch = {
  lane: 'renewal',
  notAfter: Number.POSITIVE_INFINITY,
  waitUntil: Number.POSITIVE_INFINITY,
  onWaits: () => {},
  leaves: () => ({ notAfter: Number.POSITIVE_INFINITY }),
};
