/** The dialogs about the desk itself: maintenance, the vault, leaving. */
import { reviewMaintenance } from '../commands/maintenance.ts';
import { submitVault } from '../commands/vault.ts';
import { MaintenanceFormView } from '../dialogs/MaintenanceFormView.tsx';
import { VaultFormView } from '../dialogs/VaultFormView.tsx';
import { type FormKind, REVIEW } from '../forms/form.ts';
import type { MaintenanceForm } from '../model/maintenance.ts';
import { isLastField, passphraseText, type VaultForm, vaultFields } from '../model/vault-form.ts';
import type { QuitDialog } from './leaving.ts';
import { QuitView } from './QuitView.tsx';

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
