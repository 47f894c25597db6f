/** The dialogs about the desk itself: maintenance, the vault, leaving. */

import { type FormKind, REVIEW } from '../forms/form.ts';
import type { QuitDialog } from './leaving.ts';
import { MaintenanceFormView } from './MaintenanceFormView.tsx';
import { reviewMaintenance } from './maintenance.ts';
import type { MaintenanceForm } from './maintenance-form.ts';
import { QuitView } from './QuitView.tsx';
import { VaultFormView } from './VaultFormView.tsx';
import { submitVault } from './vault.ts';
import { isLastField, passphraseText, type VaultForm, vaultFields } from './vault-form.ts';

export const MAINTENANCE_FORM: FormKind<MaintenanceForm> = {
  kind: 'maintenance-form',
  View: MaintenanceFormView,
  confirmed: true,
  fields: () => ['message', REVIEW],
  text: ({ focus, message }) => (focus === 'message' ? { id: 'maintenance.message', value: message } : null),
  withText: (dialog, message) => ({ ...dialog, message }),
  review: reviewMaintenance,
};

export const VAULT_FORM: FormKind<VaultForm> = {
  kind: 'vault-form',
  View: VaultFormView,
  fields: ({ what }) => [...vaultFields(what), REVIEW],
  enter(session, dialog) {
    if (!isLastField(dialog)) return false;
    void submitVault(session);
    return true;
  },
  text: ({ focus, busy, values }) =>
    focus === 'review' || busy ? null : { id: `vault.${focus}`, value: values[focus] },
  withText: (dialog, text) => ({
    ...dialog,
    values: { ...dialog.values, [dialog.focus]: text },
    refusal: null,
  }),
  typed: (_, raw) => passphraseText(raw),
  pasted: (_, raw) => passphraseText(raw),
  review: (session) => void submitVault(session),
};

export const QUIT: FormKind<QuitDialog> = { kind: 'quit', View: QuitView, scopes: () => ['quit'] };
