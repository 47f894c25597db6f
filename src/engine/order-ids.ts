/**
 * The ids of orders that are made here (S19): `<prefix of the venue>-<desk><time in base 36><random><index>`, 25 characters, and of
 * a bot's orders `_<run>` behind it: 36 at most. Without the two separators they are 34 and, of orders that are no bot's, 24. Pure.
 */
import type { Actor } from '../domain/actor.ts';
import { DESK_ID_LENGTH } from '../domain/desk-id.ts';

/** Digits of a time in base 36, until the year 2059. */
const TIME_LENGTH = 8;
/** Characters of what is drawn that go into an id: all of one desk and moment are told apart by them. */
export const RANDOM_LENGTH = 7;
const INDEX_LENGTH = 2;
/** What the index can tell apart. */
export const IDS_PER_MOMENT = 32 ** INDEX_LENGTH;

/** Behind the prefix and its dash: desk, time, random, index. Ids of stores from before there were desk ids are as long. */
const OWN_FORM = /^[0-9a-z]{22}(?:_[0-9a-zA-Z]{1,10})?$/;

/** `entropy`: at least as many random characters as go into it; the last ones do. */
export function orderId(
  prefix: string,
  deskId: string,
  wall: number,
  entropy: string,
  index: number,
): string {
  const time = wall.toString(36).padStart(TIME_LENGTH, '0');
  return `${prefix}-${deskId}${time}${entropy.slice(-RANDOM_LENGTH)}${index.toString(32).padStart(INDEX_LENGTH, '0')}`;
}

/** Bot orders end with `_{runId}` (specification, "Order"). */
export function runSuffix(actor: Actor): string {
  return actor.kind === 'bot' ? `_${actor.runId}` : '';
}

/** The random part of the id of an order that is no bot's. */
export function randomOf(id: string): string {
  return id.slice(-INDEX_LENGTH - RANDOM_LENGTH, -INDEX_LENGTH);
}

/** Whether a desk of ours, this one or another, may have made this id for a venue with this prefix. */
export function isOwnForm(prefix: string, id: string): boolean {
  return id.startsWith(`${prefix}-`) && OWN_FORM.test(id.slice(prefix.length + 1));
}

/** The desk that an id of our form names; of an id from before there were desk ids: anything. */
export function deskOf(prefix: string, id: string): string {
  return id.slice(prefix.length + 1, prefix.length + 1 + DESK_ID_LENGTH);
}
