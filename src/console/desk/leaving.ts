/** The question of a person who leaves. */

export interface QuitDialog {
  readonly kind: 'quit';
  /** As in a confirmation. */
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
