import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiLimits } from '../../src/api/limits.ts';
import { type ApiOptions, type RunningApi, startApi } from '../../src/api/start-api.ts';
import { loadTls } from '../../src/api/tls.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { attackClass } from '../support/attacks.ts';
import { makeCertificate, pemOf, type TestCertificate, writeCertificate } from '../support/certificate.ts';
import { FakeDesk, order, Signer } from './support.ts';

const HANDSHAKES = attackClass('TLS: versions, ciphers, open key files');

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);

let folder: string;
let certificate: TestCertificate;
const running: RunningApi[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-tls-'));
  certificate = makeCertificate();
});
afterEach(async () => {
  for (const api of running.splice(0)) await api.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(limits: ApiLimits = {}, options: Partial<ApiOptions> = {}) {
  const desk = new FakeDesk();
  const tls = writeCertificate(folder, certificate);
  const api = await startApi(desk, {
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    tls,
    ...options,
    limits,
  });
  running.push(api);
  return { desk, api };
}

/** A connection that has completed its handshake. */
async function shake(api: RunningApi, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: api.port, ca: certificate.cert, ...options });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

describe('the API with a certificate', () => {
  // proves: D46, S28
  it('speaks https, and says so in its addresses', async () => {
    const { desk, api } = await start();
    expect(api.url).toBe(`https://127.0.0.1:${api.port}/api`);
    expect(api.wsUrl).toBe(`wss://127.0.0.1:${api.port}/api/v2/ws`);
    const signer = new Signer();
    desk.addKey(signer.keyId);
    const body = order();
    const headers = {
      ...signer.headers('POST', '/api/v2/orders', body),
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    };
    const status = await new Promise((resolve, reject) => {
      const ca = certificate.cert;
      const req = request(`${api.url}/v2/orders`, { method: 'POST', headers, ca, agent: false }, (res) => {
        res.resume().on('end', () => resolve(res.statusCode));
      });
      req.on('error', reject).end(body);
    });
    expect(status).toBe(200);
    expect(desk.commands).toHaveLength(1);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('shakes hands over %s, with forward secrecy', async (version) => {
    const { api } = await start();
    const socket = await shake(api, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    expect(socket.getCipher().standardName).toMatch(/^TLS_(ECDHE_.*_(GCM|POLY1305)_|AES_|CHACHA20_)/);
    socket.destroy();
  });

  it.each<[string, ConnectionOptions]>([
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['a cipher without forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' }],
    [
      'a cipher without authentication of the bytes',
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' },
    ],
  ])(
    'shakes no hands over %s',
    HANDSHAKES.counts(async (_what, options) => {
      const { desk, api } = await start();
      await expect(shake(api, options)).rejects.toThrow();
      expect(desk.lines).toEqual([]);
    }),
  );

  it(
    'says nothing to a client that speaks plain HTTP, and goes on',
    HANDSHAKES.counts(async () => {
      const { api } = await start();
      const socket = connectTcp({ host: '127.0.0.1', port: api.port });
      let answer = '';
      socket.on('data', (data) => {
        answer += data;
      });
      socket.on('error', () => {});
      socket.write('GET /api/v2/server/time HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'close');
      expect(answer).not.toContain('HTTP/1.1');
      (await shake(api)).destroy();
    }),
  );

  it(
    'ends a handshake that does not come to its end in time',
    HANDSHAKES.counts(async () => {
      const { api } = await start({ handshakeTimeoutMs: 50 });
      const socket = connectTcp({ host: '127.0.0.1', port: api.port });
      socket.on('error', () => {});
      socket.write(Buffer.from([0x16, 0x03, 0x01]));
      await once(socket, 'close');
    }),
  );

  it('does not wait at its end for a handshake that has only begun', async () => {
    const { api } = await start({ closeGraceMs: 60_000, handshakeTimeoutMs: 60_000 });
    const socket = connectTcp({ host: '127.0.0.1', port: api.port });
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    // Once a later connection is accepted, the server has accepted this one, too.
    await once(socket, 'connect');
    (await shake(api)).destroy();
    await api.close();
    await closed;
  });

  it('bounds a slow request as without TLS', async () => {
    const { api } = await start({ headersTimeoutMs: 50, requestTimeoutMs: 50, checkIntervalMs: 10 });
    const socket = await shake(api);
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.write('GET /api/v2/server/time HTTP/1.1\r\nX-A');
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it(
    'negotiates nothing again on a connection',
    HANDSHAKES.counts(async () => {
      const { api } = await start();
      const socket = await shake(api, { maxVersion: 'TLSv1.2' });
      const ending = new Promise<string>((resolve) => {
        socket.on('data', () => resolve('answered'));
        socket.on('close', () => resolve('closed'));
      });
      socket.renegotiate({}, () => socket.write('GET /api/v2/server/time HTTP/1.1\r\nHost: a\r\n\r\n'));
      expect(await ending).toBe('closed');
      socket.destroy();
    }),
  );
});

describe('an address that is not loopback', () => {
  const HOST =
    'the API does not listen on 0.0.0.0 without TLS: give a certificate (--tls-cert, --tls-key), or name the proxy in front that has one (--trusted-proxy), or listen on a loopback address such as 127.0.0.1';

  // proves: D46
  it('needs TLS or a trusted proxy', async () => {
    const plain = start({}, { host: '0.0.0.0', tls: null });
    await expect(plain).rejects.toMatchObject({ name: 'ApiStartError', code: 'HOST', message: HOST });
    const empty = start({}, { host: '0.0.0.0', tls: null, trustedProxies: [] });
    await expect(empty).rejects.toMatchObject({ code: 'HOST' });
  });

  it('is listened on with TLS, and reached by its loopback one', async () => {
    const { api } = await start({}, { host: '0.0.0.0' });
    expect(api.url).toBe(`https://127.0.0.1:${api.port}/api`);
    (await shake(api)).destroy();
  });

  it('is listened on behind a trusted proxy', async () => {
    const { api } = await start({}, { host: '0.0.0.0', tls: null, trustedProxies: ['10.0.0.1'] });
    expect(api.url).toBe(`http://127.0.0.1:${api.port}/api`);
  });
});

describe('certificate files', () => {
  /** The message of a refusal; the files are what `write` leaves in the folder. */
  function refusal(write: (files: { certFile: string; keyFile: string }) => void): string {
    const files = writeCertificate(folder, makeCertificate({ from: NOW - DAY_MS, to: NOW + 60 * DAY_MS }));
    write(files);
    try {
      loadTls(files, NOW);
    } catch (error) {
      expect(error).toMatchObject({ name: 'ApiStartError', code: 'TLS' });
      expect((error as Error).message).not.toContain('\n');
      return (error as Error).message.replaceAll(`${folder}/`, '');
    }
    throw new Error('the files were taken');
  }
  const rewrite = (fields: Partial<TestCertificate>) => () => {
    writeCertificate(folder, { ...makeCertificate({ from: NOW - DAY_MS, to: NOW + DAY_MS }), ...fields });
  };
  const ed25519 = pemOf(generateKeyPairSync('ed25519').privateKey);
  const locked = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  }).privateKey;

  it.each<[string, (files: { certFile: string; keyFile: string }) => void, string]>([
    [
      'no certificate file',
      ({ certFile }) => rmSync(certFile),
      'the certificate file cert.pem cannot be read (ENOENT); it must be a PEM file',
    ],
    [
      'no key file',
      ({ keyFile }) => rmSync(keyFile),
      'the private key file key.pem cannot be read (ENOENT); it must be a PEM file',
    ],
    [
      'a folder',
      ({ certFile }) => {
        rmSync(certFile);
        mkdirSync(certFile);
      },
      'the certificate file cert.pem cannot be read (EISDIR); it must be a PEM file',
    ],
    [
      'a huge file',
      ({ keyFile }) => writeFileSync(keyFile, 'x'.repeat(1_048_577)),
      'the private key file key.pem is larger than 1 MiB; it must be a PEM file',
    ],
    ['text', rewrite({ cert: 'hello' }), 'cert.pem holds no certificate in PEM form'],
    ['nothing', rewrite({ cert: '' }), 'cert.pem holds no certificate in PEM form'],
    ['the key as certificate', rewrite({ cert: ed25519 }), 'cert.pem holds no certificate in PEM form'],
    ['text as key', rewrite({ key: 'hello' }), 'key.pem holds no private key in PEM form'],
    [
      'a key with a passphrase',
      rewrite({ key: locked }),
      'the private key in key.pem is locked with a passphrase; the API needs one without',
    ],
    [
      'a key of another certificate',
      rewrite({ key: makeCertificate().key }),
      'the private key in key.pem does not belong to the certificate in cert.pem',
    ],
    [
      'a key of another kind',
      rewrite({ key: ed25519 }),
      'the private key in key.pem does not belong to the certificate in cert.pem',
    ],
    [
      'an expired certificate',
      () => void writeCertificate(folder, makeCertificate({ from: NOW - 2 * DAY_MS, to: NOW - 1_000 })),
      'the certificate in cert.pem expired on 2025-12-31T23:59:59.000Z; renew it',
    ],
    [
      'one that is not valid yet',
      () => void writeCertificate(folder, makeCertificate({ from: NOW + 1_000, to: NOW + DAY_MS })),
      'the certificate in cert.pem is not valid before 2026-01-01T00:00:01.000Z',
    ],
  ])('are refused in one sentence that names the file: %s', (_what, write, sentence) => {
    expect(refusal(write)).toBe(sentence);
  });

  it('that are good are taken without a word', () => {
    const files = writeCertificate(folder, makeCertificate({ from: NOW - DAY_MS, to: NOW + 60 * DAY_MS }));
    const { context, warnings } = loadTls(files, NOW);
    expect(warnings).toEqual([]);
    // With today's ciphers alone, older versions would be refused anyway.
    expect(context.minVersion).toBe('TLSv1.2');
  });

  it.runIf(process.platform !== 'win32')(
    'warn of a key that other users can read',
    HANDSHAKES.counts(async () => {
      const files = writeCertificate(folder, certificate);
      chmodSync(files.keyFile, 0o644);
      const desk = new FakeDesk();
      running.push(
        await startApi(desk, { host: '127.0.0.1', port: 0, clock: systemClock, tls: files, limits: {} }),
      );
      expect(desk.lines).toEqual([
        {
          level: 'warn',
          text: `the private key file ${files.keyFile} is open to other users of this machine (mode 0644); make it 0600`,
        },
      ]);
    }),
  );

  it('warn of a certificate that ends soon', () => {
    const files = writeCertificate(folder, makeCertificate({ from: NOW - DAY_MS, to: NOW + 2.5 * DAY_MS }));
    expect(loadTls(files, NOW).warnings).toEqual([
      `the certificate in ${files.certFile} ends in 2 days, on 2026-01-03T12:00:00.000Z`,
    ]);
  });
});
