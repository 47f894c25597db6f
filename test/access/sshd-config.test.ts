/**
 * The configuration of the desk's own sshd: it allows nothing but the console by a key, whichever version
 * reads it and whatever characters a path holds.
 */
import { describe, expect, it } from 'vitest';
import { isPostQuantum, readSshdKnows, sshdConfig } from '../../src/access/sshd-config.ts';

const PLACE = {
  listen: [
    { host: '127.0.0.1', port: 2222 },
    { host: '::1', port: 2222 },
  ],
  account: 'trader',
  authorizedKeys: '/var/lib/out cry/ssh/authorized_keys',
  hostKeys: ['/var/lib/out cry/ssh/host_ed25519'],
};
const SIGNATURES =
  'ssh-ed25519,sk-ssh-ed25519@openssh.com,ecdsa-sha2-nistp256,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256';
/** The output of `sshd -T`, as far as it is read. */
const dump = (kex: string, more: readonly string[] = []) =>
  [
    `kexalgorithms ${kex}`,
    'ciphers chacha20-poly1305@openssh.com,aes128-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com',
    'macs umac-64-etm@openssh.com,hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha1',
    `hostkeyalgorithms ${SIGNATURES}`,
    `pubkeyacceptedalgorithms ssh-ed25519-cert-v01@openssh.com,${SIGNATURES}`,
    `casignaturealgorithms ${SIGNATURES}`,
    ...more,
  ].join('\n');
const OLD = dump('curve25519-sha256,ecdh-sha2-nistp256,diffie-hellman-group14-sha256');
const NEW = dump(
  'mlkem768x25519-sha256,sntrup761x25519-sha512@openssh.com,curve25519-sha256,ecdh-sha2-nistp256',
  [
    'usepam no',
    'requiredrsasize 1024',
    'persourcemaxstartups none',
    'persourcenetblocksize 32:128',
    'persourcepenalties crash:90 authfail:5',
  ],
);

function linesOf(text: string, place: Partial<typeof PLACE> = {}): string[] {
  const made = sshdConfig({ ...PLACE, ...place }, readSshdKnows(text));
  if (!made.ok) throw new Error(made.error.message);
  return made.data.split('\n');
}

describe('the configuration', () => {
  it('lets one account in by a public key of the desk’s own file, to one forced session without forwarding', () => {
    const lines = linesOf(NEW);
    expect(lines.slice(1, 6)).toEqual([
      'ListenAddress 127.0.0.1:2222',
      'ListenAddress [::1]:2222',
      'HostKey "/var/lib/out cry/ssh/host_ed25519"',
      'AuthorizedKeysFile "/var/lib/out cry/ssh/authorized_keys"',
      'AllowUsers trader',
    ]);
    for (const line of [
      'AuthenticationMethods publickey',
      'PermitRootLogin forced-commands-only',
      'MaxSessions 1',
      'DisableForwarding yes',
      'PermitUserRC no',
      'PermitUserEnvironment no',
      'StrictModes yes',
      'SetEnv SHLVL=1',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitTunnel no',
    ])
      expect(lines).toContain(line);
    expect(lines.join('\n')).not.toMatch(/Subsystem|Include|Match|ForceCommand|AuthorizedKeysCommand/);
  });

  it('offers what the binary knows of what is safe, and nothing else', () => {
    expect(linesOf(NEW)).toContain(
      'KexAlgorithms mlkem768x25519-sha256,sntrup761x25519-sha512@openssh.com,curve25519-sha256',
    );
    expect(linesOf(OLD)).toContain('KexAlgorithms curve25519-sha256');
    expect(linesOf(OLD)).toContain('Ciphers aes256-gcm@openssh.com,aes128-gcm@openssh.com');
    expect([OLD, NEW].map((text) => isPostQuantum(readSshdKnows(text)))).toEqual([false, true]);
  });

  it('names what only newer versions know where the binary knows it', () => {
    const penalties = (text: string) =>
      linesOf(text).filter((line) => /^PerSource|^UsePAM|^RequiredRSA/.test(line));
    expect(penalties(OLD)).toEqual([]);
    expect(penalties(NEW)).toEqual([
      'UsePAM no',
      'RequiredRSASize 3072',
      'PerSourceMaxStartups 10',
      'PerSourceNetBlockSize 32:64',
      'PerSourcePenalties authfail:5s noauth:1s grace-exceeded:10s min:15s max:10m',
    ]);
  });

  it.each(['/a"b', "/a'b", '/a%h', '/a\\b', '/a\nb', 'a', ''])('is refused for the path %j', (path) => {
    expect(() => linesOf(NEW, { authorizedKeys: path })).toThrow(/cannot stand in sshd_config/);
    expect(() => linesOf(NEW, { hostKeys: [path] })).toThrow(/cannot stand in sshd_config/);
  });

  it.each(['', '*', 'a b', 'trader@10.0.0.1', '!root', 'a\nPermitTTY', '-x'])(
    'is refused for the account %j',
    (account) => {
      expect(() => linesOf(NEW, { account })).toThrow(/cannot stand/);
    },
  );

  it('is refused where the binary knows nothing that is safe', () => {
    expect(() => linesOf(dump('diffie-hellman-group14-sha256'))).toThrow(/nothing safe as KexAlgorithms/);
    expect(() => linesOf('')).toThrow(/nothing safe/);
  });
});
