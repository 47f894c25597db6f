/**
 * The configuration of the desk's own sshd (remote.md 1): a login by public key starts the command of its
 * line in `authorized_keys` and nothing else. What a version of OpenSSH knows is read from its own dump
 * (`sshd -T`), so one text serves all versions. Pure.
 */
import { type Outcome, ok, refuse } from '../domain/errors.ts';

/** An address of this machine and a port. */
export interface ListenAddress {
  /** IPv4 or IPv6, without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface SshdPlace {
  readonly listen: readonly ListenAddress[];
  /** Name of the account that the desk runs as: the only one that may log in. */
  readonly account: string;
  /** Absolute paths. */
  readonly authorizedKeys: string;
  /** The host key in use first. Clients are told the others, so that they know them before they are used. */
  readonly hostKeys: readonly string[];
}

/** What an sshd binary knows: keyword in lower case -> its value. */
export type SshdKnows = ReadonlyMap<string, string>;

const KEX = [
  'mlkem768x25519-sha256',
  'sntrup761x25519-sha512',
  'sntrup761x25519-sha512@openssh.com',
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
];
/** Ciphers with built-in authentication; those that need a separate MAC are left out. */
const CIPHERS = ['aes256-gcm@openssh.com', 'aes128-gcm@openssh.com'];
/** Never used with these ciphers, but a client expects some to be named. */
const MACS = ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'];
/** Signature types that an operator's key may have (`ssh-key.ts`). */
const SIGNATURES = [
  'ssh-ed25519',
  'sk-ssh-ed25519@openssh.com',
  'ecdsa-sha2-nistp256',
  'rsa-sha2-512',
  'rsa-sha2-256',
];
const CERTIFICATES = [
  'ssh-ed25519-cert-v01@openssh.com',
  'sk-ssh-ed25519-cert-v01@openssh.com',
  'ecdsa-sha2-nistp256-cert-v01@openssh.com',
  'rsa-sha2-512-cert-v01@openssh.com',
  'rsa-sha2-256-cert-v01@openssh.com',
];

/** Client variables that `attach` reads, each within bounds. */
const ENVIRONMENT = ['COLORTERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'NO_COLOR'];

/**
 * A path that needs no quoting except for spaces: `%` would be expanded, and versions read `"` and `\`
 * differently.
 */
const PATH = /^\/[^"'\\%\p{Cc}]*$/u;
const ACCOUNT = /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$/;

/** Reads the output of `sshd -T`. Lines of another form are left out. */
export function readSshdKnows(dump: string): SshdKnows {
  const known = new Map<string, string>();
  for (const line of dump.split('\n').slice(0, 1_000)) {
    const [, keyword, value = ''] = /^([a-z0-9]{2,60})(?: (.*))?$/.exec(line.trimEnd()) ?? [];
    if (keyword !== undefined && !known.has(keyword)) known.set(keyword, value);
  }
  return known;
}

/** Whether it knows key exchanges that a quantum computer cannot break. */
export function isPostQuantum(knows: SshdKnows): boolean {
  return offered(knows, 'kexalgorithms', KEX).some((name) => !name.startsWith('curve25519'));
}

/**
 * The text of `sshd_config`; refused when a path or the account's name cannot be written in it, or sshd knows
 * none of these key exchanges.
 */
export function sshdConfig(place: SshdPlace, knows: SshdKnows): Outcome<string> {
  const { listen, account, authorizedKeys, hostKeys } = place;
  for (const path of [authorizedKeys, ...hostKeys])
    if (!PATH.test(path))
      return bad(
        `${JSON.stringify(path)} cannot stand in sshd_config: it must be absolute, without quotes, % and \\`,
      );
  if (!ACCOUNT.test(account))
    return bad(`the account ${JSON.stringify(account.slice(0, 64))} cannot stand in sshd_config`);
  const lists = {
    KexAlgorithms: offered(knows, 'kexalgorithms', KEX),
    Ciphers: offered(knows, 'ciphers', CIPHERS),
    MACs: offered(knows, 'macs', MACS),
    HostKeyAlgorithms: offered(knows, 'hostkeyalgorithms', ['ssh-ed25519']),
    PubkeyAcceptedAlgorithms: offered(knows, 'pubkeyacceptedalgorithms', [...SIGNATURES, ...CERTIFICATES]),
    CASignatureAlgorithms: offered(knows, 'casignaturealgorithms', SIGNATURES),
  };
  const missing = Object.entries(lists).find(([, names]) => names.length === 0);
  if (missing) return bad(`this sshd offers nothing safe as ${missing[0]}; a newer OpenSSH does`);
  const lines = [
    '# Written by the desk at every start; a change here is lost.',
    ...listen.map(({ host, port }) => `ListenAddress ${host.includes(':') ? `[${host}]` : host}:${port}`),
    ...hostKeys.map((path) => `HostKey "${path}"`),
    `AuthorizedKeysFile "${authorizedKeys}"`,
    `AllowUsers ${account}`,
    ...Object.entries(lists).map(([keyword, names]) => `${keyword} ${names.join(',')}`),
    ...FIXED,
    ...OPTIONAL.filter((line) => knows.has((line.split(' ')[0] ?? '').toLowerCase())),
  ];
  return ok(`${lines.join('\n')}\n`);
}

/** Options known to OpenSSH since 8.5 at the latest. */
const FIXED = [
  'StrictModes yes',
  'PubkeyAuthentication yes',
  'AuthenticationMethods publickey',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'HostbasedAuthentication no',
  'PermitEmptyPasswords no',
  // Each line of authorized_keys has a command; root may log in only with one.
  'PermitRootLogin forced-commands-only',
  'MaxAuthTries 6',
  'LoginGraceTime 60',
  'MaxStartups 20:30:60',
  'MaxSessions 1',
  'ClientAliveInterval 15',
  'ClientAliveCountMax 3',
  'RekeyLimit 1G 1h',
  'DisableForwarding yes',
  'AllowTcpForwarding no',
  'AllowStreamLocalForwarding no',
  'AllowAgentForwarding no',
  'X11Forwarding no',
  'PermitTunnel no',
  'GatewayPorts no',
  'PermitUserRC no',
  'PermitUserEnvironment no',
  `AcceptEnv ${ENVIRONMENT.join(' ')}`,
  // The account's shell runs the command of the line. Without SHLVL bash would take itself for the outermost
  // shell and run the account's ~/.bashrc first, whatever that does and however long it takes.
  'SetEnv SHLVL=1',
  'PermitTTY yes',
  'PrintMotd no',
  'PrintLastLog no',
  'Banner none',
  'Compression no',
  'UseDNS no',
  'PidFile none',
  'LogLevel VERBOSE',
];

/** Options written only if the binary knows them. */
const OPTIONAL = [
  'UsePAM no',
  'RequiredRSASize 3072',
  'PerSourceMaxStartups 10',
  'PerSourceNetBlockSize 32:64',
  'PerSourcePenalties authfail:5s noauth:1s grace-exceeded:10s min:15s max:10m',
];

function offered(knows: SshdKnows, keyword: string, wanted: readonly string[]): string[] {
  const names = new Set((knows.get(keyword) ?? '').split(','));
  return wanted.filter((name) => names.has(name));
}

function bad(message: string): Outcome<never> {
  return refuse('INVALID_REQUEST', message);
}
