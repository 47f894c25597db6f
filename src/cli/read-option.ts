/** Reads the text of an option: its value, or a `UsageError` that says what the option takes. */
import { closest } from '../domain/did-you-mean.ts';
import { withoutTail } from '../domain/text-ends.ts';
import { readMoment } from '../market/moment.ts';
import type { Form } from './forms.ts';
import { UsageError } from './usage-error.ts';

/** Percent, decimal strings. */
export interface FeeRates {
  readonly maker: string;
  readonly taker: string;
}

export function fail(flag: string, text: string, right: string): never {
  throw new UsageError(`option ${flag} cannot be ${JSON.stringify(text)}: it takes ${right}`);
}

export function oneOf<T extends string>(flag: string, text: string, words: readonly T[]): T {
  const near = closest(text, words);
  const right = `one of ${words.join(', ')}${near === null ? '' : `; did you mean ${near}?`}`;
  return words.find((word) => word === text) ?? fail(flag, text, right);
}

/** Returns the value if it has the form, otherwise throws; `text` is what was typed. */
export function formed<T>(flag: string, value: T, text: string, form: Form): T {
  return form.accepts(value) ? value : fail(flag, text, form.right);
}

/** Reads plain digits; NaN for any other text. */
export function number(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
}

export function readSpeed(text: string): number | 'max' {
  if (text === 'max') return 'max';
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value > 0 ? value : fail('--speed', text, 'a number above 0, such as 1, 0.5 or 60, or max');
}

export function file(flag: string, text: string, right: string): string {
  return text.trim() ? text : fail(flag, text, right);
}

export function moment(flag: string, text: string): number {
  return (
    readMoment(text) ??
    fail(flag, text, 'a time such as 2025-02-03 or 2025-02-03T02:00 (UTC unless it says otherwise)')
  );
}

export function readFee(text: string): FeeRates {
  const right = 'a percentage from 0 to below 100, or two, maker and taker, such as 0.02,0.05';
  const [maker, taker, more] = text.split(',');
  if (maker === undefined || more !== undefined) return fail('--fee', text, right);
  return {
    maker: percent('--fee', maker, 99.99, right),
    taker: percent('--fee', taker ?? maker, 99.99, right),
  };
}

export function percent(flag: string, text: string, most: number, right: string): string {
  return /^\d{1,2}(\.\d{1,10})?$/.test(text) && Number(text) <= most ? text : fail(flag, text, right);
}

export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    fail('--url', text, 'an http or https address, such as http://127.0.0.1:7420/api');
  return withoutTail(text, '/');
}
