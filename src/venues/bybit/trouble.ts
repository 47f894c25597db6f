/**
 * Describes why a question to Bybit has failed, in a sentence that says what to do, for whoever connects an
 * account. Pure.
 */
import { visible } from '../../domain/visible.ts';
import type { CallResult } from '../kit/caller.ts';
import { isAddressBan, type Ret, retOf } from './dialect.ts';

/** What an owner can do about a code; for other codes the exchange's own message is shown. */
const CURES: Readonly<Record<number, string>> = {
  [-2015]: 'the API key has expired: make another one and connect with --replace',
  33004: 'the API key has expired: make another one and connect with --replace',
  10002: "the clocks differ: set this machine's clock by NTP",
  10003: 'the API key is not known there: is it of this environment (live, testnet, demo)?',
  10004: 'the secret does not belong to the API key: connect with the pair as it was made',
  10005: 'the key may not do this: allow Unified Trading (orders and positions, spot) under API Management',
  10007: 'the API key is wrong: paste it again',
  10008: 'the account is banned or of a kind that is not served: look at it at Bybit',
  10009: 'Bybit does not serve this region',
  10010: 'the key is bound to other addresses than this one: look at API Management',
  10024: 'Bybit asks for something first (compliance): look at the account there',
  10027: 'Bybit has suspended trading of this account: look at it there',
  10028: 'the account is a classic one: upgrade it to a unified trading account at Bybit',
  100028: 'the account is a classic one: upgrade it to a unified trading account at Bybit',
};

export function troubleOf(called: CallResult): string {
  if (called.kind !== 'answer') return called.cause;
  const { status, text } = called;
  if (isAddressBan(status, text))
    return 'the exchange takes no requests from this address for ten minutes (HTTP 403, too frequent)';
  const ret = retOf(text);
  if (ret) return troubleOfRet(ret);
  if (status === 401) return 'the API key was not taken (HTTP 401): is it of this environment?';
  if (status === 403 || status === 451)
    return `it is not served to this address (HTTP ${status}): Bybit, or something between, refuses this network`;
  if (status === 429) return 'the exchange is too busy (HTTP 429): try again in a moment';
  if (text.trimStart().startsWith('<'))
    return `a page of HTML came instead of an answer (HTTP ${status}): is the address right, and is nothing between?`;
  return `the answer cannot be read (HTTP ${status})`;
}

export function troubleOfRet({ code, message }: Ret): string {
  const words = `${visible(message).slice(0, 150) || 'refused'} (${code})`;
  const cure = CURES[code];
  return cure === undefined ? words : `${cure}: ${words}`;
}
