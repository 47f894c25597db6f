/**
 * What a console keeps for its operator from one session to the next: lists, columns, sorts, filters, theme, charts, sizes. The desk
 * stores it whole and looks only at how much it is; what is in it is the console's.
 */

/** As JSON in UTF-8, bytes. */
export const MEMORY_BYTES = 65_536;

export type OperatorMemory = Readonly<Record<string, unknown>>;

/** Why it cannot be kept; null: it can. */
export function memoryProblem(memory: OperatorMemory): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(memory)).length;
  return bytes > MEMORY_BYTES ? `what is to be kept has ${bytes} bytes; at most ${MEMORY_BYTES} are` : null;
}
