/**
 * Read requests to USD-M futures and their outcomes: found, not known to the exchange, or failed, which
 * proves nothing. An unreadable answer counts as failed and is reported once a minute.
 */
import { visible } from '../../../domain/visible.ts';
import type { Caller, CallResult, CallTerms, Parameters } from '../../kit/caller.ts';
import type { CodedRequest, Meaning } from '../../kit/code-table.ts';
import type { Complaints } from '../../kit/complaints.ts';
import type { Message } from '../../kit/messages.ts';
import type { RequestForm } from '../../kit/requests.ts';
import { errorOf } from '../dialect.ts';
import { troubleOf } from '../trouble.ts';
import { FUTURES_CODES } from './codes.ts';

export type Asked<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent'; readonly cause: string }
  | { readonly kind: 'failed'; readonly cause: string; readonly code?: string };

export type Read<T> = (text: string) => Message<T>;

/** The text of a successful answer; null: it was not successful. */
export function successOf(called: CallResult): string | null {
  return called.kind === 'answer' && called.status >= 200 && called.status < 300 ? called.text : null;
}

/** One line about a response that is no answer of the API. */
export function oddWords({ status, text }: { readonly status: number; readonly text: string }): string {
  return `HTTP ${status} and no answer of the API: ${visible(text).slice(0, 80)}`;
}

/** What an unsuccessful answer means for a request. */
export function meaningOf(request: CodedRequest, called: CallResult): Meaning {
  if (called.kind !== 'answer') return { kind: 'unknown', cause: called.cause };
  const error = errorOf(called.text);
  if (error) return FUTURES_CODES.meaning(request, error);
  // The limits answer before any engine sees the request (general info: 429 and 418).
  const isLimit = called.status === 429 || called.status === 418;
  if (isLimit && request !== 'query')
    return {
      kind: 'rejected',
      reason: 'RATE_LIMITED',
      code: String(called.status),
      message: 'too many requests',
    };
  return { kind: 'unknown', cause: oddWords(called) };
}

export interface QuestionsOptions {
  readonly caller: Caller;
  readonly complaints: Complaints;
}

export class Questions {
  readonly #o: QuestionsOptions;

  constructor(options: QuestionsOptions) {
    this.#o = options;
  }

  async ask<T>(
    form: RequestForm,
    parameters: Parameters,
    read: Read<T>,
    terms: CallTerms = {},
  ): Promise<Asked<T>> {
    const asked = await this.#o.caller.ask<Asked<T>>(
      form,
      parameters,
      (called) => this.#answered(form, called, read),
      terms,
    );
    return asked ?? { kind: 'failed', cause: 'it had no turn within what the exchange lets be sent' };
  }

  /** Returns the value that was found. Null: the request failed. */
  async value<T>(form: RequestForm, parameters: Parameters, read: Read<T>): Promise<T | null> {
    const asked = await this.ask(form, parameters, read);
    return asked.kind === 'found' ? asked.value : null;
  }

  #answered<T>(form: RequestForm, called: CallResult, read: Read<T>): Asked<T> {
    const { complaints } = this.#o;
    const text = successOf(called);
    if (text === null) {
      const meaning = meaningOf('query', called);
      if (meaning.kind === 'absent') return { kind: 'absent', cause: meaning.cause };
      const error = called.kind === 'answer' ? errorOf(called.text) : null;
      return { kind: 'failed', cause: troubleOf(called), ...(error ? { code: String(error.code) } : {}) };
    }
    const message = read(text);
    if (message.ok) return { kind: 'found', value: message.value };
    complaints.say(form.name, message.problem);
    return { kind: 'failed', cause: `the answer could not be read: ${message.problem}` };
  }
}
