/**
 * Opens connections to hosts: with TLS except on this machine, through the proxy of the environment where
 * there is one. Before a connection is made not a byte of a request can have left.
 */
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { isLoopback } from '../../domain/connection.ts';
import { NetProblem, wordsOf } from './net-words.ts';

/** The timeout of one attempt, ms. */
const CONNECT_MS = 10_000;

export interface DialOptions {
  /** `HTTPS_PROXY`, `NO_PROXY` and the same in lower case; left out: there is no proxy. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A certificate authority that is trusted beside the usual ones, PEM. */
  readonly ca?: string;
}

export type Dialed = (error: Error | null, socket: Socket | null) => void;

/**
 * Connects to an origin: `https:` or `wss:`; `http:` or `ws:` on this machine only. The socket returned can
 * be written to.
 */
export type Dial = (origin: string, dialed: Dialed) => void;

/**
 * Makes the function that connects. Where the environment names a proxy that is not valid, every connection
 * beyond this machine fails with that reason.
 */
export function dialer({ env = {}, ca }: DialOptions): Dial {
  const connector = buildConnector({
    timeout: CONNECT_MS,
    allowH2: false,
    autoSelectFamily: true,
    ...(ca === undefined ? {} : { ca }),
  });
  const proxy = proxyOf(env);
  const connect = (url: URL, isTls: boolean, dialed: Dialed, httpSocket?: Socket) => {
    // An IPv6 address without its brackets.
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? (isTls ? '443' : '80') : url.port;
    const protocol = isTls ? 'https:' : 'http:';
    connector({ hostname, host: url.host, protocol, port, ...(httpSocket ? { httpSocket } : {}) }, dialed);
  };
  return (origin, dialed) => {
    const url = new URL(origin);
    const isTls = url.protocol === 'https:' || url.protocol === 'wss:';
    const isHere = isLoopback(origin);
    if (!isTls && !isHere) {
      dialed(
        new NetProblem(`${url.host} would be spoken to without TLS, which is done on this machine only`),
        null,
      );
      return;
    }
    if (isHere || proxy === null || proxy.leavesOut(url)) {
      connect(url, isTls, dialed);
      return;
    }
    if (proxy.url === null) {
      dialed(new NetProblem('HTTPS_PROXY is no address of a proxy; it is written http://host:port'), null);
      return;
    }
    tunnel(proxy.url, url, (error, socket) => {
      if (error || !socket) dialed(error, null);
      else connect(url, isTls, dialed, socket);
    });
  };
}

interface Proxy {
  /** Null: the text is not the address of a proxy. */
  readonly url: URL | null;
  leavesOut(url: URL): boolean;
}

function proxyOf(env: NonNullable<DialOptions['env']>): Proxy | null {
  const text = env.HTTPS_PROXY || env.https_proxy || '';
  if (text === '') return null;
  const parsed = URL.canParse(text) ? new URL(text) : null;
  const url = parsed && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '' ? parsed : null;
  const exceptions = (env.NO_PROXY || env.no_proxy || '')
    .split(/[,\s]+/)
    .map((one) =>
      one
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .filter((one) => one !== '');
  return {
    url,
    leavesOut: ({ hostname, host }) =>
      exceptions.some(
        (one) => one === '*' || one === host || one === hostname || hostname.endsWith(`.${one}`),
      ),
  };
}

/** Opens a tunnel through a proxy (CONNECT). The proxy sees the host, and nothing of the traffic. */
function tunnel(proxy: URL, { hostname, port }: URL, dialed: Dialed): void {
  const target = `${hostname}:${port === '' ? '443' : port}`;
  const login = decodeURIComponent(proxy.username);
  const authorization = `Basic ${Buffer.from(`${login}:${decodeURIComponent(proxy.password)}`).toString('base64')}`;
  const isTls = proxy.protocol === 'https:';
  const request = (isTls ? tlsRequest : plainRequest)({
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port === '' ? (isTls ? 443 : 80) : Number(proxy.port),
    path: target,
    headers: { host: target, ...(login === '' ? {} : { 'proxy-authorization': authorization }) },
    agent: false,
    timeout: CONNECT_MS,
  });
  let isOver = false;
  const end: Dialed = (error, socket) => {
    if (isOver) return;
    isOver = true;
    dialed(error, socket);
  };
  request.on('connect', (answer, socket, head) => {
    if (answer.statusCode !== 200 || head.length > 0) {
      socket.destroy();
      end(new NetProblem(`the proxy of HTTPS_PROXY has refused the connection (${answer.statusCode})`), null);
      return;
    }
    end(null, socket as Socket);
  });
  request.on('response', (answer) => {
    request.destroy();
    end(new NetProblem(`the proxy of HTTPS_PROXY has refused the connection (${answer.statusCode})`), null);
  });
  request.on('timeout', () => request.destroy(new NetProblem('the proxy of HTTPS_PROXY gives no answer')));
  request.on('error', (error) =>
    end(new NetProblem(`the proxy of HTTPS_PROXY cannot be used: ${wordsOf(error)}`), null),
  );
  request.end();
}
