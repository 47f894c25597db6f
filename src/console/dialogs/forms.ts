/** The dialogs that all features share: the question before something is done, and the notice. */

import type { FormKind } from '../forms/form.ts';
import type { ConfirmDialog, NoticeDialog } from '../state/ui.ts';
import { ConfirmView } from './ConfirmView.tsx';
import { NoticeView } from './NoticeView.tsx';
import { hasWord } from './question.ts';

function isTyping(dialog: ConfirmDialog): boolean {
  return !hasWord(dialog) && !dialog.busy;
}

export const CONFIRM: FormKind<ConfirmDialog> = {
  kind: 'confirm',
  View: ConfirmView,
  scopes(dialog) {
    if (dialog.word === undefined) return ['confirm'];
    const word = isTyping(dialog) ? 'word' : 'worded';
    return [word, ...(dialog.bulk ? (['bulk'] as const) : [])];
  },
  text: (dialog) => (isTyping(dialog) ? { id: 'confirm', value: dialog.typed, word: true } : null),
  withText: (dialog, typed) => ({ ...dialog, typed, shownAt: null, remark: undefined }),
};

export const NOTICE: FormKind<NoticeDialog> = {
  kind: 'notice',
  View: NoticeView,
  scopes({ keyId, botId, orderId }) {
    if (keyId !== undefined) return ['about-key', 'notice'];
    if (botId !== undefined) return ['about-bot', 'notice'];
    return orderId === undefined ? ['notice'] : ['about', 'notice'];
  },
};
