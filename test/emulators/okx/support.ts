/** For tests: an emulator on a virtual clock and a small client that signs as an adapter must. */
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { SocketSession } from '../kit/wire.ts';
import { OkxEmulator } from './emulator.ts';
import { type EmulatorKey, signOf, TEST_KEY } from './keys.ts';
import type { EmulatorSettings } from './settings.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows is there
  readonly body: any;
}

export function randomOf(seed: number) {
  const dice = new Dice(seed, 'emulator');
  return { id: (length: number) => dice.id(length), next: () => dice.next() };
}

export interface Opened {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly messages: any[];
  readonly session: SocketSession;
  readonly closes: string[];
  /** Sends an operation. */
  op(op: string, ...args: Record<string, string>[]): void;
  /** Rows of a channel so far. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  rows(channel: string): any[];
}

export function testEmulator(
  settings: EmulatorSettings = {},
  seed = 1,
  clock = new VirtualClock(Date.UTC(2026, 10, 25, 12, 0, 0)),
) {
  const log: Record<string, unknown>[] = [];
  const emulator = new OkxEmulator({ clock, random: randomOf(seed), settings, log: (row) => log.push(row) });

  const ask = (method: string, path: string, headers: Record<string, string> = {}, body = ''): Answered => {
    const answer = emulator.request({ method, path, headers, body });
    return { ...answer, body: answer.body.startsWith('<') ? answer.body : JSON.parse(answer.body) };
  };
  const headersOf = (
    method: string,
    path: string,
    body: string,
    key: EmulatorKey = TEST_KEY,
  ): Record<string, string> => {
    const timestamp = new Date(emulator.now()).toISOString();
    return {
      'ok-access-key': key.apiKey,
      'ok-access-passphrase': key.passphrase,
      'ok-access-timestamp': timestamp,
      'ok-access-sign': signOf(key.secret, timestamp + method + path + body),
      'content-type': 'application/json',
    };
  };
  const get = (path: string, params: Record<string, string> = {}): Answered => {
    const query = new URLSearchParams(params).toString();
    const whole = query === '' ? path : `${path}?${query}`;
    return ask('GET', whole, headersOf('GET', whole, ''));
  };
  const post = (path: string, body: unknown, more: Record<string, string> = {}): Answered => {
    const text = JSON.stringify(body);
    return ask('POST', path, { ...headersOf('POST', path, text), ...more }, text);
  };
  /** The first row of an answer. */
  const row = (answer: Answered) => answer.body.data[0];
  const order = (params: Record<string, unknown>) => row(post('/api/v5/trade/order', params));

  const socket = (address: 'public' | 'private' | 'business', isLoggedIn = false): Opened => {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const messages: any[] = [];
    const closes: string[] = [];
    const session = emulator.connect(`/ws/v5/${address}`, {
      message: (text) => messages.push(text === 'pong' ? text : JSON.parse(text)),
      ping: () => {},
      close: (code, reason) => closes.push(`${code} ${reason}`),
    });
    if (!session) throw new Error(`no socket at ${address}`);
    const op = (name: string, ...args: Record<string, string>[]) =>
      session.message(JSON.stringify({ op: name, args }));
    if (isLoggedIn) op('login', loginArg());
    const rows = (channel: string) =>
      messages
        .filter((message) => message.arg?.channel === channel && message.data)
        .flatMap(({ data }) => data);
    return { messages, session, closes, op, rows };
  };
  const loginArg = (key: EmulatorKey = TEST_KEY): Record<string, string> => {
    const timestamp = String(Math.floor(emulator.now() / 1000));
    return {
      apiKey: key.apiKey,
      passphrase: key.passphrase,
      timestamp,
      sign: signOf(key.secret, `${timestamp}GET/users/self/verify`),
    };
  };
  return { emulator, clock, log, ask, headersOf, get, post, row, order, socket, loginArg };
}
