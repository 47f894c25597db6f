/** Operators of a desk, their sessions and the SSH access, as a desk sends them. */
import type { OperatorRecord, SessionView, SshView } from '../../../src/desk/console/protocol.ts';

const NOON = Date.UTC(2026, 2, 2, 14, 7, 31);
const BLOB = 'AAAAC3NzaC1lZDI1NTE5AAAAIHlzS1FUQ0VzR0lWbEZ1c3RQcGh3cW5vQmVhcg';

function operator(name: string, change: Partial<OperatorRecord> = {}): OperatorRecord {
  return {
    name,
    role: 'viewer',
    ca: false,
    from: [],
    expiresAt: null,
    verify: false,
    key: { type: 'ssh-ed25519', blob: `${BLOB}${name}`, fingerprint: `SHA256:${name.padEnd(43, 'x')}` },
    createdAt: NOON - 86_400_000,
    ...change,
  };
}

export const SOME_OPERATORS: readonly OperatorRecord[] = [
  operator('alice', { role: 'operator', from: ['10.0.0.0/8', '192.0.2.7/32'] }),
  operator('bob', { expiresAt: NOON - 1 }),
  operator('carol', {
    role: 'owner',
    key: { type: 'sk-ssh-ed25519@openssh.com', blob: BLOB, fingerprint: `SHA256:${'c'.repeat(43)}` },
    verify: true,
    expiresAt: Date.UTC(2027, 1, 1),
  }),
];

function session(id: string, change: Partial<SessionView> = {}): SessionView {
  return {
    id,
    name: 'local',
    role: 'owner',
    from: null,
    since: NOON - 3_600_000,
    idleMs: 0,
    ageMs: 0,
    bytes: 123_456,
    terminal: 'xterm-256color 200x50',
    version: '1.4.0',
    locked: false,
    ...change,
  };
}

export const SOME_SESSIONS: readonly SessionView[] = [
  session('s1'),
  session('s4', { name: 'alice', role: 'operator', from: '10.1.2.3', idleMs: 240_000, ageMs: 3_000 }),
  session('s7', { name: 'bob', role: 'viewer', from: '2001:db8::17', idleMs: 700_000, locked: true }),
];

export const SOME_SSH: SshView = {
  listen: [{ host: '127.0.0.1', port: 2222 }],
  state: 'listening',
  problem: null,
  account: 'desk',
  hostKey: { line: `ssh-ed25519 ${BLOB}host`, fingerprint: `SHA256:${'h'.repeat(43)}` },
  nextHostKey: null,
};
