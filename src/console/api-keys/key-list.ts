/** The rows of the Keys screen: filter, sort, selection. Pure. */
import type { DeskState, KeyExample } from '../../desk/console/protocol.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import { selectedIndex } from '../lists/cursor.ts';
import {
  byText,
  CLOSED_PANE,
  falling,
  type ListRules,
  type ListView,
  listed,
  memoizeLast,
  newList,
  type PaneView,
} from '../lists/rows.ts';

export const KEY_SORTS = ['state', 'label', 'last use', 'requests'] as const;
export type KeySort = (typeof KEY_SORTS)[number];

/** The view state of the Keys screen of one terminal. */
export interface KeysView extends ListView<KeySort>, PaneView {
  /** The worked example of the key in the pane. */
  readonly example: (KeyExample & { readonly id: string }) | null;
}

export const FIRST_KEYS: KeysView = { ...newList<KeySort>('state'), ...CLOSED_PANE, example: null };

const RULES: ListRules<AccessKey, KeySort> = {
  text: ({ label, tier, revokedAt, allowedExchanges }) =>
    `${label} ${tier} ${revokedAt === null ? 'active' : 'revoked'} ${allowedExchanges?.join(' ') ?? 'all'}`,
  compare: {
    state: null,
    label: (a, b) => byText(a.label.toLowerCase(), b.label.toLowerCase()),
    'last use': (a, b) => falling(a.lastUsedAt, b.lastUsedAt),
    requests: (a, b) => falling(a.counts.total, b.counts.total),
  },
};

const last = memoizeLast<readonly AccessKey[]>();

/** The rows of the screen. Sorted by state: working keys first, then revoked ones; newest first. */
export function shownKeys({ keys }: Pick<DeskState, 'keys'>, view: KeysView): readonly AccessKey[] {
  return last([keys, view.filter, view.sort, view.reverse], () => {
    const byState = [...keys].sort(
      (a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt - a.createdAt,
    );
    return listed(byState, view, RULES);
  });
}

export function selectedKey(state: Pick<DeskState, 'keys'>, view: KeysView): AccessKey | null {
  const rows = shownKeys(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

declare module '../state/ui.ts' {
  interface Screens {
    readonly keys: true;
  }
  interface Lists {
    readonly keys: KeysView;
  }
}
