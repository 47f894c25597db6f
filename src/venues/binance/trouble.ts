/**
 * Says why a request to Binance has failed and what to do, in a sentence for the person who connects an
 * account. Pure.
 */
import { visible } from '../../domain/visible.ts';
import type { CallResult } from '../kit/caller.ts';
import { errorOf } from './dialect.ts';

/** What an owner can do about a code; for other codes the exchange's own words are shown. */
const CURES: Readonly<Record<number, string>> = {
  [-1002]: 'the key may not do this: allow it under API Management',
  [-1021]: "the clocks differ: set this machine's clock by NTP",
  [-1022]: 'the secret does not belong to the API key: connect with the pair as it was made',
  [-2008]: 'the API key is not known there: is it of this environment (live, testnet, demo)?',
  [-2014]: 'the API key has not the form of one: paste it again',
  [-2015]:
    'the API key is wrong, of another environment, not allowed from this address, or not allowed to do this: look at API Management',
  [-4109]: 'the account is inactive: transfer something into it',
};

export function troubleOf(called: CallResult): string {
  if (called.kind !== 'answer') return called.cause;
  const { status, text } = called;
  const error = errorOf(text);
  if (status === 418 || status === 429) {
    const words = error ? `: ${visible(error.message).slice(0, 150)}` : '';
    return `the exchange takes no requests from this address for now (HTTP ${status})${words}`;
  }
  if (error) {
    const words = `${visible(error.message).slice(0, 150)} (${error.code})`;
    const cure = CURES[error.code];
    return cure === undefined ? words : `${cure}: ${words}`;
  }
  if (status === 403 || status === 451)
    return `it is not served to this address (HTTP ${status}): Binance, or something between, refuses this network`;
  if (text.trimStart().startsWith('<'))
    return `a page of HTML came instead of an answer (HTTP ${status}): is the address right, and is nothing between?`;
  return `the answer cannot be read (HTTP ${status})`;
}
