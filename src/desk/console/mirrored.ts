/** The parts of a bot, an alert or a log line that every terminal mirrors: as much as lists show. Pure. */
import type { AlertRecord, PublicBot } from '../../domain/bot.ts';

/**
 * Most characters of JSON of a bot's settings, options and metadata that terminals mirror; `bots.detail` has
 * all of it.
 */
export const MIRRORED_BOT_CHARACTERS = 4_096;
/** Most characters of one field of settings; longer fields are left out. */
const MIRRORED_FIELD_CHARACTERS = 1_024;
/** Most characters of a text of an alert, a notice or a line of the log. */
export const MIRRORED_TEXT_CHARACTERS = 2_000;

type Written = Pick<PublicBot, 'settings' | 'options' | 'metadata'>;

/** Lengths, measured once for the settings of a bot, which are replaced as a whole. */
const lengths = new WeakMap<object, number>();

/**
 * Returns the bot as it is or, where its settings are long, with only the small ones and a mark that some are
 * missing.
 */
export function mirroredBot<B extends Written>(bot: B): B & { readonly abridged?: true } {
  const { settings, options, metadata, ...rest } = bot;
  const all = lengthOf(settings) + (options ? lengthOf(options) : 0) + (metadata?.length ?? 0);
  if (all <= MIRRORED_BOT_CHARACTERS) return bot;
  let left = MIRRORED_BOT_CHARACTERS;
  const small = Object.entries(settings).filter(([name, value]) => {
    const length = name.length + (JSON.stringify(value)?.length ?? 0);
    if (length > Math.min(MIRRORED_FIELD_CHARACTERS, left)) return false;
    left -= length;
    return true;
  });
  const shown = { ...rest, settings: Object.fromEntries(small), abridged: true };
  // What a list shows of a bot's settings, such as its pair, is also a field of the bot.
  const symbol = 'symbol' in shown && JSON.stringify(shown.symbol ?? null).length > MIRRORED_FIELD_CHARACTERS;
  return { ...shown, ...(symbol ? { symbol: null } : {}) } as unknown as B & { readonly abridged: true };
}

export function mirroredAlert(alert: AlertRecord): AlertRecord {
  const message = shortened(alert.message);
  return message === alert.message ? alert : { ...alert, message };
}

export function shortened(text: string): string {
  if (text.length <= MIRRORED_TEXT_CHARACTERS) return text;
  // Does not cut through a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[MIRRORED_TEXT_CHARACTERS - 1] ?? '') ? 1 : 0;
  return `${text.slice(0, MIRRORED_TEXT_CHARACTERS - end)}…`;
}

function lengthOf(part: object): number {
  const known = lengths.get(part);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(part);
  lengths.set(part, length);
  return length;
}
