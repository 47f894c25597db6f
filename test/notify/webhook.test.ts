/**
 * Webhooks against real servers on loopback. Signatures are computed a second time, from the definition of
 * HMAC.
 */
import { createHash } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTargets } from '../../src/notify/index.ts';
import type { Sent } from '../../src/notify/target.ts';
import { Webhook } from '../../src/notify/webhook.ts';
import { makeCertificate } from '../support/certificate.ts';
import { ALERT, closing, FINAL, NOW, openReceiver, PASSING, type Receiver, sending } from './receiver.ts';

const SECRET = 'a-secret-of-the-test-0123456789';
const PATH = '/hooks/T0/B1/path-secret?token=query-secret';

let hook: Receiver;
beforeEach(async () => {
  hook = await openReceiver();
});

function webhook(url = hook.url + PATH, secret: string | undefined = SECRET): Webhook {
  return closing(new Webhook({ type: 'webhook', name: 'hook', url, secret }));
}

/** HMAC by RFC 2104, computed by hand. */
function hmacSha256(secret: string, text: string): string {
  const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const raw = Buffer.from(secret);
  const key = Buffer.alloc(64);
  (raw.length > 64 ? sha256(raw) : raw).copy(key);
  const padded = (byte: number) => Buffer.from(key.map((one) => one ^ byte));
  return sha256(padded(0x5c), sha256(padded(0x36), Buffer.from(text))).toString('hex');
}

function failure(sent: Sent): Extract<Sent, { ok: false }> {
  if (sent.ok) throw new Error('it was taken');
  return sent;
}

describe('a webhook', () => {
  it('is sent the alert as one JSON object', async () => {
    expect(await webhook().send(ALERT, sending())).toEqual({ ok: true });
    const [request] = hook.received;
    expect(request).toMatchObject({ method: 'POST', url: PATH });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-outcry-delivery': ALERT.id,
      'x-outcry-timestamp': String(NOW),
    });
    expect(JSON.parse(request?.body ?? '')).toEqual(ALERT);
    expect(Object.keys(JSON.parse(request?.body ?? ''))).toEqual(Object.keys(ALERT));
  });

  it.each([SECRET, 'x'.repeat(64), 'y'.repeat(200)])(
    'signs time and body with its secret: %s',
    async (secret) => {
      await webhook(hook.url, secret).send(ALERT, sending());
      const [request] = hook.received;
      expect(request?.headers['x-outcry-signature']).toBe(
        `sha256=${hmacSha256(secret, `${NOW}.${request?.body}`)}`,
      );
    },
  );

  it('signs nothing without a secret, and a price may be missing', async () => {
    const plain = closing(new Webhook({ type: 'webhook', name: 'hook', url: hook.url }));
    await plain.send({ ...ALERT, price: null }, sending());
    expect(hook.received[0]?.headers['x-outcry-signature']).toBeUndefined();
    expect(JSON.parse(hook.received[0]?.body ?? '').price).toBeNull();
  });

  it('sends nothing but the fields that are documented', async () => {
    await webhook().send({ ...ALERT, user: 'owner', deliveries: [] } as typeof ALERT, sending());
    expect(JSON.parse(hook.received[0]?.body ?? '')).toEqual(ALERT);
  });

  it('is made of its options by name', async () => {
    const targets = createTargets([{ type: 'webhook', name: 'ops', url: hook.url }]);
    await closing(targets.get('ops') as Webhook).send(ALERT, sending());
    expect(hook.received).toHaveLength(1);
  });
});

describe('an answer of a webhook', () => {
  it.each([200, 201, 202, 204, 299])('%i is an arrival', async (status) => {
    hook.answer(status);
    expect(await webhook().send(ALERT, sending())).toEqual({ ok: true });
  });

  it.each(FINAL)('%i ends the delivery', async (status) => {
    hook.answer(status);
    const { reason, retryable } = failure(await webhook().send(ALERT, sending()));
    expect(retryable).toBe(false);
    expect(reason).toMatch(new RegExp(`^HTTP ${status}(, redirects are not followed)?$`));
  });

  it.each(PASSING)('%i is tried again', async (status) => {
    hook.answer(status);
    expect(await webhook().send(ALERT, sending())).toEqual({
      ok: false,
      reason: `HTTP ${status}`,
      retryable: true,
      retryAfterMs: null,
    });
  });

  it.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const other = await openReceiver();
    hook.answer(status, { location: other.url });
    expect(failure(await webhook().send(ALERT, sending()))).toMatchObject({
      reason: `HTTP ${status}, redirects are not followed`,
      retryable: false,
    });
    expect(other.received).toEqual([]);
    expect(hook.received).toHaveLength(1);
  });

  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    [new Date(NOW + 90_000).toUTCString(), 90_000],
    [new Date(NOW - 90_000).toUTCString(), 0],
    ['soon', null],
    ['-5', null],
    ['2026-01-05', null],
    ['999999999999', null],
    ['1e3', null],
    ['', null],
  ])('with Retry-After %j asks to wait', async (header, waitMs) => {
    hook.answer(503, { 'retry-after': header });
    const { retryAfterMs } = failure(await webhook().send(ALERT, sending()));
    expect(retryAfterMs).toBe(waitMs);
  });

  it('that does not come in time is no answer', async () => {
    hook.answer(() => {});
    const abort = new AbortController();
    const sent = webhook().send(ALERT, sending(abort.signal));
    await hook.request(1);
    abort.abort();
    expect(await sent).toEqual({
      ok: false,
      reason: 'no answer within 10 s',
      retryable: true,
      retryAfterMs: null,
    });
  });

  it.each([
    [200, { ok: true }],
    [404, { ok: false, reason: 'HTTP 404', retryable: false }],
    [500, { ok: false, reason: 'HTTP 500', retryable: true }],
  ])('%i whose body never ends counts as it began', async (status, outcome) => {
    hook.answer((response) => response.writeHead(status).write('so far'));
    const heads = channel('undici:request:headers');
    const abort = new AbortController();
    const onHead = () => setImmediate(() => abort.abort());
    heads.subscribe(onHead);
    try {
      expect(await webhook().send(ALERT, sending(abort.signal))).toMatchObject(outcome);
    } finally {
      heads.unsubscribe(onHead);
    }
  });

  it.each([200, 503])('%i with a body without end is cut off', async (status) => {
    let written = 0;
    const cut = new Promise<void>((resolve) => {
      hook.answer((response) => {
        response.writeHead(status);
        const more = () => {
          while (response.write(Buffer.alloc(65_536))) written += 65_536;
        };
        response.on('drain', more);
        response.on('close', resolve);
        more();
      });
    });
    const sent = await webhook().send(ALERT, sending());
    expect(sent.ok).toBe(status === 200);
    await cut;
    // The operating system's loopback buffers, not a body without end.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('leaves its connection to the alerts that follow', async () => {
    const target = webhook();
    hook.answer((response) => response.end('ok'));
    for (let n = 0; n < 5; n++) expect(await target.send(ALERT, sending())).toEqual({ ok: true });
    expect(hook.sockets.size).toBeLessThan(5);
  });
});

/** A server that does not speak HTTP: it sends some bytes on each connection, and may close it. */
async function rawServer(onRequest: (socket: Socket) => void): Promise<{ url: string; close: () => void }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => onRequest(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

describe('trouble on the way', () => {
  const CERTIFICATE = 'the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)';
  const raw = async (onRequest: (socket: Socket) => void) => {
    const server = await rawServer(onRequest);
    try {
      return failure(await webhook(server.url + PATH).send(ALERT, sending()));
    } finally {
      server.close();
    }
  };

  it('is told in words of its own and tried again', async () => {
    const nobody = await rawServer(() => {});
    nobody.close();
    expect(failure(await webhook(nobody.url + PATH).send(ALERT, sending()))).toMatchObject({
      reason: 'the connection was refused',
      retryable: true,
    });
    expect(await raw((socket) => socket.destroy())).toMatchObject({
      reason: 'the connection was closed before an answer',
      retryable: true,
    });
    expect(await raw((socket) => socket.end('220 mail.example.org ESMTP\r\n'))).toMatchObject({
      reason: 'the answer is not HTTP',
      retryable: true,
    });
    const head = `HTTP/1.1 200 OK\r\n${'x-a: '.padEnd(60_000, 'a')}\r\n\r\n`;
    expect(await raw((socket) => socket.end(head))).toMatchObject({
      reason: 'the head of the answer is too long',
      retryable: true,
    });
    const secure = await openReceiver(makeCertificate({ names: ['127.0.0.1'] }));
    expect(failure(await webhook(secure.url + PATH).send(ALERT, sending()))).toMatchObject({
      reason: CERTIFICATE,
      retryable: true,
    });
    expect(secure.received).toEqual([]);
  });

  it('is not made worse by a target that is closed', async () => {
    const target = webhook();
    await target.close();
    expect(failure(await target.send(ALERT, sending()))).toMatchObject({ retryable: true });
  });
});

describe('proxies of the environment', () => {
  const NAMES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('are not used', async () => {
    const proxy = await openReceiver();
    for (const name of NAMES) process.env[name] = name.startsWith('NODE') ? '1' : proxy.url;
    expect(await webhook().send(ALERT, sending())).toEqual({ ok: true });
    expect(hook.received).toHaveLength(1);
    expect(proxy.sockets.size).toBe(0);
  });
});

describe('the secrets of a webhook', () => {
  it('are in nothing that can be printed, and in no reason', async () => {
    const target = webhook();
    const texts = [inspect(target, { depth: 9, showHidden: true }), JSON.stringify(target), String(target)];
    for (const status of [...FINAL, ...PASSING]) {
      hook.answer((response) => response.writeHead(status).end(`${SECRET} path-secret query-secret`));
      texts.push(JSON.stringify(await target.send(ALERT, sending())));
    }
    await target.close();
    texts.push(JSON.stringify(await target.send(ALERT, sending())));
    for (const text of texts) expect(text).not.toMatch(/path-secret|query-secret|a-secret-of|127\.0\.0\.1/);
  });

  it('are not sent in clear', async () => {
    await webhook().send(ALERT, sending());
    expect(JSON.stringify([hook.received[0]?.headers, hook.received[0]?.body])).not.toContain(SECRET);
  });
});
