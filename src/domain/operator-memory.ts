/**
 * What a console stores for its operator between sessions: lists, columns, sorts, filters, theme, charts,
 * sizes. The desk stores it as a whole and checks only its size; the content belongs to the console.
 */

/** Largest size as JSON in UTF-8, bytes. */
export const MEMORY_BYTES = 65_536;

export type OperatorMemory = Readonly<Record<string, unknown>>;

/** Returns why it cannot be stored; null: it can. */
export function memoryProblem(memory: OperatorMemory): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(memory)).length;
  return bytes > MEMORY_BYTES ? `what is to be kept has ${bytes} bytes; at most ${MEMORY_BYTES} are` : null;
}
