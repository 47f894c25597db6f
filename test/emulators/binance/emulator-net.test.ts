/**
 * The virtual network: in order and exact without faults; with faults every request ends, and the emulator
 * knows what was executed.
 */
import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { Dice } from '../../simulation/dice.ts';
import { EmulatorNet, type NetFaults } from './emulator-net.ts';
import { socketPayload, TEST_KEY } from './keys.ts';
import { testEmulator } from './support.ts';

const EVERYTHING: NetFaults = {
  delayMs: [1, 80],
  unsent: 0.05,
  requestLost: 0.05,
  answerLost: 0.05,
  executedUnknown: 0.05,
  failed: 0.05,
  htmlPage: 0.05,
  limited: 0.02,
  lateAnswer: [0, 300],
  cutEveryMs: 2_000,
  duplicate: 0.1,
  swapped: 0.1,
  stall: [100, 2_000],
  messageLost: 0.02,
};

async function play(seed: number, faults: NetFaults) {
  const { emulator, clock, log } = testEmulator({}, seed);
  const struck = new Map<string, number>();
  const net = new EmulatorNet({
    emulator,
    clock,
    dice: new Dice(seed, 'net'),
    faults,
    struck: (fault) => void struck.set(fault, (struck.get(fault) ?? 0) + 1),
  });
  const events: string[] = [];
  const connect = () => {
    const socket = net.socket(
      { url: 'wss://ws-api.example/ws-api/v3', timeoutMs: 5_000, bytesMax: 1_000_000 },
      {
        opened: () => {
          const params: Record<string, unknown> = { apiKey: TEST_KEY.apiKey, timestamp: emulator.now() };
          params.signature = createHmac('sha256', TEST_KEY.secret)
            .update(socketPayload(params))
            .digest('hex');
          socket.send(JSON.stringify({ id: 1, method: 'userDataStream.subscribe.signature', params }));
        },
        message: (text) => events.push(text),
        pinged: () => {},
        closed: () => void clock.after(50, connect),
      },
    );
  };
  connect();
  await clock.advance(100);
  const answers: string[] = [];
  for (let i = 0; i < 200; i++) {
    const query = `symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.0010&newClientOrderId=n${i}&timestamp=${emulator.now()}`;
    const signature = createHmac('sha256', TEST_KEY.secret).update(query).digest('hex');
    void net
      .request({
        origin: 'https://api.example',
        method: 'POST',
        path: `/api/v3/order?${query}&signature=${signature}`,
        headers: { 'X-MBX-APIKEY': TEST_KEY.apiKey },
        timeoutMs: 3_000,
        bytesMax: 1_000_000,
      })
      .then((answer) => answers.push(answer.kind === 'answer' ? `${answer.status}` : answer.kind));
    await clock.advance(250);
  }
  await clock.advance(5_000);
  return { answers, events, struck, fills: log.filter(({ kind }) => kind === 'fill').length };
}

it('loses nothing without faults, and tells every fill once', async () => {
  const { answers, events, fills } = await play(1, {});
  expect(new Set(answers)).toEqual(new Set(['200']));
  expect(events.filter((text) => text.includes('"x":"TRADE"'))).toHaveLength(fills);
});

it('strikes with every fault, ends every request, and says no executed order was refused', async () => {
  const { answers, struck, fills } = await play(7, EVERYTHING);
  expect(answers).toHaveLength(200);
  const names = [
    'unsent',
    'request lost',
    'answer lost',
    'executed, status unknown',
    'failed, not executed',
    'HTML page',
    'limited',
    'late answer',
    'socket cut',
    'message twice',
    'messages swapped',
    'message lost',
  ];
  for (const name of names) expect([name, struck.has(name)]).toEqual([name, true]);
  const told = answers.filter((answer) => answer === '200').length;
  const hidden = (struck.get('answer lost') ?? 0) + (struck.get('executed, status unknown') ?? 0);
  expect(fills).toBeGreaterThan(told - (struck.get('HTML page') ?? 0) - 1);
  expect(fills).toBeLessThanOrEqual(told + hidden);
});

it('replays bit by bit from its seed', async () => {
  const [one, two] = [await play(3, EVERYTHING), await play(3, EVERYTHING)];
  expect(one).toEqual(two);
});
