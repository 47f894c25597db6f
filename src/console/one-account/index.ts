/**
 * One account: the account shown and traded on over all screens, chosen by a key and stored for the operator.
 */
import type { Feature } from '../app/feature.ts';
import { followOnly, openOnly } from './commands.ts';
import { ONLY } from './OnlyView.tsx';

export const ONE_ACCOUNT = {
  forms: { only: ONLY },
  commands: { 'account.only': openOnly },
  memory: [
    {
      name: 'only',
      differs: (ui, before) => ui.only !== before.only,
      kept: ({ only }) => only,
      restored: (_, kept) => (typeof kept === 'string' && kept !== '' ? { only: kept } : {}),
    },
  ],
  start: followOnly,
} satisfies Feature;
