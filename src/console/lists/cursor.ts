/** Where the cursor of a list is, whatever its rows are: it follows a row by id. Pure. */
import type { Selection } from '../state/ui.ts';

/** Index of the selected row: found by id; when that row has gone, the row now at its place. */
export function selectedIndex(rows: readonly { readonly id: string }[], selection: Selection): number {
  if (rows.length === 0) return -1;
  const at = selection.id === null ? -1 : rows.findIndex((row) => row.id === selection.id);
  return at >= 0 ? at : Math.min(Math.max(0, selection.index), rows.length - 1);
}

/**
 * Index of the first visible row, so that the selected one is inside a window of `height` rows, a third from
 * the edges.
 */
export function windowStart(selected: number, count: number, height: number): number {
  if (count <= height || selected < 0) return 0;
  return Math.min(Math.max(0, selected - Math.floor(height / 2)), count - height);
}

/** The selection moved by `by` rows, at most to an end. */
export function moved(rows: readonly { readonly id: string }[], selection: Selection, by: number): Selection {
  if (rows.length === 0) return selection;
  const at = selectedIndex(rows, selection);
  const index = Math.min(Math.max(at + by, 0), rows.length - 1);
  return { id: rows[index]?.id ?? null, index };
}
