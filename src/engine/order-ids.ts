/**
 * The ids of orders that are made here (S19): `<prefix of the venue>-<desk><time in base 36><random><index>`,
 * 25 characters; a bot's order has `_<run>` appended: 36 at most. Without the two separators they have 34
 * characters, and 24 for orders without a bot. Pure.
 */
import type { Actor } from '../domain/actor.ts';
import { DESK_ID_LENGTH } from '../domain/desk-id.ts';

/** Digits of a time in base 36, until the year 2059. */
const TIME_LENGTH = 8;
/** Number of random characters in an id: they distinguish all ids of one desk and moment. */
export const RANDOM_LENGTH = 7;
const INDEX_LENGTH = 2;
/** How many values the index has. */
export const IDS_PER_MOMENT = 32 ** INDEX_LENGTH;

/**
 * After the prefix and its dash: desk, time, random, index. Ids of stores older than the desk ids have the
 * same length.
 */
const OWN_FORM = /^[0-9a-z]{22}(?:_[0-9a-zA-Z]{1,10})?$/;

/** Makes an id. `entropy`: at least as many random characters as the id needs; the last ones are used. */
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

/** Returns the end of a bot order's id, `_{runId}` (specification, "Order"). */
export function runSuffix(actor: Actor): string {
  return actor.kind === 'bot' ? `_${actor.runId}` : '';
}

/** Returns the random part of the id of an order without a bot. */
export function randomOf(id: string): string {
  return id.slice(-INDEX_LENGTH - RANDOM_LENGTH, -INDEX_LENGTH);
}

/**
 * Returns whether a desk of this program, this one or another, may have made this id for a venue with this
 * prefix.
 */
export function isOwnForm(prefix: string, id: string): boolean {
  return id.startsWith(`${prefix}-`) && OWN_FORM.test(id.slice(prefix.length + 1));
}

/** Returns the desk in an id of this form; for an id older than the desk ids the result is arbitrary. */
export function deskOf(prefix: string, id: string): string {
  return id.slice(prefix.length + 1, prefix.length + 1 + DESK_ID_LENGTH);
}
