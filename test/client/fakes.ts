/** A service that answers from a list, and ports without real time. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { createClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import type { Transport, WireRequest, WireResponse } from '../../src/client/transport.ts';

export const NOW = 1_760_000_000_000;

export const success = (data: unknown): WireResponse => ({
  status: 200,
  headers: {},
  text: JSON.stringify({ data, meta: { requestId: 'r', timestamp: NOW, version: '2.0.0' } }),
});

export const failure = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): WireResponse => ({
  status,
  headers,
  text: JSON.stringify({ error: { code, status, message: `it says ${code}` }, meta: { requestId: 'r-1' } }),
});

/** A client with its own key whose transport gives these answers in turn, then repeats the last one. */
export function clientWith(answers: (WireResponse | Error)[], options: Partial<ClientOptions> = {}) {
  const sent: WireRequest[] = [];
  const slept: number[] = [];
  let now = NOW;
  let uuids = 0;
  const transport: Transport = {
    async send(request) {
      sent.push(request);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (!answer || answer instanceof Error) throw answer ?? new Error('no answer planned');
      return answer;
    },
    async close() {},
  };
  const privateKey = createPrivateKey(
    generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
  );
  const client = createClient({
    baseUrl: 'http://desk.test/api',
    key: { privateKey },
    transport,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
    random: () => 0.5,
    uuid: () => `uuid-${++uuids}`,
    ...options,
  });
  return { client, sent, slept, setNow: (time: number) => (now = time) };
}
