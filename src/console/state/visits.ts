/** The screens in the order in which they were looked at, as a browser keeps its pages. Pure. */
import type { ScreenId } from './ui.ts';

export interface Visits {
  readonly list: readonly ScreenId[];
  /** Of the screen in view. */
  readonly at: number;
}

/** More than anybody goes back. */
const MOST = 50;

export const FIRST_VISIT: Visits = { list: ['overview'], at: 0 };

/** A screen has come into view; what was ahead is forgotten. The same when it is where it is already. */
export function visited(visits: Visits, screen: ScreenId): Visits {
  if (visits.list[visits.at] === screen) return visits;
  const list = [...visits.list.slice(0, visits.at + 1), screen].slice(-MOST);
  return { list, at: list.length - 1 };
}

/** Back (-1) or forward (1); null when there is nothing there. */
export function steppedTo(visits: Visits, by: -1 | 1): { visits: Visits; screen: ScreenId } | null {
  const at = visits.at + by;
  const screen = visits.list[at];
  return screen === undefined ? null : { visits: { ...visits, at }, screen };
}
