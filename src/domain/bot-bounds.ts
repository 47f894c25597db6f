/** What one account may make the desk keep of bots (S60). Pure. */
import type { BotRecord } from './bot.ts';

/** Bots of one account. Each is in memory, on every console and in the answer of `GET /bots`. */
export const MAX_BOTS = 500;
/** Beside them, bots that the desk itself makes for attached exits and price alerts. */
export const MAX_MANAGED_BOTS = 200;
/** Bytes of one bot's settings, options and metadata, each as JSON in UTF-8: it is stored anew with every change. */
export const MAX_BOT_BYTES = 64 * 1024;
/** Alerts of one bot that are kept in a minute of market time: each is a row, an event, a notice and a line on a console. */
export const MAX_ALERTS_PER_MINUTE = 60;

/** The desk made it for one purpose: it is deleted when its run is over, and never started again. */
export function isManaged({ options }: Pick<BotRecord, 'options'>): boolean {
  return options?.managed === true;
}

/** Bytes of what somebody has written of a bot. */
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

/** Of JSON, in which no surrogate stands alone. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    // Each half of a pair counts two of the four.
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}
