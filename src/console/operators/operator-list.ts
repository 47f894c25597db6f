/** The operators of the desk as a table, and instructions for logging in. Pure. */
import type { OperatorRecord, Role, SshView } from '../../desk/console/protocol.ts';
import { byText, type Compare, listed, memoizeLast } from '../lists/rows.ts';
import type { Column } from '../lists/table.ts';
import type { NoticeLine } from '../state/ui.ts';
import { dateTime } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import type { OperatorSort, OperatorsPage } from './people-page.ts';

export interface OperatorRow extends OperatorRecord {
  /** The operator's name, used by selections. */
  readonly id: string;
}

const RANK: Readonly<Record<Role, number>> = { owner: 0, operator: 1, viewer: 2 };

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'looks, and drafts orders and bots',
  operator: 'also trades: orders, bots, positions, panic',
  owner: 'may do everything: keys, connections, vault, operators, stop',
};

const COMPARE: Record<OperatorSort, Compare<OperatorRow> | null> = {
  name: null,
  role: (a, b) => RANK[a.role] - RANK[b.role],
  end: (a, b) => (a.expiresAt ?? Number.MAX_SAFE_INTEGER) - (b.expiresAt ?? Number.MAX_SAFE_INTEGER),
  added: (a, b) => b.createdAt - a.createdAt,
};

const last = memoizeLast<readonly OperatorRow[]>();

export function shownOperators({ operators, filter, sort, reverse }: OperatorsPage): readonly OperatorRow[] {
  return last([operators, filter, sort, reverse], () => {
    const rows = (operators ?? []).map((one) => ({ ...one, id: one.name }));
    rows.sort((a, b) => byText(a.name, b.name));
    return listed(rows, { filter, sort, reverse }, { text: textOf, compare: COMPARE });
  });
}

function textOf({ name, role, key, from }: OperatorRow): string {
  return `${name} ${role} ${key.type} ${key.fingerprint} ${from.join(' ')}`;
}

export function roleSpan(role: Role): Span {
  return span(role, role === 'owner' ? 'danger' : role === 'operator' ? 'warn' : 'text');
}

/** A key in words: `ed25519`, `sk-ed25519 PIN`, `rsa CA`. */
export function keyWords({ key, ca, verify }: Pick<OperatorRecord, 'key' | 'ca' | 'verify'>): string {
  const type = key.type
    .replace('@openssh.com', '')
    .replace(/(^|-)ssh-/, '$1')
    .replace('-nistp256', '');
  return `${type}${verify ? ' PIN' : ''}${ca ? ' CA' : ''}`;
}

/** @param online number of sessions by name, where they were read */
export function operatorColumns(
  wall: number,
  online: ReadonlyMap<string, number> | null,
): readonly Column<OperatorRow>[] {
  return [
    { title: 'name', width: 16, priority: 1, cell: ({ name }) => span(name) },
    { title: 'role', width: 8, priority: 1, cell: ({ role }) => roleSpan(role) },
    {
      title: 'here',
      width: 4,
      align: 'right',
      priority: 4,
      cell: ({ name }) => {
        const count = online?.get(name) ?? 0;
        return span(count === 0 ? '–' : String(count), count === 0 ? 'muted' : 'ok');
      },
    },
    { title: 'until', width: 16, priority: 3, cell: ({ expiresAt }) => endSpan(expiresAt, wall) },
    {
      title: 'from',
      width: 18,
      grow: 1,
      priority: 2,
      cell: ({ from }) =>
        span(from.length === 0 ? 'anywhere' : from.join(' '), from.length === 0 ? 'muted' : 'text'),
    },
    { title: 'key', width: 16, priority: 5, cell: (row) => span(keyWords(row), 'muted') },
    { title: 'added', width: 16, priority: 7, cell: ({ createdAt }) => span(dateTime(createdAt), 'muted') },
    { title: 'fingerprint', width: 50, priority: 6, cell: ({ key }) => span(key.fingerprint, 'muted') },
  ];
}

function endSpan(expiresAt: number | null, wall: number): Span {
  if (expiresAt === null) return span('no end', 'muted');
  return expiresAt <= wall ? span('EXPIRED', 'danger') : span(dateTime(expiresAt));
}

/** The title of the column for each sort. */
export const OPERATOR_SORTED: Readonly<Record<OperatorSort, string>> = {
  name: 'name',
  role: 'role',
  end: 'until',
  added: 'added',
};

/** Whether anybody can log in over SSH, shown under the table. */
export function sshLines({ listen, state, problem }: SshView): readonly Line[] {
  const where = listen.map(({ host, port }) => `${host}:${port}`).join(', ');
  const words: Record<SshView['state'], Span> = {
    off: span(
      'the desk has no sshd of its own: [ssh] listen in config.toml; outcry ssh line NAME is for the machine’s',
      'muted',
    ),
    down: span(`its sshd for ${where} is down`, 'danger'),
    listening: span(`logins at ${where}`, 'ok'),
  };
  return [[], [span('  '), words[state]], ...(problem === null ? [] : [[span(`  ${problem}`, 'warn')]])];
}

/** How to log in, and the host key that the client will ask to confirm. */
export function loginLines(
  name: string,
  { listen, account, hostKey, problem }: SshView,
): readonly NoticeLine[] {
  const [address] = listen;
  if (!address)
    return [
      {
        text: 'The desk has no sshd of its own. The line for the machine’s is printed there by',
        words: true,
      },
      { text: `outcry ssh line ${name}` },
    ];
  const { host, port } = address;
  const isAll = host === '0.0.0.0' || host === '::';
  const at = isAll ? 'HOST' : host;
  return [
    { text: `What ${name} types${isAll ? ', with the name of this machine for HOST' : ''}:`, words: true },
    { text: `ssh ${port === 22 ? '' : `-p ${port} `}${account ?? 'ACCOUNT'}@${at}` },
    { text: '' },
    ...(hostKey === null
      ? []
      : [
          { text: 'The line for known_hosts:' },
          { text: `${port === 22 ? at : `[${at}]:${port}`} ${hostKey.line}` },
          { text: `its fingerprint is ${hostKey.fingerprint}`, tone: 'muted' as const },
        ]),
    ...(problem === null ? [] : [{ text: problem, tone: 'warn' as const, words: true }]),
  ];
}
