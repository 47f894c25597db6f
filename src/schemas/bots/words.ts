/**
 * What a bot type says of itself to people, and which of a few ways it has: read by the API's document, the console and the
 * command line, which know nothing of strategies. Each type has its own in `bots/types/TYPE/words.ts`.
 */
import type { TObject } from 'typebox';
import type { TemplateGround } from './template.ts';

/** Settings as they are given: anything may stand in them. */
export type Given = Readonly<Record<string, unknown>>;

/** Reads prices out of settings; `P`: a price, in the units of whoever asks. Null: there is none to be read. */
export interface PriceReader<P> {
  price(value: unknown): P | null;
  /** Price of a line at this moment. */
  line(value: unknown): P | null;
  /** `from + (to - from) * share`; `share` is no price but read as one. */
  between(from: P, to: P, share: P): P;
}

export interface NamedPrice<P> {
  readonly price: P | null;
  readonly name: string;
}

/** A take-profit and a stop of which one cancels the other: behind an entry, or on what is held. Prices and sizes: decimal strings. */
export interface ExitsWanted {
  readonly exchange: string;
  readonly symbol: string;
  /** Of the entry; without one of the exit. */
  readonly side: 'BUY' | 'SELL';
  /** Base units. */
  readonly quantity: string;
  /** Left out: what is held already. */
  readonly entry?: { readonly type: string; readonly price?: string; readonly stopPrice?: string };
  readonly takeProfit: string;
  readonly stopLoss: string;
}

/** One that tells once of one price of one symbol: what the desk makes of a price alert. */
export interface AlertWords {
  settings(
    market: Pick<TemplateGround, 'exchange' | 'symbol' | 'base' | 'quote'>,
    price: string,
  ): Record<string, unknown>;
  /** The price that such settings tell of; null: they tell of something else. */
  price(settings: Given): string | null;
}

/** All that is known of a bot type outside the core. */
export interface BotWords {
  /** What its settings may hold. */
  readonly schema: TObject;
  /** What it does, for the list from which a new one is made: one short line, no full stop. */
  readonly about: string;
  /** What it is, for the document of the API: a few words, no full stop. */
  readonly summary: string;
  /** It places orders; one that does not only tells. */
  readonly trades: boolean;
  /** It may read every symbol of its account; what it lacks of their past it takes in later. */
  readonly scans?: true;
  /** `options` beside the settings (restart, reuse) mean something to it. */
  readonly takesOptions?: true;
  /** Fields that are minutes where those of other types are ms. */
  readonly minutes?: readonly string[];
  /** Fields that stand in another part of the form than they do for other types. */
  readonly sections?: Readonly<Record<string, 'entries' | 'exits' | 'stops'>>;
  /** Settings to begin with: valid as they stand, small, around the present price. */
  template(ground: TemplateGround): Record<string, unknown>;
  /** What a start does first: a sentence. */
  startWords(settings: Given): string;
  /** Prices that the settings name, for a chart. */
  prices?<P>(settings: Given, read: PriceReader<P>): readonly NamedPrice<P>[];
  /** It can be a price alert. */
  readonly alert?: AlertWords;
  /** Side of its orders where it is a field of its own. */
  side?(settings: Given): unknown;
  /** It has a stop that is no stop rule. */
  hasOwnStop?(settings: Given): boolean;
  /** Settings of a run that carries attached exits. */
  exits?(wanted: ExitsWanted): Record<string, unknown>;
}

/** One object or an array of them. */
export function listOf(value: unknown): readonly Given[] {
  return (Array.isArray(value) ? value : [value]).map(blockOf);
}

/** The fields of one block; none when it is no object. */
export function blockOf(value: unknown): Given {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** First words of a start of a type that only tells. */
export const TELLS = 'It places no orders; it tells on the Alerts screen and where its settings say.';
