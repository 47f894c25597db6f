/** What a form or a question says of the market goes with it, once a second at most. */
import type { Session } from '../app/session.ts';
import type { UiState } from '../state/ui.ts';

/** The market moves on under a form: it is looked at again at most so often. */
const RECHECK_MS = 1_000;

/** Prices or positions have changed while `shows` holds: `recheck` follows. `name`: of its timer. Gives the end of it. */
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
