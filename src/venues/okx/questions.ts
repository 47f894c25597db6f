/**
 * Read requests to OKX and their outcomes: found, not known to the exchange, or failed, which proves nothing.
 * An unreadable answer counts as failed and is reported once a minute.
 */
import type { Caller, CallResult, CallTerms, Parameters } from '../kit/caller.ts';
import type { CodedRequest, Meaning } from '../kit/code-table.ts';
import type { Complaints } from '../kit/complaints.ts';
import type { Message } from '../kit/messages.ts';
import { OKX_CODES } from './codes.ts';
import { refusalOf, verdictOf } from './dialect.ts';
import { type Ack, readAcks } from './messages.ts';
import type { OkxForm } from './requests.ts';
import { troubleOf } from './trouble.ts';

export type Asked<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent'; readonly cause: string }
  | { readonly kind: 'failed'; readonly cause: string; readonly code?: string };

/** Reads a list from an answer. */
export type ReadRows<T> = (text: string) => Message<{ readonly data: readonly T[] }>;

export interface QuestionsOptions {
  readonly caller: Caller;
  readonly complaints: Complaints;
}

/** Most rows of one answer, for every list with pages. */
export const PAGE = 100;
/** Most pages of one list: more than any account may have open. */
const PAGES_MAX = 60;

export class Questions {
  readonly #o: QuestionsOptions;

  constructor(options: QuestionsOptions) {
    this.#o = options;
  }

  get caller(): Caller {
    return this.#o.caller;
  }

  async ask<T>(
    form: OkxForm,
    parameters: Parameters,
    read: (text: string) => Message<T>,
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

  /** Returns the rows. Null: the request failed. */
  async rows<T>(form: OkxForm, parameters: Parameters, read: ReadRows<T>): Promise<readonly T[] | null> {
    const asked = await this.ask(form, parameters, read);
    return asked.kind === 'found' ? asked.value.data : null;
  }

  /** Returns the only row; an answer without rows means that there is none. */
  async one<T>(form: OkxForm, parameters: Parameters, read: ReadRows<T>): Promise<Asked<T>> {
    const asked = await this.ask(form, parameters, read);
    if (asked.kind !== 'found') return asked;
    const [row] = asked.value.data;
    return row === undefined
      ? { kind: 'absent', cause: 'the answer is empty' }
      : { kind: 'found', value: row };
  }

  /** Returns all pages of a list, newest first; null: a request failed, or the list has no end. */
  async all<T>(
    form: OkxForm,
    parameters: Parameters,
    read: ReadRows<T>,
    idOf: (row: T) => string,
  ): Promise<T[] | null> {
    const all: T[] = [];
    for (let page = 0; page < PAGES_MAX; page++) {
      const last = all.at(-1);
      const rows = await this.rows(
        form,
        { ...parameters, limit: String(PAGE), ...(last === undefined ? {} : { after: idOf(last) }) },
        read,
      );
      if (!rows) return null;
      all.push(...rows);
      if (rows.length < PAGE) return all;
    }
    return null;
  }

  #answered<T>(form: OkxForm, called: CallResult, read: (text: string) => Message<T>): Asked<T> {
    if (called.kind !== 'answer') return { kind: 'failed', cause: called.cause };
    const message = called.status < 300 ? read(called.text) : null;
    if (message?.ok) return { kind: 'found', value: message.value };
    const verdict = verdictOf(called.text);
    const refusal = verdict && refusalOf(verdict);
    if (refusal) {
      const meaning = OKX_CODES.meaning('query', refusal);
      if (meaning.kind === 'absent') return { kind: 'absent', cause: meaning.cause };
      return { kind: 'failed', cause: troubleOf(called), code: refusal.code };
    }
    if (!message) return { kind: 'failed', cause: troubleOf(called) };
    this.#o.complaints.say(form.name, message.problem);
    return { kind: 'failed', cause: `the answer could not be read: ${message.problem}` };
  }
}

/**
 * The outcome of a request for a change: OKX has accepted it, which is not yet its end; or the meaning of its
 * refusal.
 */
export type Acked =
  | { readonly kind: 'taken'; readonly row: Ack }
  | { readonly kind: 'unsent'; readonly cause: string }
  | { readonly kind: 'not'; readonly meaning: Meaning };

export function ackOf(request: CodedRequest, called: CallResult): Acked {
  if (called.kind === 'unsent') return called;
  if (called.kind === 'lost') return { kind: 'not', meaning: { kind: 'unknown', cause: called.cause } };
  const read = readAcks(called.text);
  if (!read.ok) return { kind: 'not', meaning: { kind: 'unknown', cause: troubleOf(called) } };
  const { code, msg = '', data = [] } = read.value;
  const [row] = data;
  // The row decides, even if the outer code says something else.
  if (row?.sCode === '0' && called.status < 300) return { kind: 'taken', row };
  if (row && row.sCode !== '0')
    return { kind: 'not', meaning: OKX_CODES.meaning(request, { code: row.sCode, message: row.sMsg ?? '' }) };
  if (code !== '0') return { kind: 'not', meaning: OKX_CODES.meaning(request, { code, message: msg }) };
  return { kind: 'not', meaning: { kind: 'unknown', cause: 'it says that all is well, and names no order' } };
}

export function causeOf(meaning: Meaning): string {
  return meaning.kind === 'rejected' ? meaning.message : meaning.cause;
}

export function unknown(cause: string): { readonly kind: 'unknown'; readonly cause: string } {
  return { kind: 'unknown', cause };
}
