/** The desk feature: its vault, its maintenance, its feed, leaving and stopping it. */
import type { Feature } from '../app/feature.ts';
import { askQuit, leave, openQuit, quitNow, stepFeed, stopDesk, toggleFeed } from './commands.ts';
import { DESK_ACTIONS } from './desk-actions.ts';
import { MAINTENANCE_FORM, QUIT, VAULT_FORM } from './forms.ts';
import { switchMaintenance } from './maintenance.ts';
import { changePassphrase, lockVault, openVault } from './vault.ts';

export const DESK = {
  forms: { 'maintenance-form': MAINTENANCE_FORM, 'vault-form': VAULT_FORM, quit: QUIT },
  actions: DESK_ACTIONS,
  commands: {
    'maintenance.switch': switchMaintenance,
    'vault.open': openVault,
    'vault.lock': lockVault,
    'vault.change': changePassphrase,
    'quit.open': openQuit,
    'desk.stop': askQuit,
    'quit.now': quitNow,
    'quit.detach': (s) => leave(s, 'detach'),
    'quit.stop': stopDesk,
    'quit.leave': (s) => leave(s, 'detach'),
    'quit.give-up': (s) => leave(s, s.hosting ? 'stop' : 'detach'),
    'feed.toggle': toggleFeed,
    'feed.step': stepFeed,
  },
} satisfies Feature;
