/**
 * JSON that a person writes, read as the API reads it (`readJsonText`): every problem with its line and column, and for each
 * value the line it stands on, so that a check's path can be shown beside it. Pure.
 */
import { JsonProblem, readJsonText } from '../../domain/json-text.ts';

export interface JsonText {
  /** Undefined when the text could not be read. */
  readonly value: unknown;
  /** What is wrong with the text itself; lines and columns from 1. */
  readonly problem: { readonly line: number; readonly column: number; readonly message: string } | null;
  /** Line of each value by its path: `settings.stop[0].trigger`. */
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

/** Lines from 1 of places that come in order; the text is counted through once. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let counted = 0;
  return (at) => {
    for (; counted < at; counted++) if (text[counted] === '\n') line++;
    return line;
  };
}
