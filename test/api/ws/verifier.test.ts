/** Authentication by a verifier that is slow, or fails: the code around the session, with its own stream. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Connections } from '../../../src/api/connections.ts';
import { RateLimits } from '../../../src/api/rate-limits.ts';
import { SocketPlaces } from '../../../src/api/socket-places.ts';
import { serveStream } from '../../../src/api/ws/serve-stream.ts';
import type { Verdict } from '../../../src/api/ws/session.ts';
import { Stream } from '../../../src/api/ws/stream.ts';
import type { AuthVerifier } from '../../../src/api/ws/verify-auth.ts';
import { systemClock } from '../../../src/desk/hosting/transports/system-clock.ts';
import { compileServiceLimits } from '../../../src/domain/limits.ts';
import { accessKey, WsSigner } from './session-rig.ts';
import { TellingDesk } from './support.ts';

describe('a verifier that takes its time', () => {
  const signer = new WsSigner();

  /** A separate stream on a bare server. */
  async function withVerifier(
    verify: AuthVerifier,
    run: (ws: WebSocket, stream: Stream, desk: TellingDesk) => Promise<void>,
  ) {
    const desk = new TellingDesk();
    desk.addKey(signer.keyId, 'read');
    const limits = compileServiceLimits();
    const stream = new Stream({
      desk,
      clock: systemClock,
      limits: limits.stream,
      verify,
      failedLogins: { note: () => {} },
    });
    const rates = new RateLimits({ limits, clock: systemClock, report: () => {} });
    const server = createServer();
    serveStream(server, {
      stream,
      desk,
      rates,
      connections: new Connections(() => rates.takeAddress('127.0.0.1')),
      places: new SocketPlaces({
        perAddress: 10,
        firstByteMs: 60_000,
        trustedProxies: [],
        clock: systemClock,
        report: () => {},
      }),
      trustedProxies: [],
      allowedOrigins: [],
      headerCount: 64,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ws = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2/ws`);
    try {
      await run(ws, stream, desk);
    } finally {
      ws.terminate();
      await stream.close();
      server.close();
    }
  }

  /** Reads the next messages of a socket, as they come. */
  function reader(ws: WebSocket): () => Promise<{ op: string; id?: string; data?: { code?: string } }> {
    const waiting: unknown[] = [];
    let wake: () => void = () => {};
    ws.on('message', (data) => {
      waiting.push(JSON.parse(String(data)));
      wake();
    });
    return async () => {
      while (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return waiting.shift() as { op: string };
    };
  }

  const auth = (id: string) => JSON.stringify({ op: 'auth', id, args: signer.args('00', Date.now()) });

  // proves: ws-error AUTH_IN_PROGRESS
  it('is waited for, and other messages are answered meanwhile', async () => {
    let decide: (verdict: Verdict) => void = () => {};
    const verify = () =>
      new Promise<Verdict>((resolve) => {
        decide = resolve;
      });
    await withVerifier(verify, async (ws) => {
      const next = reader(ws);
      await next();
      ws.send(auth('a'));
      ws.send(auth('b'));
      ws.send('{"op":"ping"}');
      expect(await next()).toMatchObject({ op: 'error', id: 'b', data: { code: 'AUTH_IN_PROGRESS' } });
      expect((await next()).op).toBe('pong');
      decide({ ok: true, key: accessKey() });
      expect(await next()).toMatchObject({ op: 'auth', id: 'a' });
    });
  });

  it('ends with the key when that is revoked meanwhile', async () => {
    const never = new Promise<Verdict>(() => {});
    await withVerifier(
      () => never,
      async (ws, stream) => {
        const next = reader(ws);
        await next();
        ws.send(auth('a'));
        ws.send('{"op":"ping"}');
        await next();
        expect(stream.closeSocketsOf(signer.keyId)).toBe(1);
        expect(await next()).toMatchObject({ op: 'error', data: { code: 'KEY_REVOKED' } });
      },
    );
  });

  it('lets nobody in by a key that is not active any more when it has decided', async () => {
    let decide: (verdict: Verdict) => void = () => {};
    const verify = () =>
      new Promise<Verdict>((resolve) => {
        decide = resolve;
      });
    await withVerifier(verify, async (ws, _stream, desk) => {
      const next = reader(ws);
      await next();
      ws.send(auth('a'));
      ws.send('{"op":"ping"}');
      await next();
      desk.addKey(signer.keyId, 'read', 'owner', { revokedAt: 1 });
      decide({ ok: true, key: accessKey({ id: signer.keyId }) });
      expect(await next()).toMatchObject({ op: 'error', id: 'a', data: { code: 'INVALID_KEY' } });
      expect(desk.touched).toEqual([]);
    });
  });

  // proves: ws-error INTERNAL_ERROR
  it('and fails is an internal error, of which nothing is told', async () => {
    for (const verify of [
      () => {
        throw new Error('secret');
      },
      () => Promise.reject(new Error('secret')),
    ]) {
      await withVerifier(verify, async (ws) => {
        const next = reader(ws);
        await next();
        ws.send(auth('a'));
        const answer = await next();
        expect(answer).toMatchObject({ op: 'error', id: 'a', data: { code: 'INTERNAL_ERROR', op: 'auth' } });
        expect(JSON.stringify(answer)).not.toContain('secret');
      });
    }
  });
});
