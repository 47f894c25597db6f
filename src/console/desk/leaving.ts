/** The question when a person leaves, as data. */

export interface QuitDialog {
  readonly kind: 'quit';
  /** When the question was drawn, as in a confirmation; null: not yet. */
  readonly shownAt: number | null;
  readonly remark?: 'again';
  readonly stopping: boolean;
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly leaving: QuitDialog;
  }
  interface Actions {
    /** Leaves the screen and ends the desk behind it. */
    readonly leaving: { readonly type: 'stop-desk' };
  }
}
