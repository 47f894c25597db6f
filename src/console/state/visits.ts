/** The history of screens in the order in which they were shown, like that of a browser. Pure. */
import type { ScreenId } from './ui.ts';

export interface Visits {
  readonly list: readonly ScreenId[];
  /** Index of the screen in view. */
  readonly at: number;
}

/** Largest number of screens kept: more than anybody goes back. */
const MOST = 50;

export const FIRST_VISIT: Visits = { list: ['overview'], at: 0 };

/** Adds the screen now in view, and drops those ahead of it. Unchanged when it is the current one already. */
export function visited(visits: Visits, screen: ScreenId): Visits {
  if (visits.list[visits.at] === screen) return visits;
  const list = [...visits.list.slice(0, visits.at + 1), screen].slice(-MOST);
  return { list, at: list.length - 1 };
}

/** Goes back (-1) or forward (1); null when there is no screen there. */
export function steppedTo(visits: Visits, by: -1 | 1): { visits: Visits; screen: ScreenId } | null {
  const at = visits.at + by;
  const screen = visits.list[at];
  return screen === undefined ? null : { visits: { ...visits, at }, screen };
}
