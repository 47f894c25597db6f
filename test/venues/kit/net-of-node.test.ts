/**
 * The product's network over real sockets of this machine: which requests count as sent, and how a response
 * is read.
 */
import {
  createServer as createPlain,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTls } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcp,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import type { SocketEvents, SocketRefusal, WireAnswer, WireRequest } from '../../../src/venues/kit/net.ts';
import { NetOfNode } from '../../../src/venues/kit/net-of-node.ts';
import { makeCertificate } from '../../support/certificate.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listening<S extends Server | TcpServer>(server: S): Promise<{ server: S; port: number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { server, port: (server.address() as AddressInfo).port };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serving(handler: Handler): Promise<string> {
  const { port } = await listening(createPlain(handler));
  return `http://127.0.0.1:${port}`;
}

function netOf(options: ConstructorParameters<typeof NetOfNode>[0] = {}): NetOfNode {
  const net = new NetOfNode(options);
  ends.push(() => net.close());
  return net;
}

function asked(origin: string, more: Partial<WireRequest> = {}): WireRequest {
  return { origin, method: 'GET', path: '/time', headers: {}, timeoutMs: 5_000, bytesMax: 1_000, ...more };
}

function kindOf(answer: WireAnswer): string {
  return answer.kind === 'answer' ? `${answer.status} ${answer.body}` : `${answer.kind}: ${answer.cause}`;
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a request', () => {
  it('goes out as it is written, and its answer is read with its headers', async () => {
    const heard: unknown[] = [];
    const origin = await serving((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        heard.push(request.method, request.url, request.headers['x-key'], body);
        response.setHeader('X-MBX-USED-WEIGHT-1M', '12');
        response.statusCode = 400;
        response.end('{"code":-1}');
      });
    });
    const answer = await netOf().request(
      asked(origin, { method: 'POST', path: '/order?a=%E5%B8%81', headers: { 'X-Key': 'k' }, body: 'b=1' }),
    );
    expect(heard).toEqual(['POST', '/order?a=%E5%B8%81', 'k', 'b=1']);
    expect(answer).toMatchObject({ kind: 'answer', status: 400, body: '{"code":-1}' });
    expect(answer.kind === 'answer' && answer.headers['x-mbx-used-weight-1m']).toBe('12');
  });

  it('uses connections again', async () => {
    const ports = new Set<number | undefined>();
    const origin = await serving((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    const net = netOf();
    for (let i = 0; i < 10; i += 1) expect(kindOf(await net.request(asked(origin)))).toBe('200 ok');
    // The next request may come before the first connection is free again.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('is not sent on where the answer says another place', async () => {
    let count = 0;
    const origin = await serving((_request, response) => {
      count += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(kindOf(await netOf().request(asked(origin)))).toBe('307 ');
    expect(count).toBe(1);
  });

  it('that found nobody has not left', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    expect(kindOf(await netOf().request(asked(origin)))).toBe('unsent: the connection was refused');
  });

  it('does not leave without TLS for another machine', async () => {
    expect(kindOf(await netOf().request(asked('http://192.0.2.1')))).toMatch(
      /^unsent: 192\.0\.2\.1 would be spoken to without TLS/,
    );
  });

  it('does not leave where the certificate is not trusted, and does where it is', async () => {
    const made = makeCertificate({ names: ['localhost', '127.0.0.1'] });
    const { port } = await listening(createTls(made, (_request, response) => response.end('safe')));
    const origin = `https://localhost:${port}`;
    expect(kindOf(await netOf().request(asked(origin)))).toMatch(/^unsent: the certificate is not trusted/);
    expect(kindOf(await netOf({ ca: made.cert }).request(asked(origin)))).toBe('200 safe');
  });

  it('does not leave where the certificate is for another host', async () => {
    const made = makeCertificate({ names: ['example.com'] });
    const { port } = await listening(createTls(made, (_request, response) => response.end('safe')));
    expect(kindOf(await netOf({ ca: made.cert }).request(asked(`https://localhost:${port}`)))).toBe(
      'unsent: the certificate is for another host',
    );
  });

  it('whose connection ends before an answer may have arrived', async () => {
    let count = 0;
    const origin = await serving((request) => {
      count += 1;
      request.socket.destroy();
    });
    expect(kindOf(await netOf().request(asked(origin, { method: 'POST', body: 'x' })))).toBe(
      'lost: the connection was closed before an answer',
    );
    expect(kindOf(await netOf().request(asked(origin)))).toBe(
      'lost: the connection was closed before an answer',
    );
    expect(count).toBe(2);
  });

  it('whose answer stops half way may have arrived', async () => {
    const origin = await serving((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => request.socket.destroy());
    });
    expect(kindOf(await netOf().request(asked(origin)))).toMatch(/^lost: /);
  });

  it('without an answer in time may have arrived, and one that was still connecting has not left', async () => {
    const origin = await serving(() => {});
    expect(kindOf(await netOf().request(asked(origin, { timeoutMs: 30 })))).toBe(
      'lost: no answer within 0.03 s',
    );
    let arrived = 0;
    const { port } = await listening(createTcp((socket) => socket.on('data', () => (arrived += 1))));
    // A proxy that accepts the connection and sends nothing: there is no connection to the exchange.
    const net = netOf({ env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
    expect(kindOf(await net.request(asked('https://api.example', { timeoutMs: 30 })))).toBe(
      'unsent: no answer within 0.03 s',
    );
    expect(arrived).toBeLessThanOrEqual(1);
  });

  it('with an answer that is too long has none', async () => {
    const origin = await serving((_request, response) => response.end('x'.repeat(1_001)));
    expect(kindOf(await netOf().request(asked(origin)))).toBe('lost: the answer is longer than 1000 bytes');
  });

  it('with an answer that is too long only when it is unpacked has none either', async () => {
    const packed = gzipSync('x'.repeat(1_000_000));
    const origin = await serving((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    expect(kindOf(await netOf().request(asked(origin, { bytesMax: 100_000 })))).toBe(
      'lost: the answer is longer than 100000 bytes',
    );
    const whole = await netOf().request(asked(origin, { bytesMax: 1_000_000 }));
    expect(whole.kind === 'answer' && whole.body.length).toBe(1_000_000);
  });

  it('goes by the proxy of the environment, which sees the host and no more', async () => {
    const made = makeCertificate({ names: ['exchange.example'] });
    const { port } = await listening(createTls(made, (_request, response) => response.end('through')));
    const targets: string[] = [];
    const proxy = createPlain();
    proxy.on('connect', (request, socket) => {
      targets.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    const { port: proxyPort } = await listening(proxy);
    const env = { https_proxy: `http://me:pass@127.0.0.1:${proxyPort}`, NO_PROXY: 'other.example' };
    const net = netOf({ env, ca: made.cert });
    expect(kindOf(await net.request(asked('https://exchange.example')))).toBe('200 through');
    const login = `Basic ${Buffer.from('me:pass').toString('base64')}`;
    expect(targets).toEqual([`exchange.example:443 ${login}`]);
    // Addresses of this machine need no proxy.
    const here = await serving((_request, response) => response.end('here'));
    expect(kindOf(await net.request(asked(here)))).toBe('200 here');
  });

  it('that its proxy refuses has not left', async () => {
    const proxy = createPlain((_request, response) => response.end());
    proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const { port } = await listening(proxy);
    const net = netOf({ env: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
    expect(kindOf(await net.request(asked('https://exchange.example')))).toBe(
      'unsent: the proxy of HTTPS_PROXY has refused the connection (403)',
    );
  });

  it('does not leave where the proxy of the environment is none, but for this machine', async () => {
    const net = netOf({ env: { HTTPS_PROXY: 'socks5://127.0.0.1:1' } });
    expect(kindOf(await net.request(asked('https://exchange.example')))).toBe(
      'unsent: HTTPS_PROXY is no address of a proxy; it is written http://host:port',
    );
    const here = await serving((_request, response) => response.end('here'));
    expect(kindOf(await net.request(asked(here)))).toBe('200 here');
  });
});

/** Records a socket's events as words; resolves when `until` has occurred. */
function told(until: string) {
  const words: string[] = [];
  let resolve: () => void = () => {};
  const done = new Promise<void>((to) => (resolve = to));
  const say = (word: string) => {
    words.push(word);
    if (word.startsWith(until)) resolve();
  };
  const events: SocketEvents = {
    opened: () => say('opened'),
    message: (text) => say(`message ${text}`),
    pinged: () => say('pinged'),
    closed: (cause) => say(`closed: ${cause}`),
  };
  return { words, events, done };
}

describe('a socket', () => {
  async function socketServer(onSocket: (socket: import('ws').WebSocket) => void) {
    const server = new WebSocketServer({ noServer: true, perMessageDeflate: true });
    const http = createPlain();
    http.on('upgrade', (request, socket, head) =>
      request.url === '/refused'
        ? socket.end('HTTP/1.1 451 Unavailable\r\nRetry-After: 7\r\ncontent-length: 0\r\n\r\n')
        : server.handleUpgrade(request, socket, head, onSocket),
    );
    const { port } = await listening(http);
    return `ws://127.0.0.1:${port}`;
  }

  it('tells messages and pings, and takes messages until it is closed', async () => {
    const back = told('message');
    const origin = await socketServer((socket) => {
      expect(socket.extensions).toBe('');
      socket.on('message', (data) => back.events.message(String(data)));
      socket.send('hello');
      socket.ping();
    });
    const { words, events, done } = told('pinged');
    const socket = netOf().socket({ url: `${origin}/ws`, timeoutMs: 2_000, bytesMax: 100 }, events);
    expect(socket.send('too early')).toBe(false);
    await done;
    expect(words).toEqual(['opened', 'message hello', 'pinged']);
    expect(socket.send('subscribe')).toBe(true);
    await back.done;
    expect(back.words).toEqual(['message subscribe']);
    socket.close();
    expect(socket.send('too late')).toBe(false);
  });

  it.each([
    [
      'a message that is too long',
      (socket: import('ws').WebSocket) => socket.send('x'.repeat(101)),
      'closed: a message is too long',
    ],
    [
      'a message that is no text',
      (socket: import('ws').WebSocket) => socket.send(Buffer.from([1])),
      'closed: a message is no text',
    ],
    [
      'the end of the other side',
      (socket: import('ws').WebSocket) => socket.close(1001),
      'closed: the other side closed it (1001)',
    ],
  ])('ends by %s', async (_, act, cause) => {
    const origin = await socketServer(act);
    const { words, events, done } = told('closed');
    netOf().socket({ url: `${origin}/ws`, timeoutMs: 2_000, bytesMax: 100 }, events);
    await done;
    expect(words).toEqual(['opened', cause]);
  });

  it('that is refused, or finds nobody, was never open', async () => {
    const origin = await socketServer(() => {});
    const refused = told('closed');
    let refusal: SocketRefusal | undefined;
    const events: SocketEvents = {
      ...refused.events,
      closed: (cause, how) => {
        refusal = how;
        refused.events.closed(cause);
      },
    };
    netOf().socket({ url: `${origin}/refused`, timeoutMs: 2_000, bytesMax: 100 }, events);
    await refused.done;
    expect(refusal).toMatchObject({ status: 451, headers: { 'retry-after': '7' } });
    expect(refused.words).toEqual(['closed: the socket was refused (HTTP 451)']);
    const nobody = told('closed');
    netOf().socket(
      { url: `ws://127.0.0.1:${await freePort()}`, timeoutMs: 2_000, bytesMax: 100 },
      nobody.events,
    );
    await nobody.done;
    expect(nobody.words).toEqual(['closed: the connection was refused']);
  });

  it('without TLS is made to this machine only', async () => {
    const { words, events, done } = told('closed');
    netOf().socket({ url: 'ws://192.0.2.1/ws', timeoutMs: 2_000, bytesMax: 100 }, events);
    await done;
    expect(words[0]).toMatch(/^closed: 192\.0\.2\.1 would be spoken to without TLS/);
  });
});
