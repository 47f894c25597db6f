/** The texts of the confirmations of the Keys screen. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { AccessKey, KeySettings } from '../../domain/access-key.ts';
import { question } from '../dialogs/question.ts';
import type { Action, ConfirmDialog, InfoRow } from '../state/ui.ts';
import { counted } from '../ui/format.ts';
import { TIER_WORDS } from './key-draft.ts';

function limitRows({ ipList, allowedExchanges }: KeySettings): InfoRow[] {
  return [
    {
      name: 'accounts',
      value: allowedExchanges?.join(' ') ?? 'all, also those connected later',
      tone: allowedExchanges ? 'ok' : 'warn',
    },
    { name: 'addresses', value: ipList?.join(' ') ?? 'any', tone: ipList ? 'ok' : 'warn' },
  ];
}

export function confirmKey(
  state: DeskState,
  action: Extract<Action, { type: 'generate' | 'register' }>,
): ConfirmDialog {
  const generated = action.type === 'generate';
  const { label, tier } = action.settings;
  const rows: InfoRow[] = [
    { name: 'label', value: label },
    { name: 'tier', value: `${tier}: ${TIER_WORDS[tier]}`, tone: tier === 'read' ? 'ok' : 'warn' },
    ...limitRows(action.settings),
  ];
  if (action.type === 'register') rows.push({ name: 'public key', value: action.publicKey });
  return question(state, {
    title: generated ? 'Generate key' : 'Register key',
    rows,
    next: generated
      ? 'The private key is written once to keys/ in the data folder, readable by you only.'
      : 'Whoever holds the private half of this key can sign requests from now on.',
    verb: generated ? 'generate this key' : 'register this key',
    action,
  });
}

export function confirmRevoke(state: DeskState, key: AccessKey): ConfirmDialog {
  const typeable = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(key.label) && key.label.length <= 24;
  return question(state, {
    title: 'Revoke key',
    rows: [
      { name: 'label', value: key.label },
      { name: 'id', value: key.id },
      { name: 'tier', value: key.tier },
      ...limitRows(key).map(({ name, value }) => ({ name, value })),
    ],
    next: 'It stops working at once and for good; its sockets are closed.',
    keep: 'Keep it',
    verb: 'revoke this key',
    word: typeable ? key.label : key.id.slice(0, 8),
    action: { type: 'revoke', id: key.id },
  });
}

/** How many key names a question shows. */
const NAMED = 8;

export function confirmRevokeMarked(state: DeskState, keys: readonly AccessKey[]): ConfirmDialog {
  const what = counted(keys.length, 'key');
  const names = keys.map(({ label, tier }) => `${label} (${tier})`);
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return question(state, {
    title: `Revoke ${what}`,
    rows: [
      { name: 'keys', value: `${names.slice(0, NAMED).join(', ')}${more}` },
      { name: 'requests', value: `${keys.reduce((sum, { counts }) => sum + counts.today, 0)} today` },
    ],
    next: 'Each stops working at once and for good; its sockets are closed. The result of each is shown.',
    keep: keys.length === 1 ? 'Keep it' : 'Keep them',
    verb: `revoke ${what}`,
    word: `revoke ${keys.length}`,
    action: { type: 'revoke-marked', ids: keys.map(({ id }) => id) },
  });
}
