/**
 * What an exchange's error codes mean, as data: one row for each code and kind of request, with the source
 * that says so. A code without a row means nothing: the request may have arrived, so its outcome is unknown
 * and never rejected (exchanges.md 4, rule 1). Pure.
 */
import type { Rejected } from '../../domain/exchange.ts';
import type { RejectCode } from '../../domain/reject-code.ts';
import { visible } from '../../domain/visible.ts';

export type CodedRequest = 'submit' | 'cancel' | 'amend' | 'query';

/**
 * `rejected`: the exchange says that the request has changed nothing. `gone`: nothing is open under that id.
 * `absent`: the exchange does not know the order. `unknown`: the request may have had its effect.
 */
export type CodedOutcome = 'rejected' | 'gone' | 'absent' | 'unknown';

export interface CodeRow {
  /** As the exchange writes it. */
  readonly code: string;
  /** The requests that the row applies to; left out: all. */
  readonly of?: readonly CodedRequest[];
  /** The row applies only where the message matches this: some codes mean several things. */
  readonly words?: RegExp;
  readonly outcome: CodedOutcome;
  /** The reason, where the outcome is `rejected`. */
  readonly reason?: RejectCode;
  /** Where the meaning is documented. */
  readonly source: string;
}

export interface CodedAnswer {
  readonly code: string | number;
  readonly message: string;
}

export type Meaning = Rejected | { readonly kind: Exclude<CodedOutcome, 'rejected'>; readonly cause: string };

/** The number of characters kept of an exchange's message. */
const WORDS_MAX = 200;

/** The outcomes that each request can have. */
const POSSIBLE: Readonly<Record<CodedRequest, readonly CodedOutcome[]>> = {
  submit: ['rejected', 'unknown'],
  cancel: ['rejected', 'gone', 'unknown'],
  amend: ['rejected', 'gone', 'unknown'],
  query: ['absent', 'unknown'],
};
const REQUESTS = Object.keys(POSSIBLE) as readonly CodedRequest[];

export class CodeTable {
  readonly #rows = new Map<string, CodeRow[]>();

  /**
   * Throws RangeError for a row that contradicts another or names an outcome that its request cannot have:
   * the data is wrong.
   */
  constructor(rows: readonly CodeRow[]) {
    for (const row of rows) {
      const problem = problemOf(row, this.#rows.get(row.code) ?? []);
      if (problem) throw new RangeError(`code ${row.code}: ${problem}`);
      this.#rows.set(row.code, [...(this.#rows.get(row.code) ?? []), row]);
    }
  }

  /** What the answer to a request means. */
  meaning(request: CodedRequest, answer: CodedAnswer): Meaning {
    const code = String(answer.code);
    const message = visible(answer.message).slice(0, WORDS_MAX);
    const row = this.#rows
      .get(code)
      ?.find(({ of = REQUESTS, words }) => of.includes(request) && (words?.test(answer.message) ?? true));
    if (row?.outcome === 'rejected')
      return { kind: 'rejected', reason: row.reason ?? 'OTHER', code, message };
    return { kind: row?.outcome ?? 'unknown', cause: `${message} (${visible(code).slice(0, WORDS_MAX)})` };
  }
}

function problemOf(row: CodeRow, before: readonly CodeRow[]): string | null {
  const of = row.of ?? REQUESTS;
  if (row.source === '') return 'has no source';
  const odd = of.find((request) => !POSSIBLE[request].includes(row.outcome));
  if (odd) return `a ${odd} cannot be ${row.outcome}`;
  if ((row.reason !== undefined) !== (row.outcome === 'rejected'))
    return 'a reason goes with rejected, and only with that';
  // The first matching row decides, so a row behind one without `words` would never be read.
  const shadow = before.find(
    (one) => one.words === undefined && (one.of ?? REQUESTS).some((r) => of.includes(r)),
  );
  return shadow ? 'is in the table twice' : null;
}
