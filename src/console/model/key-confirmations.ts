/** What the confirmations of the Keys screen say. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { AccessKey, KeySettings } from '../../domain/access-key.ts';
import type { Action, ConfirmDialog, InfoRow } from '../state/ui.ts';
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

function dialog(
  state: DeskState,
  at: number,
  parts: Pick<ConfirmDialog, 'title' | 'rows' | 'next' | 'verb' | 'word'> & { action: Action },
): ConfirmDialog {
  return { kind: 'confirm', paper: state.desk.paper, typed: '', openedAt: at, busy: false, ...parts };
}

export function confirmKey(
  state: DeskState,
  action: Extract<Action, { type: 'generate' | 'register' }>,
  at: number,
): ConfirmDialog {
  const generated = action.type === 'generate';
  const { label, tier } = action.settings;
  const rows: InfoRow[] = [
    { name: 'label', value: label },
    { name: 'tier', value: `${tier}: ${TIER_WORDS[tier]}`, tone: tier === 'read' ? 'ok' : 'warn' },
    ...limitRows(action.settings),
  ];
  if (action.type === 'register') rows.push({ name: 'public key', value: action.publicKey });
  return dialog(state, at, {
    title: generated ? 'Generate key' : 'Register key',
    rows,
    next: generated
      ? 'The private key is written once to keys/ in the data folder, readable by you only.'
      : 'Whoever holds the private half of this key can sign requests from now on.',
    verb: generated ? 'generate this key' : 'register this key',
    action,
  });
}

export function confirmRevoke(state: DeskState, key: AccessKey, at: number): ConfirmDialog {
  const typeable = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(key.label) && key.label.length <= 24;
  return dialog(state, at, {
    title: 'Revoke key',
    rows: [
      { name: 'label', value: key.label },
      { name: 'id', value: key.id },
      { name: 'tier', value: key.tier },
      ...limitRows(key).map(({ name, value }) => ({ name, value })),
    ],
    next: 'It stops working at once and for good; its sockets are closed.',
    verb: 'revoke this key',
    word: typeable ? key.label : key.id.slice(0, 8),
    action: { type: 'revoke', id: key.id },
  });
}
