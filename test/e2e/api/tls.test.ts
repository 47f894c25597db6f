/**
 * TLS and the configuration file with the built program: addresses, a self-made certificate, refused starts.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reachDesk } from '../../../src/cli/desk-link.ts';
import { deskOptions } from '../../../src/cli/desk-settings.ts';
import { createClient } from '../../../src/client/client.ts';
import { systemClock } from '../../../src/desk/hosting/transports/system-clock.ts';
import { makeCertificate, writeCertificate } from '../../support/certificate.ts';
import { EXCHANGE, generateKey, runMain, startDesk, temporaryFolder } from '../support/desk-process.ts';

const DAY_MS = 86_400_000;

/** A data folder with a configuration. */
function folderWith(config: string, mode = 0o600): string {
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, 'config.toml'), config);
  chmodSync(join(dataDir, 'config.toml'), mode);
  return dataDir;
}

function logOf(dataDir: string): string {
  const folder = join(dataDir, 'log');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

// proves: D46
it('a desk with a certificate of its own serves clients that trust it, and a ping says what to do', async () => {
  const files = writeCertificate(temporaryFolder(), makeCertificate());
  chmodSync(files.keyFile, 0o644);
  const dataDir = join(temporaryFolder(), 'data');
  const desk = await startDesk(dataDir, ['--tls-cert', files.certFile, '--tls-key', files.keyFile]);
  expect(desk.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/api$/);
  expect(logOf(dataDir)).toContain(`the private key file ${files.keyFile} is open to other users`);

  const { privateKeyPem } = await generateKey(desk);
  const ca = readFileSync(files.certFile, 'utf8');
  const client = createClient({ baseUrl: desk.url, key: { privateKeyPem }, ca, retry: { attempts: 1 } });
  const order = {
    exchange: EXCHANGE,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
  } as const;
  expect(await client.orders.place({ ...order, price: '20000' })).toMatchObject({ status: 'OPENED' });
  const stream = await client.stream();
  await stream.close();
  await client.close();

  const keyFile = join(temporaryFolder(), 'key.pem');
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 });
  const ping = ['ping', '--data-dir', dataDir, '--key', keyFile];
  const trusted = await runMain([...ping, '--ca', files.certFile]);
  expect(trusted).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^pong from https:\/\/127\.0\.0\.1:/),
  });
  const untrusted = await runMain(ping);
  expect(untrusted.code).toBe(1);
  expect(untrusted.stderr).toMatch(/--ca FILE names the one to trust\.\n$/);
});

it('a configuration file sets the API up; what it does not know is in the log', async () => {
  const files = writeCertificate(temporaryFolder(), makeCertificate());
  const dataDir = folderWith(
    `[api]\nhost = "0.0.0.0"\ntls_cert = ${JSON.stringify(files.certFile)}\ntls_key = ${JSON.stringify(files.keyFile)}\nprot = 1\n`,
    0o644,
  );
  const desk = await startDesk(dataDir);
  expect(desk.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/api$/);
  const log = logOf(dataDir);
  expect(log).toContain('unknown key api.prot is ignored; did you mean port?');
  expect(log).toContain('config.toml is open to other users of this machine (mode 0644); make it 0600');
});

it('a console attaches to a desk that runs, whatever its configuration says by now', async () => {
  const dataDir = folderWith('');
  await startDesk(dataDir);
  writeFileSync(join(dataDir, 'config.toml'), '[api]\nport = "broken"\n');
  const link = await reachDesk(dataDir, () => deskOptions({}, dataDir), systemClock);
  expect(link.hosting).toBe(false);
  (await link.connect()).close();
});

it.each<[string, string, RegExp]>([
  ['a wrong value', '[api]\nport = "x"\n', /config\.toml: api\.port cannot be "x": it takes a whole number/],
  ['no TOML', '[api\n', /config\.toml is not TOML at line 1, column \d+: /],
  ['half of TLS', '[api]\ntls_cert = "c.pem"\n', /TLS needs two files: a certificate is given/],
  [
    'files that are not there',
    '[api]\ntls_cert = "c.pem"\ntls_key = "k.pem"\n',
    /the certificate file .*\/data\/c\.pem cannot be read \(ENOENT\)/,
  ],
  [
    'the whole network without TLS',
    '[api]\nhost = "0.0.0.0"\n',
    /the API does not listen on 0\.0\.0\.0 without TLS/,
  ],
])('a start is refused with one sentence and exit code 2: %s', async (_what, config, sentence) => {
  const dataDir = folderWith(config);
  const { code, stdout, stderr } = await runMain(['serve', '--data-dir', dataDir, '--port', '0']);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^outcry: [^\n]+\n$/);
  expect(stderr).toMatch(sentence);
  expect(code).toBe(2);
});

it('an expired certificate is named, whoever gave it', async () => {
  const now = Date.now();
  const expired = makeCertificate({ from: now - 2 * DAY_MS, to: now - DAY_MS });
  const { certFile, keyFile } = writeCertificate(temporaryFolder(), expired);
  const dataDir = join(temporaryFolder(), 'data');
  const args = ['serve', '--data-dir', dataDir, '--port', '0', '--tls-cert', certFile, '--tls-key', keyFile];
  const { code, stderr } = await runMain(args);
  expect(stderr).toMatch(/^outcry: the certificate in .*cert\.pem expired on .*; renew it\n$/);
  expect(code).toBe(2);
});
