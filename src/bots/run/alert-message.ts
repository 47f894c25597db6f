/** The text of an alert: `{symbol}`, `{price}`, `{condition}`, `{time}` filled in (strategies.md 8). Pure. */
import { type Dec, str } from '../../domain/decimal.ts';
import { utcText } from '../../domain/utc-time.ts';

export interface MessageParts {
  readonly symbol: string;
  readonly price: Dec | null;
  readonly condition: string;
  /** Market time, Unix ms. */
  readonly time: number;
}

export function filledMessage(text: string, parts: MessageParts): string {
  const words: Readonly<Record<string, string>> = {
    symbol: parts.symbol,
    price: parts.price === null ? '-' : str(parts.price),
    condition: parts.condition,
    time: utcText(parts.time),
  };
  return text.replace(/\{(symbol|price|condition|time)\}/g, (_all, name: string) => words[name] ?? '');
}
