import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/access/authenticate.ts';
import { generateKeyFile, pingExample, readPrivateKeyFile } from '../../src/access/key-files.ts';
import { KeyRegistry } from '../../src/access/key-registry.ts';
import { SIGNING } from './vectors.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'outcry-keys-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const generate = (label: string) => generateKeyFile({ dir, label, randomBytes });

describe('generated key files', () => {
  it('hold a PKCS#8 PEM that only the owner can read, and whose public half registers', () => {
    const { path, publicKey } = generate('My first key');
    expect(path).toBe(join(dir, 'keys', 'my-first-key.pem'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'keys')).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, 'utf8')).toMatch(
      /^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=]{64}\n-----END PRIVATE KEY-----\n$/,
    );
    expect(readPrivateKeyFile(path)).toMatchObject({ publicKey, warning: null });
    expect(new KeyRegistry().register({ label: 'x', tier: 'read' }, publicKey, 1).ok).toBe(true);
  });

  it('are the same for the same random bytes', () => {
    const seed = Buffer.from([...Array(32).keys()]);
    const { path, publicKey } = generateKeyFile({ dir, label: 'seed', randomBytes: () => seed });
    expect(publicKey).toBe(SIGNING.public_key_b64url);
    expect(readFileSync(path, 'utf8')).toBe(SIGNING.pkcs8_pem);
  });

  it('never overwrite one another', () => {
    const paths = [generate('bot').path, generate('Bot!').path, generate('bot').path];
    expect(paths.map((path) => path.slice(dir.length))).toEqual([
      '/keys/bot.pem',
      '/keys/bot-2.pem',
      '/keys/bot-3.pem',
    ]);
    expect(new Set(paths.map((path) => readFileSync(path, 'utf8'))).size).toBe(3);
  });

  it.each([
    ['../../etc/passwd', 'etc-passwd'],
    ['Caf\u00e9 \u{1F680}', 'cafe'],
    ['\u65e5\u672c', 'key'],
    ['...', 'key'],
    ['x'.repeat(50), 'x'.repeat(40)],
  ])('make a plain name of %j', (label, name) => {
    expect(generate(label).path).toBe(join(dir, 'keys', `${name}.pem`));
  });

  it('come with an example whose signature is right and which the service would accept', async () => {
    const { privateKey, publicKey } = generate('example');
    const example = pingExample(privateKey, 1_760_000_000_000);
    expect(example.message).toBe('1760000000000GET/v2/ping');
    const signature = Buffer.from(example.signature, 'base64url');
    expect(verify(null, Buffer.from(example.message), createPublicKey(privateKey), signature)).toBe(true);
    const registry = new KeyRegistry();
    registry.register({ label: 'x', tier: 'read' }, publicKey, 1);
    const who = new Authenticator({ activeKey: (id) => registry.active(id), startedAt: 0 });
    const outcome = await who.authenticate({
      method: 'GET',
      target: '/api/v2/ping',
      rawHeaders: [
        'X-SVC-KEY',
        publicKey,
        'X-SVC-SIGN',
        example.signature,
        'X-SVC-TIMESTAMP',
        '1760000000000',
      ],
      body: Buffer.alloc(0),
      now: 1_760_000_000_000,
    });
    expect(outcome.ok).toBe(true);
  });
});

describe('reading a private key file', () => {
  const put = (text: string | Buffer) => {
    const path = join(dir, 'some.pem');
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ed = generateKeyPairSync('ed25519');

  it('warns when others can read it', () => {
    const { path } = generate('open');
    chmodSync(path, 0o644);
    expect(readPrivateKeyFile(path)).toMatchObject({
      warning: `others on this machine can read ${path}; run chmod 600 on it`,
    });
  });

  it.each([
    ['text', 'hello', 'is not a private key in PEM form'],
    ['nothing', '', 'is not a private key in PEM form'],
    ['a public key', ed.publicKey.export({ format: 'pem', type: 'spki' }), 'holds a public key'],
    ['RSA', rsa.export({ format: 'pem', type: 'pkcs8' }), 'holds a key of type rsa; Ed25519 is needed'],
    [
      'a passphrase',
      ed.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'protected by a passphrase',
    ],
    [
      'an SSH key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
      'is an SSH key',
    ],
    ['damage', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', 'damaged'],
    ['a large file', Buffer.alloc(20_000), 'too large'],
  ])('explains %s in one sentence', (_what, text, words) => {
    const path = put(text as string | Buffer);
    const read = readPrivateKeyFile(path);
    expect(read).toEqual({ problem: expect.stringContaining(words) });
    expect('problem' in read && read.problem.startsWith(path)).toBe(true);
  });

  it('explains a missing file and a folder', () => {
    expect(readPrivateKeyFile(join(dir, 'none'))).toEqual({
      problem: `there is no file ${join(dir, 'none')}`,
    });
    mkdirSync(join(dir, 'folder'));
    expect(readPrivateKeyFile(join(dir, 'folder'))).toEqual({
      problem: `${join(dir, 'folder')} is not a file`,
    });
  });
});
