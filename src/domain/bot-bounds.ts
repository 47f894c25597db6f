/** Limits on what one account may make the desk store for its bots (S60). Pure. */
import type { BotRecord } from './bot.ts';

/** Most bots of one account. Each is in memory, on every console and in the response of `GET /bots`. */
export const MAX_BOTS = 500;
/**
 * Most bots that the desk itself makes for attached exits and price alerts; they do not count toward
 * MAX_BOTS.
 */
export const MAX_MANAGED_BOTS = 200;
/**
 * Most bytes of one bot's settings, options and metadata, each as JSON in UTF-8: they are stored again with
 * every change.
 */
export const MAX_BOT_BYTES = 64 * 1024;
/**
 * Most alerts of one bot that are stored in a minute of market time: each is a row, an event, a notice and a
 * console line.
 */
export const MAX_ALERTS_PER_MINUTE = 60;

/**
 * Returns whether the desk made the bot for one purpose: it is deleted when its run ends, and never started
 * again.
 */
export function isManaged({ options }: Pick<BotRecord, 'options'>): boolean {
  return options?.managed === true;
}

/** Returns the size in bytes of everything a user wrote into a bot. */
export function bytesOf({
  settings,
  options,
  metadata,
}: Pick<BotRecord, 'settings' | 'options' | 'metadata'>): number {
  return [settings, options, metadata].reduce<number>(
    (sum, part) => (part === null ? sum : sum + utf8Bytes(JSON.stringify(part))),
    0,
  );
}

/** Returns the length of JSON text in UTF-8; JSON contains no unpaired surrogates. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    // Each half of a surrogate pair counts two of the pair's four bytes.
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}
