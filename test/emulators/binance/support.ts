/** For tests: an emulator on a virtual clock and a small client that signs as an adapter must. */
import { createHmac } from 'node:crypto';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { BinanceEmulator } from './emulator.ts';
import { socketPayload, TEST_KEY } from './keys.ts';
import type { EmulatorSettings } from './settings.ts';
import type { SocketSession } from './wire.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows is there
  readonly body: any;
}

export function randomOf(seed: number) {
  const dice = new Dice(seed, 'emulator');
  return {
    id: (length: number) =>
      Array.from({ length }, () => '0123456789abcdefghijklmnopqrstuv'[dice.int(0, 31)]).join(''),
    next: () => dice.next(),
  };
}

export function testEmulator(settings: EmulatorSettings = {}, seed = 1) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 25, 12, 0, 0));
  const log: Record<string, unknown>[] = [];
  const emulator = new BinanceEmulator({
    clock,
    random: randomOf(seed),
    settings,
    log: (row) => log.push(row),
  });
  const ask = (
    method: string,
    path: string,
    params: Record<string, string> = {},
    apiKey = TEST_KEY.apiKey,
  ): Answered => {
    const query = Object.entries(params)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const answer = emulator.request({
      method,
      path: query ? `${path}?${query}` : path,
      headers: { 'x-mbx-apikey': apiKey },
    });
    return { ...answer, body: answer.body.startsWith('<') ? answer.body : JSON.parse(answer.body) };
  };
  const signed = (method: string, path: string, params: Record<string, string> = {}): Answered => {
    const all = { ...params, timestamp: params.timestamp ?? String(emulator.now()) };
    const payload = Object.entries(all)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const signature = createHmac('sha256', TEST_KEY.secret).update(payload).digest('hex');
    return ask(method, path, { ...all, signature });
  };
  const socket = (
    path: string,
    answersPings = true,
    // biome-ignore lint/suspicious/noExplicitAny: as above
  ): { messages: any[]; session: SocketSession; closes: string[]; pings: number[] } => {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const messages: any[] = [];
    const closes: string[] = [];
    const pings: number[] = [];
    const session = emulator.connect(path, {
      message: (text) => messages.push(JSON.parse(text)),
      ping: () => {
        pings.push(emulator.now());
        if (answersPings) session?.ponged();
      },
      close: (code, reason) => closes.push(`${code} ${reason}`),
    });
    if (!session) throw new Error(`no socket at ${path}`);
    return { messages, session, closes, pings };
  };
  const userStream = () => {
    const opened = socket('/ws-api/v3');
    const params: Record<string, unknown> = { apiKey: TEST_KEY.apiKey, timestamp: emulator.now() };
    params.signature = createHmac('sha256', TEST_KEY.secret).update(socketPayload(params)).digest('hex');
    opened.session.message(JSON.stringify({ id: 1, method: 'userDataStream.subscribe.signature', params }));
    return opened;
  };
  return { emulator, clock, log, ask, signed, socket, userStream };
}
