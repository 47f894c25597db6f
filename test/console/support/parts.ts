/** The parts of the console, as tests name them. */
import { PARTS } from '../../../src/console/app/features.ts';
import { listIds } from '../../../src/console/lists/list-views.ts';
import { type ListId, placesOf, screensOf } from '../../../src/console/state/ui.ts';

export const SCREENS = screensOf({ parts: PARTS });
export const PLACES = placesOf({ parts: PARTS });
export const LIST_IDS = listIds({ parts: PARTS });

/** The sorts of a list, the default one first. */
export function sortsOf(list: ListId): readonly string[] {
  return PARTS.places[list].list?.sorts ?? [];
}
