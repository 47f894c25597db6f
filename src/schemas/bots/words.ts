/**
 * The words and features of a bot type for people: read by the API document, the console and the command
 * line, which know nothing of strategies. Each type has its own in `bots/types/TYPE/words.ts`.
 */
import type { TObject } from 'typebox';
import type { TemplateGround } from './template.ts';

/** Settings as they are given: they may contain anything. */
export type Given = Readonly<Record<string, unknown>>;

/** Reads prices from settings; `P`: a price, in the caller's units. Null: there is none to read. */
export interface PriceReader<P> {
  price(value: unknown): P | null;
  /** Returns the price of a line at this moment. */
  line(value: unknown): P | null;
  /** Returns `from + (to - from) * share`; `share` is not a price but is read like one. */
  between(from: P, to: P, share: P): P;
}

export interface NamedPrice<P> {
  readonly price: P | null;
  readonly name: string;
}

/**
 * A take-profit and a stop that cancel each other: after an entry, or on a position. Prices and sizes:
 * decimal strings.
 */
export interface ExitsWanted {
  readonly exchange: string;
  readonly symbol: string;
  /** Side of the entry; without an entry, side of the exit. */
  readonly side: 'BUY' | 'SELL';
  /** Base units. */
  readonly quantity: string;
  /** Left out: the exits are for what is held already. */
  readonly entry?: { readonly type: string; readonly price?: string; readonly stopPrice?: string };
  readonly takeProfit: string;
  readonly stopLoss: string;
}

/** A type that can alert once for one price of one symbol: the desk uses it for price alerts. */
export interface AlertWords {
  settings(
    market: Pick<TemplateGround, 'exchange' | 'symbol' | 'base' | 'quote'>,
    price: string,
  ): Record<string, unknown>;
  /** Returns the price for which such settings alert; null: they alert for something else. */
  price(settings: Given): string | null;
}

/** All that is known of a bot type outside the core. */
export interface BotWords {
  /** Schema of its settings. */
  readonly schema: TObject;
  /** What it does, for the list in the dialog for a new bot: one short line, no full stop. */
  readonly about: string;
  /** What it is, for the API document: a few words, no full stop. */
  readonly summary: string;
  /** True when it places orders; other types only alert. */
  readonly trades: boolean;
  /** It may read every symbol of its account; past candles that are missing at its start are added later. */
  readonly scans?: true;
  /** `options` beside the settings (restart, reuse) have an effect on it. */
  readonly takesOptions?: true;
  /** Fields that are in minutes, while those of other types are in ms. */
  readonly minutes?: readonly string[];
  /** Fields that are in another part of the form than for other types. */
  readonly sections?: Readonly<Record<string, 'entries' | 'exits' | 'stops'>>;
  /** Returns settings to begin with: valid without changes, small, around the present price. */
  template(ground: TemplateGround): Record<string, unknown>;
  /** Describes in a sentence what a start does first. */
  startWords(settings: Given): string;
  /** Returns the prices that the settings name, for a chart. */
  prices?<P>(settings: Given, read: PriceReader<P>): readonly NamedPrice<P>[];
  /** Set for a type that can be a price alert. */
  readonly alert?: AlertWords;
  /** Returns the side of its orders, where that is a field of its own. */
  side?(settings: Given): unknown;
  /** Returns true when the settings have a stop that is not a stop rule. */
  hasOwnStop?(settings: Given): boolean;
  /** Returns the settings of a run that carries attached exits. */
  exits?(wanted: ExitsWanted): Record<string, unknown>;
}

/** Reads one object or an array of them as a list. */
export function listOf(value: unknown): readonly Given[] {
  return (Array.isArray(value) ? value : [value]).map(blockOf);
}

/** Returns the fields of a block; an empty object when it is not an object. */
export function blockOf(value: unknown): Given {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** First words of a start, for a type that only alerts. */
export const ALERT_ONLY_WORDS =
  'It places no orders; it tells on the Alerts screen and where its settings say.';
