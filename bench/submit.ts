/**
 * Time from the first byte of a signed order at the API to the first byte of its request at the exchange, one
 * order at a time, compared with bare node:http and undici with the same signatures and one durable commit.
 * Both use the same door to the same exchange.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SOAK_VENUES } from '../test/emulators/soak/venues.ts';
import { Helper } from './support/children.ts';
import { connected, Door, emulatorOfBench } from './support/exchange.ts';
import { type BenchResult, num } from './support/report.ts';
import { type BenchKey, signAll } from './support/signed-requests.ts';
import { inPairs, quantile, spread } from './support/stats.ts';

const ORDERS = 150;
const PAIRS = 7;
const GOAL = 1.5;
const WINDOW_MS = 11_000;
const HEAD_END = '\r\n\r\n';

export async function submit(): Promise<BenchResult> {
  const { emulator, folder } = await emulatorOfBench();
  const door = await Door.open(emulator.url, 'POST /api/v3/order');
  const rest = { 'spot-rest': door.url };
  const { program, desk, key } = await connected(emulator, folder, ['spot'], rest);
  const bare = new Helper(new URL('./support/bare-submit-helper.ts', import.meta.url));
  try {
    const file = join(folder, 'bare.db');
    const barePort = await bare.ask<number>('serve', {
      keyId: key.id,
      file,
      exchange: door.url,
      apiKey: SOAK_VENUES.binance?.apiKey ?? '',
      secret: SOAK_VENUES.binance?.secret ?? '',
    });
    // After a start the desk assumes that a full window of orders was used.
    await setTimeout(WINDOW_MS);
    const prices = (await emulator.tell('prices')) as { spot: Record<string, string> };
    // An IOC order below the market neither fills nor rests: the exchange's list of orders stays short.
    const price = (Number(prices.spot.BTCUSDT) * 0.97).toFixed(2);
    const body = JSON.stringify({
      exchange: 'soak-spot',
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      quantity: '0.001',
      price,
      timeInForce: 'IOC',
    });
    const round = (port: number) => oneByOne(port, key, body, door);
    const port = Number(new URL(desk.url).port);
    const runs = await inPairs(
      PAIRS,
      () => round(port),
      () => round(barePort),
    );
    const ratio = spread(
      runs.map(({ candidate, reference }) => quantile(candidate, 0.5) / quantile(reference, 0.5)),
    );
    const ms = (which: 'candidate' | 'reference', share: number) =>
      num(
        quantile(
          runs.flatMap((run) => run[which]),
          share,
        ),
      );
    return {
      name: 'submit',
      against: 'bare node:http, one commit and undici, first byte in to first byte out',
      ratio,
      goal: { value: ratio.median, limit: GOAL, is: 'at most', unit: '' },
      absolute: {
        'p50 ms': `${ms('candidate', 0.5)} (bare ${ms('reference', 0.5)})`,
        'p99 ms': `${ms('candidate', 0.99)} (bare ${ms('reference', 0.99)})`,
      },
    };
  } finally {
    await program.stop();
    await bare.ask('close');
    await bare.end();
    door.close();
    await emulator.stop();
  }
}

/**
 * Times, ms, from sending each order here to its first byte at the exchange; the next order is sent after the
 * answer.
 */
async function oneByOne(port: number, key: BenchKey, body: string, door: Door): Promise<number[]> {
  const socket = await open(port);
  const took: number[] = [];
  try {
    while (took.length < ORDERS) {
      // Signed just before it is sent: a signature is good for 5 s.
      const [request = Buffer.alloc(0)] = await signAll(key, [{ method: 'POST', path: '/v2/orders', body }]);
      const arrived = door.next();
      const answer = answered(socket);
      const from = performance.now();
      socket.write(request);
      // A refused order never arrives.
      const at = await Promise.race([arrived, answer.then(() => arrived)]);
      took.push(at - from);
      await answer;
    }
  } finally {
    socket.destroy();
  }
  return took;
}

function open(port: number): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => done(socket));
    socket.once('error', fail);
  });
}

/** Resolves when the whole next answer has arrived; rejects if it is not a success. */
function answered(socket: Socket): Promise<void> {
  return new Promise((done, fail) => {
    let text = '';
    const closed = () => fail(new Error('the connection was closed'));
    const data = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf(HEAD_END);
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + HEAD_END.length + length) return;
      socket.off('data', data);
      socket.off('close', closed);
      if (text.startsWith('HTTP/1.1 200')) done();
      else fail(new Error(`an order was refused: ${text.slice(end).trim()}`));
    };
    socket.on('data', data);
    socket.once('close', closed);
  });
}
