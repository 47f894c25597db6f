/**
 * Says why a request to OKX has failed and what to do, in a sentence for the person who connects an account.
 * Pure.
 */
import { visible } from '../../domain/visible.ts';
import type { CallResult } from '../kit/caller.ts';
import { refusalOf, verdictOf } from './dialect.ts';

/** What an owner can do about a code; for other codes the exchange's own words are shown. */
const CURES: Readonly<Record<string, string>> = {
  '50007': 'the user is blocked at OKX: ask its support',
  '50008': 'the user of this key is not known there any more',
  '50027': 'the account may not trade: ask the support of OKX',
  '50030': 'the key may not do this: give it the right to read and trade at OKX, under API',
  '50035': 'OKX asks for a key that is bound to addresses: make one with an address',
  '50100': 'the API key is frozen: ask the support of OKX',
  '50101':
    'the API key is of the other environment: keys of Demo Trading go with --environment demo, all others with live',
  '50102': "the clocks differ: set this machine's clock by NTP",
  '50103': 'the API key is empty: paste it again',
  '50104': 'the passphrase is empty: OKX takes the one that was set when the key was made',
  '50105': 'the passphrase is not that of the API key: it was set when the key was made',
  '50110': 'the key is not allowed from this address: look at the addresses of the key at OKX',
  '50111': 'the API key is not known there: paste it again',
  '50112': "the clocks differ: set this machine's clock by NTP",
  '50113': 'the secret does not belong to the API key: connect with the pair as it was made',
  '50114': 'the key is not allowed to do this: look at it at OKX, under API',
  '50119': 'the API key is not known there any more: make another one',
  '50120': 'the key may not do this: give it the right to read and trade at OKX, under API',
  '50121': 'OKX serves nothing to this address: its country or network is not allowed there',
  '51010': 'the account mode does not allow this: change it at OKX, in the settings of trading',
  '60005': 'the API key is not known there: paste it again',
  '60006': "the clocks differ: set this machine's clock by NTP",
  '60007': 'the secret does not belong to the API key: connect with the pair as it was made',
  '60024': 'the passphrase is not that of the API key: it was set when the key was made',
  '60032': 'the API key is not known there: is it of this environment (live, demo)?',
};

/** Words for a code, with what can be done about it. */
export function codedTrouble(code: string, message: string): string {
  const words = `${visible(message).slice(0, 150)} (${visible(code).slice(0, 20)})`.trim();
  const cure = CURES[code];
  return cure === undefined ? words : `${cure}: ${words}`;
}

export function troubleOf(called: CallResult): string {
  if (called.kind !== 'answer') return called.cause;
  const { status, text } = called;
  const verdict = verdictOf(text);
  const refusal = verdict && refusalOf(verdict);
  if (refusal) return codedTrouble(refusal.code, refusal.message);
  if (status === 429)
    return 'the exchange takes no requests from this address for now (HTTP 429): wait a little';
  if (status === 403 || status === 451)
    return `it is not served to this address (HTTP ${status}): OKX, or something between, refuses this network`;
  if (text.trimStart().startsWith('<'))
    return `a page of HTML came instead of an answer (HTTP ${status}): is the address right, and is nothing between?`;
  return `the answer cannot be read (HTTP ${status})`;
}
