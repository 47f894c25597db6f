/** For tests: an emulator on a virtual clock and a small client that signs as an adapter must. */
import { createHmac } from 'node:crypto';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { SocketSession } from '../kit/wire.ts';
import { BybitEmulator } from './emulator.ts';
import { TEST_KEY } from './keys.ts';
import { loginSign } from './private-socket.ts';
import type { EmulatorSettings } from './settings.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly retCode: number;
  readonly retMsg: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows is there
  readonly result: any;
  readonly text: string;
}

export interface Signing {
  readonly apiKey?: string;
  readonly secret?: string;
  readonly timestamp?: string;
  readonly recvWindow?: string;
  readonly sign?: string;
  readonly ip?: string;
}

export function randomOf(seed: number) {
  const dice = new Dice(seed, 'emulator');
  return {
    id: (length: number) =>
      Array.from({ length }, () => '0123456789abcdefghijklmnopqrstuv'[dice.int(0, 31)]).join(''),
    next: () => dice.next(),
  };
}

export function testEmulator(
  settings: EmulatorSettings = {},
  seed = 1,
  clock = new VirtualClock(Date.UTC(2026, 10, 25, 12, 0, 0)),
) {
  const log: Record<string, unknown>[] = [];
  const emulator = new BybitEmulator({
    clock,
    random: randomOf(seed),
    settings,
    log: (row) => log.push(row),
  });

  const raw = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
    ip?: string,
  ): Answered => {
    const answer = emulator.request({ method, path, headers, body, ip });
    const parsed = answer.body.startsWith('{') ? JSON.parse(answer.body) : {};
    return { status: answer.status, headers: answer.headers, text: answer.body, ...parsed };
  };

  const signed = (method: string, path: string, payload: string, o: Signing = {}): Answered => {
    const { apiKey = TEST_KEY.apiKey, secret = TEST_KEY.secret, recvWindow = '5000', ip } = o;
    const timestamp = o.timestamp ?? String(emulator.now());
    const sign = createHmac('sha256', secret)
      .update(`${timestamp}${apiKey}${recvWindow}${payload}`)
      .digest('hex');
    const headers = {
      'x-bapi-api-key': apiKey,
      'x-bapi-timestamp': timestamp,
      'x-bapi-recv-window': recvWindow,
      'x-bapi-sign': o.sign ?? sign,
    };
    return method === 'GET'
      ? raw('GET', payload === '' ? path : `${path}?${payload}`, headers, undefined, ip)
      : raw('POST', path, headers, payload, ip);
  };

  const get = (path: string, params: Record<string, string> = {}, o: Signing = {}): Answered =>
    signed('GET', path, queryOf(params), o);
  const post = (path: string, body: Record<string, unknown>, o: Signing = {}): Answered =>
    signed('POST', path, JSON.stringify(body), o);
  const open = (path: string, params: Record<string, string> = {}): Answered =>
    raw('GET', `${path}?${queryOf(params)}`);

  const socket = (path: string) => {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const messages: any[] = [];
    const closes: string[] = [];
    const session = emulator.connect(path, {
      message: (text) => messages.push(JSON.parse(text)),
      ping: () => {},
      close: (code, reason) => closes.push(`${code} ${reason}`),
    });
    if (!session) throw new Error(`no socket at ${path}`);
    const say = (body: Record<string, unknown>) => session.message(JSON.stringify(body));
    return { messages, closes, session: session as SocketSession, say };
  };

  /** Opens a private socket, logged in, with all topics of the account. */
  const userStream = (
    topics: readonly string[] = ['order', 'execution', 'position', 'wallet'],
    query = '',
  ) => {
    const opened = socket(`/v5/private${query}`);
    const expires = emulator.now() + 10_000;
    opened.say({ op: 'auth', args: [TEST_KEY.apiKey, expires, loginSign(TEST_KEY.secret, expires)] });
    opened.say({ op: 'subscribe', args: topics });
    opened.messages.splice(0);
    /** Rows of one topic that have arrived since. */
    const rows = (topic: string) =>
      opened.messages.filter((message) => message.topic?.split('.')[0] === topic).flatMap(({ data }) => data);
    return { ...opened, rows };
  };

  return { emulator, clock, log, raw, signed, get, post, open, socket, userStream };
}

function queryOf(params: Record<string, string>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
