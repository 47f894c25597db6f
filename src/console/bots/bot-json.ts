/**
 * JSON that a person writes, read as the API reads it (`readJsonText`): every problem has its line and
 * column, and every value its line, so that a check's path can be shown beside it. Pure.
 */
import { JsonProblem, readJsonText } from '../../domain/json-text.ts';

export interface JsonText {
  /** The value; undefined if the text could not be read. */
  readonly value: unknown;
  /** The problem of the text itself; lines and columns from 1. */
  readonly problem: { readonly line: number; readonly column: number; readonly message: string } | null;
  /** The line of each value by its path: `settings.stop[0].trigger`. */
  readonly lines: ReadonlyMap<string, number>;
}

export function readJson(text: string): JsonText {
  const lines = new Map<string, number>();
  const lineAt = lineCounter(text);
  try {
    const value = readJsonText(text, { isPlain: true, onValue: (path, at) => lines.set(path, lineAt(at)) });
    return { value, problem: null, lines };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const before = text.slice(0, error.at).split('\n');
    const column = [...(before.at(-1) ?? '')].length + 1;
    return { value: undefined, problem: { line: before.length, column, message: error.message }, lines };
  }
}

/** Returns the line (from 1) of positions that ascend from call to call; the text is counted through once. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let counted = 0;
  return (at) => {
    for (; counted < at; counted++) if (text[counted] === '\n') line++;
    return line;
  };
}
