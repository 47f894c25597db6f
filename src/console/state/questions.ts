/**
 * Records when the question in front was drawn: only from then on does its `y` count. A question that was
 * covered, or did not fit on the screen for a while, must be drawn again.
 */
import type { StoreApi } from 'zustand/vanilla';
import { isQuestion, type Question, sameQuestion } from '../dialogs/question.ts';
import { type Dialog, tooSmall, topDialog, type UiState } from './ui.ts';

function inFront(ui: UiState): Question | null {
  const dialog = topDialog(ui);
  return isQuestion(dialog) && !tooSmall(ui) ? dialog : null;
}

/**
 * Starts recording. `drawn` resolves once the terminal has drawn everything written; `now`: a monotonic
 * clock. Returns a function that ends it.
 */
export function watchQuestions(
  ui: StoreApi<UiState>,
  drawn: () => Promise<void>,
  now: () => number,
): () => void {
  let looking = false;
  let ended = false;

  const mark = (asked: Question): void =>
    ui.setState((state) => {
      const front = inFront(state);
      if (!front || front.shownAt !== null || !sameQuestion(asked, front)) return state;
      return { dialogs: [...state.dialogs.slice(0, -1), { ...front, shownAt: now() }] };
    });

  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    for (;;) {
      const asked = inFront(ui.getState());
      if (ended || !asked || asked.shownAt !== null) break;
      await drawn();
      mark(asked);
    }
    looking = false;
  };

  const hide = (state: UiState): void => {
    const front = inFront(state);
    const hidden = (dialog: Dialog) => isQuestion(dialog) && dialog.shownAt !== null && dialog !== front;
    if (!state.dialogs.some(hidden)) return;
    ui.setState(({ dialogs }) => ({
      dialogs: dialogs.map((dialog) => (hidden(dialog) ? ({ ...dialog, shownAt: null } as Dialog) : dialog)),
    }));
  };

  const unsubscribe = ui.subscribe((state) => {
    hide(state);
    void look();
  });
  return () => {
    ended = true;
    unsubscribe();
  };
}
