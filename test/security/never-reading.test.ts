/** Clients that request much and read none of it do not delay others. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { expectServes, request, until } from '../api/hostile/support.ts';
import { Bench } from '../api/support.ts';
import { StreamBench } from '../api/ws/support.ts';
import { attacked } from '../support/attacks.ts';

const CLIENTS = 40;
const REQUESTS = 100;
const MESSAGES = 199;

it('forty connections with a hundred requests each for the largest answer', async () => {
  await using bench = await Bench.start();
  const all = await Promise.all(Array.from({ length: CLIENTS }, () => bench.raw()));
  for (const { socket } of all) socket.pause();
  for (const client of all) client.write(request('GET /api/openapi.json').repeat(REQUESTS));
  for (let i = 0; i < 5; i++) await expectServes(bench);
  for (const { socket } of all) socket.destroy();
  await Promise.all(all.map(({ closed }) => closed));
  await expectServes(bench);
  attacked('HTTP clients that never read', CLIENTS * REQUESTS, CLIENTS * REQUESTS);
});

it('forty WebSockets with as many messages as each may send', async () => {
  const bench = await StreamBench.start();
  const all = await Promise.all(Array.from({ length: CLIENTS }, () => bench.connect()));
  for (const { ws } of all) {
    ws.pause();
    for (let i = 0; i < MESSAGES; i++) ws.send(JSON.stringify({ op: 'ping', id: 'x'.repeat(64) }));
  }
  const other = await bench.connect();
  await other.authenticate();
  for (const { ws } of all) ws.terminate();
  await Promise.all(all.map(({ ws }) => (ws.readyState === ws.CLOSED ? null : once(ws, 'close'))));
  await until('their places are free', async () => {
    const next = await bench.connect();
    next.ws.terminate();
    return true;
  });
  expect(other.closed).toBeNull();
  attacked('WebSockets that never read', CLIENTS * MESSAGES, CLIENTS * MESSAGES);
});
