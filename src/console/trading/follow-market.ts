/** Keeps the market figures of a form or a question up to date, once a second at most. */
import type { Session } from '../app/session.ts';
import type { UiState } from '../state/ui.ts';

/** Time from a change of the market to the next check, ms. */
const RECHECK_MS = 1_000;

/**
 * Runs `recheck` after prices or positions have changed, while `shows` holds. `name`: that of its timer.
 * Returns a function that ends it.
 */
export function followMarket(
  session: Session,
  name: string,
  shows: (ui: UiState) => boolean,
  recheck: (session: Session) => void,
): () => void {
  let due = false;
  return session.desk.subscribe(({ state }, { state: before }) => {
    const still = state?.prices === before?.prices && state?.futures === before?.futures;
    if (due || still || !shows(session.ui.getState())) return;
    due = true;
    session.later(name, RECHECK_MS, () => {
      due = false;
      recheck(session);
    });
  });
}
