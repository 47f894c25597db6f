/**
 * Every bot type, with what all parts may know of it: the schema of its settings and its descriptions. A new
 * type is a folder beside this file and a line here. What a type decides is in `kinds.ts`, for the core
 * alone: code that draws a form, or writes the API document, loads no strategy.
 */
import type { TObject } from 'typebox';
import type { BotWords, ExitsWanted } from '../../schemas/bots/words.ts';
import { alarmWords } from './alarm/words.ts';
import { algoWords } from './algo/words.ts';
import { channelWords } from './channel/words.ts';
import { fiboWords } from './fibo/words.ts';
import { intradayWords } from './intraday/words.ts';
import { notifyWords } from './notify/words.ts';
import { squeezeWords } from './squeeze/words.ts';

/** Types in the order in which they are listed everywhere. */
export const BOT_WORDS = {
  FIBO: fiboWords,
  CHANNEL: channelWords,
  SQUEEZE: squeezeWords,
  INTRADAY: intradayWords,
  ALGO: algoWords,
  ALARM: alarmWords,
  NOTIFY: notifyWords,
} as const satisfies Readonly<Record<string, BotWords>>;

export type BotType = keyof typeof BOT_WORDS;

export const BOT_TYPES = Object.keys(BOT_WORDS) as readonly BotType[];

/** The type of a new bot when none is chosen. */
export const USUAL_TYPE: BotType = 'SQUEEZE';

/** The type of bot that price alerts use. */
export const ALERT_TYPE: BotType = 'ALARM';

export function wordsOf(type: BotType): BotWords {
  return BOT_WORDS[type];
}

/** Makes a bot that carries attached exits, of a type that can do this. */
export function exitsBot(wanted: ExitsWanted): { type: BotType; settings: Record<string, unknown> } {
  for (const type of BOT_TYPES) {
    const settings = wordsOf(type).exits?.(wanted);
    if (settings) return { type, settings };
  }
  throw new Error('no bot type carries attached exits: one of BOT_WORDS needs `exits`');
}

/** Schema of the settings of a type. */
export function schemaOf(type: BotType): TObject {
  return BOT_WORDS[type].schema;
}
