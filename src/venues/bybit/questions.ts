/**
 * Asks Bybit questions. An answer is found, or the question has failed, which proves nothing. An unreadable
 * answer is reported once a minute and counts as a failure. Lists are read page by page.
 */
import { visible } from '../../domain/visible.ts';
import type { Caller, CallResult, CallTerms, Parameters } from '../kit/caller.ts';
import type { CodedRequest, Meaning } from '../kit/code-table.ts';
import type { Complaints } from '../kit/complaints.ts';
import type { Message } from '../kit/messages.ts';
import type { RequestForm } from '../kit/requests.ts';
import { BYBIT_CODES } from './codes.ts';
import { isAddressBan, retOf } from './dialect.ts';
import { troubleOf } from './trouble.ts';

export type Asked<T> =
  | { readonly kind: 'found'; readonly value: T }
  /** `code`: the exchange's own, where it has refused; `text`: its whole answer in that case. */
  | { readonly kind: 'failed'; readonly cause: string; readonly code?: string; readonly text?: string };

export type Read<T> = (text: string) => Message<T>;
/** One page of a list. */
export interface Page<T> {
  readonly result: { readonly list: readonly T[]; readonly nextPageCursor?: string | null };
}

/** The largest number of pages of one question: with more it has failed. */
const PAGES_MAX = 400;

/** The text of a successful answer; null: the answer is not one. */
export function successOf(called: CallResult): string | null {
  if (called.kind !== 'answer') return null;
  return retOf(called.text)?.code === 0 ? called.text : null;
}

/** What an answer other than a success means for a request. */
export function meaningOf(request: CodedRequest, called: CallResult): Meaning {
  if (called.kind !== 'answer') return { kind: 'unknown', cause: called.cause };
  const ret = retOf(called.text);
  if (ret) return BYBIT_CODES.meaning(request, ret);
  // Refused before the request was read (DOC error: 401; rate-limit: 403 with these words). An HTML page
  // proves nothing.
  const isBan = isAddressBan(called.status, called.text);
  if ((isBan || called.status === 401) && request !== 'query') {
    const reason = isBan ? 'RATE_LIMITED' : 'BAD_CREDENTIALS';
    return { kind: 'rejected', reason, code: String(called.status), message: troubleOf(called) };
  }
  return {
    kind: 'unknown',
    cause: `HTTP ${called.status} and no answer of the API: ${visible(called.text).slice(0, 80)}`,
  };
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
    const answered = (called: CallResult): Asked<T> => {
      const text = successOf(called);
      if (text === null) {
        const ret = called.kind === 'answer' ? retOf(called.text) : null;
        const more = ret && called.kind === 'answer' ? { code: String(ret.code), text: called.text } : {};
        return { kind: 'failed', cause: troubleOf(called), ...more };
      }
      const message = read(text);
      if (message.ok) return { kind: 'found', value: message.value };
      this.#o.complaints.say(form.name, message.problem);
      return { kind: 'failed', cause: `the answer could not be read: ${message.problem}` };
    };
    const asked = await this.#o.caller.ask<Asked<T>>(form, parameters, answered, terms);
    return asked ?? { kind: 'failed', cause: 'it had no turn within what the exchange lets be sent' };
  }

  /** Returns the value of an answer; null: the question failed. */
  async value<T>(form: RequestForm, parameters: Parameters, read: Read<T>): Promise<T | null> {
    const asked = await this.ask(form, parameters, read);
    return asked.kind === 'found' ? asked.value : null;
  }

  /** Reads the pages of a list until it ends or has at least `most` rows (the last page is kept whole). */
  async list<T>(
    form: RequestForm,
    parameters: Parameters,
    read: Read<Page<T>>,
    { most = Number.POSITIVE_INFINITY, ...terms }: CallTerms & { readonly most?: number } = {},
  ): Promise<Asked<{ readonly rows: readonly T[]; readonly isWhole: boolean }>> {
    const rows: T[] = [];
    let cursor = '';
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const all = cursor === '' ? parameters : { ...parameters, cursor };
      const asked = await this.ask(form, all, read, terms);
      if (asked.kind === 'failed') return asked;
      const { list, nextPageCursor } = asked.value.result;
      rows.push(...list);
      const next = nextPageCursor ?? '';
      // A page that is empty or repeats its cursor is the last one.
      if (next === '' || next === cursor || list.length === 0)
        return { kind: 'found', value: { rows, isWhole: true } };
      if (rows.length >= most) return { kind: 'found', value: { rows, isWhole: false } };
      cursor = next;
    }
    return { kind: 'failed', cause: 'its list has more pages than are read' };
  }

  /** Returns all rows of a list; null: the question failed. */
  async rows<T>(
    form: RequestForm,
    parameters: Parameters,
    read: Read<Page<T>>,
  ): Promise<readonly T[] | null> {
    const asked = await this.list(form, parameters, read);
    return asked.kind === 'found' ? asked.value.rows : null;
  }
}
