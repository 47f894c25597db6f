/**
 * The form that connects an exchange on the Accounts screen: its fields, its action, what the test found.
 * Pure. Credentials are never drawn.
 */
import type {
  ConnectionRequest,
  ConnectionsView,
  ConnectionTested,
  ConnectionView,
  DeskState,
  VenueKindView,
} from '../../desk/console/protocol.ts';
import {
  type Connection,
  connectionNameProblem,
  type Environment,
  type MarketKind,
} from '../../domain/connection.ts';
import { guardText } from '../../domain/guards.ts';
import type { WideRight } from '../../domain/permissions.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow, NoticeLine } from '../state/ui.ts';
import type { AccountField, AccountForm } from './account-forms.ts';

/** The connection for which a key is made. */
export type KeyRequest = Omit<ConnectionRequest, 'secrets' | 'madeKey'>;

export type ConnectAction =
  | {
      readonly type: 'connect';
      readonly request: ConnectionRequest;
      /** Rights of the key beyond trading, which the person accepts with the confirmation. */
      readonly rights: readonly WideRight[];
    }
  | { readonly type: 'make-key'; readonly request: KeyRequest }
  | { readonly type: 'disconnect'; readonly name: string }
  | { readonly type: 'new-addresses'; readonly name: string; readonly to: readonly string[] };

const CREDENTIAL_LENGTH = 16_384;
/** Where the secret comes from, if the exchange takes a key that is made here. */
const KEY_WORDS = { own: 'pasted', made: 'made here' } as const;
const MADE_HINT =
  'leave it empty to make the key: its public half is shown, to register it there; then paste what the exchange gives for it';

/** Cleans a pasted credential; the CR that a terminal makes of a key file's line ends becomes LF again. */
export function credentialText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]+/gu, '')
    .slice(0, CREDENTIAL_LENGTH);
}

/** Builds the form with its first values. `kinds`: at least one. `connections`: of the configuration. */
export function newConnectForm({
  kinds,
  connections,
}: Pick<ConnectionsView, 'kinds' | 'connections'>): AccountForm {
  const venue = kinds[0]?.name ?? '';
  const values = valuesOf(kinds, { venue, name: venue });
  return {
    kind: 'account-form',
    what: 'connect',
    exchange: '',
    kinds,
    endpoints: Object.fromEntries(connections.map(({ name, endpoints }) => [name, endpoints])),
    values,
    focus: 'venue',
    refusal: null,
  };
}

/**
 * Returns the hosts that `config.toml` sets for a connection in place of the built-in ones; its keys are used
 * there. Null: it sets none.
 */
export function replacedHosts(endpoints: Connection['endpoints'] | undefined): string | null {
  const all = [...new Set(Object.values(endpoints ?? {}).map((address) => new URL(address).host))];
  return all.length === 0 ? null : all.join(' ');
}

function kindOf(kinds: readonly VenueKindView[], venue: string | undefined): VenueKindView | undefined {
  return kinds.find(({ name }) => name === venue);
}

/** Returns what one key may serve: all markets, or one of them. */
function marketChoices({ markets }: VenueKindView): readonly string[] {
  return markets.length > 1 ? [markets.join(' '), ...markets] : markets;
}

/** Fits the choices that depend on the venue to the venue of the form. */
export function valuesOf(
  kinds: readonly VenueKindView[],
  values: AccountForm['values'],
): AccountForm['values'] {
  const kind = kindOf(kinds, values.venue);
  if (!kind) return values;
  const { environment = '', markets = '' } = values;
  const choices = marketChoices(kind);
  return {
    ...values,
    environment: kind.environments.includes(environment as Environment)
      ? environment
      : (kind.environments[0] ?? ''),
    markets: choices.includes(markets) ? markets : (choices[0] ?? ''),
    key: isMade(kind, values) ? 'made' : 'own',
  };
}

/** Tells whether the secret is made in the vault, so that nobody types it. */
function isMade({ makesKey }: VenueKindView, { key }: AccountForm['values']): boolean {
  return makesKey === true && key === 'made';
}

/** Returns the credentials that the person pastes. */
function credentialsOf(kind: VenueKindView, values: AccountForm['values']): VenueKindView['credentials'] {
  return isMade(kind, values) ? kind.credentials.filter(({ name }) => name !== 'secret') : kind.credentials;
}

export function connectFields({
  values,
  kinds = [],
}: Pick<AccountForm, 'values' | 'kinds'>): readonly AccountField[] {
  const kind = kindOf(kinds, values.venue);
  const titles = Object.fromEntries(kinds.map(({ name, title }) => [name, title]));
  return [
    {
      id: 'venue',
      label: 'exchange',
      hint: 'which one it is',
      choices: kinds.map(({ name }) => name),
      words: titles,
    },
    {
      id: 'name',
      label: 'name',
      hint: 'a-z, 0-9 and -: its accounts are called after it, such as binance-spot',
    },
    {
      id: 'environment',
      label: 'environment',
      hint: 'live is real money; testnet and demo are places of the exchange to play at',
      choices: kind?.environments ?? [],
    },
    {
      id: 'markets',
      label: 'markets',
      hint: 'what is traded there; each is an account of its own',
      choices: kind ? marketChoices(kind) : [],
    },
    ...(kind?.makesKey ? [KEY_FIELD] : []),
    ...(kind ? credentialsOf(kind, values) : []).map(({ name, label, help }): AccountField => {
      const hint = kind && name === 'apiKey' && isMade(kind, values) ? MADE_HINT : help;
      return { id: name, label, hint, hidden: true };
    }),
  ];
}

/** Returns the form's action, or the first problem of its values; the desk checks the rest. */
export function readConnect({ values, kinds = [], endpoints = {} }: AccountForm) {
  const wrong = (field: string, message: string) => ({ problem: { field, message } });
  const kind = kindOf(kinds, values.venue);
  if (!kind) return wrong('venue', 'choose an exchange');
  const name = (values.name ?? '').trim();
  const problem = connectionNameProblem(name);
  if (problem !== null) return wrong('name', problem);
  const place: KeyRequest = {
    name,
    venue: kind.name,
    environment: values.environment as Environment,
    markets: (values.markets ?? '').split(' ') as MarketKind[],
    ...(replacedHosts(endpoints[name]) === null ? {} : { endpoints: endpoints[name] }),
  };
  const isMadeHere = isMade(kind, values);
  if (isMadeHere && (values.apiKey ?? '').trim() === '')
    return { action: { type: 'make-key', request: place } as const satisfies ConnectAction };
  const secrets: Record<string, string> = {};
  for (const { name: field, label } of credentialsOf(kind, values)) {
    const text = (values[field] ?? '').trim();
    if (text === '') return wrong(field, `paste the ${label}`);
    secrets[field] = text;
  }
  const request: ConnectionRequest = { ...place, secrets, ...(isMadeHere ? { madeKey: true } : {}) };
  return { action: { type: 'connect', request, rights: [] } as const satisfies ConnectAction };
}

const KEY_FIELD: AccountField = {
  id: 'key',
  label: 'private key',
  hint: 'one of your own, or an Ed25519 key that is made in the vault and never leaves it',
  choices: Object.keys(KEY_WORDS),
  words: KEY_WORDS,
};

/** The question before a key is made: the new key replaces an earlier one that is not used yet. */
export function confirmMakeKey(
  state: DeskState,
  action: Extract<ConnectAction, { type: 'make-key' }>,
): ConfirmDialog {
  const { name, venue, environment, markets } = action.request;
  return question(state, {
    title: 'Make a key for an exchange',
    rows: [
      { name: 'name', value: name },
      { name: 'exchange', value: `${venue} ${environment}: ${markets.join(', ')}` },
    ],
    next: 'Its private half stays in the vault, its public half is shown to register. A key that was made for it before and is not used yet is replaced.',
    keep: 'Make none',
    verb: 'make it',
    action,
  });
}

/** The lines that show the public half, which the person registers at the exchange. */
export function madeKeyLines(publicKey: string): NoticeLine[] {
  const words = (text: string): NoticeLine => ({ text, words: true });
  return [
    words('Register this public key at the exchange; its private half stays in the vault.'),
    { text: '', tone: 'muted' },
    ...publicKey
      .trim()
      .split('\n')
      .map((text): NoticeLine => ({ text, tone: 'ok' })),
    { text: '', tone: 'muted' },
    words('Then paste the API key that the exchange gives for it into the form.'),
  ];
}

/** The lines that show the result of a test. */
export function testLines({ lines }: Pick<ConnectionTested, 'lines'>): NoticeLine[] {
  return lines.flatMap(({ exchange, name, level, text, todo }) => {
    const tone =
      level === 'fail' ? ('danger' as const) : level === 'warn' ? ('warn' as const) : ('ok' as const);
    const mark = level === 'fail' ? '✗' : level === 'warn' ? '!' : '✓';
    const line: NoticeLine = { text: `${mark} ${exchange}: ${name}: ${text}`, tone, words: true };
    return todo === undefined ? [line] : [line, { text: `    ${todo}`, tone: 'muted', words: true }];
  });
}

/** The question after a test that passed: the person types the name, even if the money is not real. */
export function confirmConnect(
  state: DeskState,
  { request }: Extract<ConnectAction, { type: 'connect' }>,
  found: ConnectionTested,
): ConfirmDialog {
  const { name, venue, environment, markets } = request;
  const notes = found.lines.filter(({ level }) => level === 'warn');
  const hosts = replacedHosts(request.endpoints);
  const balances = found.lines.filter((line) => line.name === 'balance');
  const rows: InfoRow[] = [
    { name: 'name', value: name },
    { name: 'exchange', value: `${venue} ${environment}: ${markets.join(', ')}` },
    { name: 'account', value: found.account ?? 'not told' },
    ...(hosts === null ? [] : [{ name: 'hosts', value: hosts, tone: 'danger' as const }]),
    ...balances.map(({ exchange, text }): InfoRow => ({ name: 'balance', value: `${exchange}: ${text}` })),
    ...notes.map(
      ({ exchange, text }): InfoRow => ({ name: 'note', value: `${exchange}: ${text}`, tone: 'warn' }),
    ),
    ...found.rights.map(
      (right): InfoRow => ({ name: 'ACCEPTED', value: `whoever has the key may ${right}`, tone: 'danger' }),
    ),
    ...guardRowsOf(found),
  ];
  const asked = question(state, {
    title: 'Connect an exchange',
    rows,
    next: 'Its keys are sealed in the vault, and the accounts are there at once. Guards are changed on Accounts.',
    keep: 'Do not connect it',
    verb: found.place === 'LIVE' ? 'connect it, with real money' : 'connect it',
    word: name,
    action: { type: 'connect', request, rights: found.rights },
  });
  return { ...asked, mode: found.place };
}

function guardRowsOf({ guards }: ConnectionTested): InfoRow[] {
  const texts = new Map<string, string[]>();
  for (const [exchange, set] of Object.entries(guards)) {
    const text =
      set === null
        ? 'those that are set stay'
        : Object.entries(set)
            .map(([name, value]) => `${name} ${guardText(value)}`)
            .join(', ');
    texts.set(text, [...(texts.get(text) ?? []), exchange]);
  }
  return [...texts].map(([text, of]): InfoRow => ({ name: 'guards', value: `${of.join(', ')}: ${text}` }));
}

export function confirmDisconnect(state: DeskState, name: string): ConfirmDialog {
  const ids = state.accounts.filter(({ connection }) => connection?.name === name).map(({ id }) => id);
  const asked = question(state, {
    title: 'Disconnect an exchange',
    rows: [
      { name: 'name', value: name },
      { name: 'account', value: ids.join(', ') },
    ],
    next: 'Its keys are forgotten and its accounts go. Past orders and trades stay. It needs no open order and no running bot.',
    keep: 'Keep it',
    verb: 'disconnect it',
    word: name,
    action: { type: 'disconnect', name },
  });
  const first = state.accounts.find(({ connection }) => connection?.name === name)?.connection;
  return { ...asked, mode: first?.place ?? asked.mode };
}

/** The question before keys are used at other hosts: whoever owns these hosts gets the keys. */
export function confirmAddresses(
  state: DeskState,
  { name, place, changed, accounts }: ConnectionView,
): ConfirmDialog | null {
  if (!changed) return null;
  const asked = question(state, {
    title: 'Other addresses of an exchange',
    rows: [
      { name: 'name', value: name },
      { name: 'account', value: accounts.join(', ') },
      { name: 'sealed for', value: changed.from.join(' ') },
      { name: 'now', value: changed.to.join(' '), tone: 'danger' },
    ],
    next: 'Its keys would be used at the new addresses: whoever is behind them can trade with your money.',
    keep: 'Keep it closed',
    verb: 'use its keys there',
    word: name,
    action: { type: 'new-addresses', name, to: changed.to },
  });
  return { ...asked, mode: place };
}
