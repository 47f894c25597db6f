/** The API keys feature: the list of keys, registration, the signing lab. */
import type { Feature } from '../app/feature.ts';
import { wholeDesk } from '../app/session.ts';
import { listCommands, markCommands, openDetail } from '../lists/list-commands.ts';
import { copyKeyId, openKeyForm, revokeKey } from './commands.ts';
import { KEY_FORM, LAB_FORM } from './forms.ts';
import { KeysScreen } from './KeysScreen.tsx';
import { KEY_ACTIONS } from './key-actions.ts';
import { keyDetailLines } from './key-detail.ts';
import { FIRST_KEYS, KEY_SORTS, selectedKey, shownKeys } from './key-list.ts';
import { openLab, revealKey } from './lab-commands.ts';

export const API_KEYS = {
  state: { keys: FIRST_KEYS },
  forms: { 'key-form': KEY_FORM, 'lab-form': LAB_FORM },
  actions: KEY_ACTIONS,
  commands: {
    ...listCommands('keys'),
    ...markCommands('keys'),
    'key.generate': (s) => openKeyForm(s, 'generate'),
    'key.paste': (s) => openKeyForm(s, 'paste'),
    'key.revoke': revokeKey,
    'key.lab': openLab,
    'key.reveal': (s) => void revealKey(s),
    'key.copy-id': copyKeyId,
  },
  places: {
    keys: {
      id: 'keys',
      whole: true,
      digit: '6',
      title: 'Keys',
      View: KeysScreen,
      list: {
        sorts: KEY_SORTS,
        rows: (state, { keys }) => shownKeys(state, keys),
        marks: ({ keys }, id) => keys.some((key) => key.id === id && key.revokedAt === null),
      },
      open: (session) => void openDetail(session, 'keys'),
      lastOffset(session) {
        const state = wholeDesk(session);
        const { keys, columns } = session.ui.getState();
        const key = state ? selectedKey(state, keys) : null;
        return key ? keyDetailLines(key, keys.example, session.wall(), columns).length - 1 : 0;
      },
    },
  },
} satisfies Feature;
