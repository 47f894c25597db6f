/**
 * Clients that send too slowly, too much, too many, or go away: each costs the service a bounded time and
 * nothing else. Every wait is for an event; timeouts are short because the tests set small limits.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiLimits } from '../../../src/api/limits.ts';
import { attackClass } from '../../support/attacks.ts';
import { Bench, expectError, order, type RawClient } from '../support.ts';
import { answersOf, CRLF, expectServes, PLAIN, request, TIME, until } from './support.ts';

const SLOW = attackClass('slow headers, bodies, upgrades, idle sockets');
const EXPENSIVE = attackClass('expensive requests: headers, bodies, queries');
const UNREAD = attackClass('HTTP clients that never read');
const CONNECTIONS = attackClass('connections until none is left');

let bench: Bench;
afterEach(async () => {
  await expectServes(bench);
  await bench.api.close();
});

const start = async (limits: ApiLimits) => {
  bench = await Bench.start(limits);
};
const QUICK: ApiLimits = {
  requestTimeoutMs: 300,
  headersTimeoutMs: 150,
  checkIntervalMs: 25,
  silentSocketMs: 400,
};
const clients = (count: number) => Promise.all(Array.from({ length: count }, () => bench.raw()));

/** Sends one byte after the other, as long as the service accepts them. */
function dribble(client: RawClient, text: string): void {
  let at = 0;
  const next = () => {
    if (client.socket.destroyed || client.socket.writableEnded) return;
    client.socket.write(text.charAt(at++ % text.length), () => setImmediate(next));
  };
  next();
}

describe('slow senders', () => {
  // proves: D34
  it(
    'of headers, fifty at once and one byte at a time, are all told 408',
    SLOW.counts(async () => {
      await start(QUICK);
      const slow = await clients(50);
      for (const client of slow) {
        client.write(`GET ${TIME} HTTP/1.1${CRLF}Host: a${CRLF}X-A: `);
        dribble(client, 'a');
      }
      for (const client of slow) {
        const answer = await client.answer();
        // A client that sends more than 16 KiB in that time gets 431 instead.
        expect([408, 431]).toContain(answer?.status);
        expectError(answer, answer?.status ?? 0, 'INVALID_REQUEST');
        client.socket.destroy();
      }
    }, 50),
  );

  // proves: D34
  it(
    'of a body, in bytes or in chunks, are told 408 while others are served',
    SLOW.counts(async () => {
      await start(QUICK);
      const slow = await clients(20);
      for (const [i, client] of slow.entries()) {
        const length = i % 2 ? 'Content-Length: 100000' : 'Transfer-Encoding: chunked';
        client.write(request('POST /api/v2/orders', ['Host: a', length]));
        dribble(client, i % 2 ? ' ' : `1${CRLF}x${CRLF}`);
      }
      await expectServes(bench);
      for (const client of slow) {
        const answer = await client.answer();
        expect([408, 413]).toContain(answer?.status);
        client.socket.destroy();
      }
      expect(bench.desk.commands).toEqual([]);
    }, 20),
  );

  it(
    'that connect and say nothing are hung up on',
    SLOW.counts(async () => {
      await start(QUICK);
      const silent = await clients(30);
      await Promise.all(silent.map(({ closed }) => closed));
    }, 30),
  );

  it(
    'that let the answer wait for them on an open connection are hung up on when they ask no more',
    SLOW.counts(async () => {
      await start({ ...QUICK, keepAliveMs: 100 });
      const client = await bench.raw();
      expect((await client.write(PLAIN).answer())?.status).toBe(200);
      await client.closed;
    }),
  );
});

describe('half-open connections', () => {
  it('of a client that has said all it will say are answered', async () => {
    await start(QUICK);
    const client = await bench.raw();
    client.write(bench.rawRequest('GET', '/api/v2/orders') + bench.rawRequest('GET', '/api/v2/ping'));
    client.socket.end();
    const answers = await answersOf(client);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('of a client whose order is still worked on get their answer, and are closed after it', async () => {
    await start(QUICK);
    let release: () => void = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    bench.desk.onCommand = () => hold;
    const client = await bench.raw();
    client.write(bench.rawRequest('POST', '/api/v2/orders', order()));
    client.socket.end();
    await until('it is worked on', () => bench.desk.commands.length === 1);
    await expectServes(bench);
    release();
    expect((await answersOf(client)).map(({ status }) => status)).toEqual([200]);
    await client.closed;
  });

  it('of a client that stops in the middle end without an answer to guess by', async () => {
    await start(QUICK);
    for (const part of [
      'G',
      `GET ${TIME} HTTP/1.1`,
      `GET ${TIME} HTTP/1.1${CRLF}Host: a`,
      PLAIN.slice(0, -2),
    ]) {
      const client = await bench.raw();
      client.write(part);
      client.socket.end();
      for (const answer of await answersOf(client)) expectError(answer, answer.status, 'INVALID_REQUEST');
    }
    const client = await bench.raw();
    client.write(request('POST /api/v2/orders', ['Host: a', 'Content-Length: 50'], '{"a":'));
    client.socket.end();
    for (const answer of await answersOf(client)) expectError(answer, answer.status, 'INVALID_REQUEST');
    expect(bench.desk.commands).toEqual([]);
  });

  it('of clients that vanish while their orders are worked on leave the orders done', async () => {
    await start(QUICK);
    let release: () => void = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    bench.desk.onCommand = () => hold;
    const gone = await clients(10);
    for (const client of gone) client.write(bench.rawRequest('POST', '/api/v2/orders', order()));
    await until('all are worked on', () => bench.desk.commands.length === 10);
    for (const client of gone) client.socket.resetAndDestroy();
    await Promise.all(gone.map(({ closed }) => closed));
    release();
    bench.desk.onCommand = null;
    await expectServes(bench);
    expect(bench.desk.commands).toHaveLength(10);
  });
});

describe('bodies that are too large', () => {
  // proves: D33, limit body-size, error PAYLOAD_TOO_LARGE
  it(
    'are 413 for each of many senders at once, declared, chunked or endless',
    EXPENSIVE.counts(async () => {
      await start({ bodyBytes: 1_000 });
      const senders = await clients(15);
      for (const [i, client] of senders.entries()) {
        const kind = i % 3;
        const length =
          kind === 0
            ? 'Content-Length: 1001'
            : kind === 1
              ? 'Content-Length: 999999999'
              : 'Transfer-Encoding: chunked';
        client.write(request('POST /api/v2/orders', ['Host: a', length]));
        if (kind === 0) client.write('x'.repeat(1_001));
        if (kind === 2) for (let n = 0; n < 50; n++) client.write(`64${CRLF}${'x'.repeat(100)}${CRLF}`);
      }
      for (const client of senders) {
        expectError(await client.answer(), 413, 'PAYLOAD_TOO_LARGE');
        client.socket.destroy();
      }
      expect(bench.desk.commands).toEqual([]);
    }, 15),
  );

  // proves: D28
  it(
    'or too deep, or too many fields, are refused quickly by what they are',
    EXPENSIVE.counts(async () => {
      await start({});
      const bodies = [
        `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
        `{${Array.from({ length: 9_000 }, (_, i) => `"k${i}":0`).join()}}`,
        `{"a":"${'\\u0000'.repeat(15_000)}"}`,
        `{"a":${'9'.repeat(100_000)}}`,
        `{"prices":[${'"1",'.repeat(20_000)}"1"],"exchange":"binance-spot"}`,
        `{"${'a'.repeat(100_000)}":1}`,
        ' '.repeat(102_000),
        `{}${' '.repeat(100_000)}`,
      ];
      for (const body of bodies) {
        const response = await bench.place(body);
        expectError(response, 400, 'INVALID_REQUEST');
        expect(response.text.length).toBeLessThan(1_000);
      }
    }, 8),
  );
});

describe('many connections', () => {
  it(
    'over the cap get no place, and there is room again when one goes',
    CONNECTIONS.counts(async () => {
      await start({ connections: 5 });
      const five = await clients(5);
      for (const client of five) expect((await client.write(PLAIN).answer())?.status).toBe(200);
      const late = connect({ host: '127.0.0.1', port: bench.api.port });
      late.on('error', () => {});
      await once(late, 'close');
      for (const client of five) expect((await client.write(PLAIN).answer())?.status).toBe(200);
      five[0]?.socket.destroy();
      await until('there is room', () =>
        bench.send('GET', TIME).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
      for (const client of five) client.socket.destroy();
      await until('there is room for all', () =>
        bench.send('GET', TIME).then(
          () => true,
          () => false,
        ),
      );
    }),
  );

  it(
    'that come and go a thousand times leave nothing behind',
    CONNECTIONS.counts(async () => {
      await start({ connections: 60 });
      for (let round = 0; round < 20; round++) {
        const many = await clients(50);
        for (const [i, { socket }] of many.entries()) {
          if (i % 2) socket.resetAndDestroy();
          else socket.destroy();
        }
        await Promise.all(many.map(({ closed }) => closed));
        await until('there is room again', () =>
          bench.send('GET', TIME).then(
            () => true,
            () => false,
          ),
        );
      }
    }, 1000),
  );

  // proves: D34
  it('are closed with the answer to the last request that one may make, and what stands behind is not looked at', async () => {
    await start({ requestsPerSocket: 3 });
    const client = await bench.raw();
    client.write(PLAIN.repeat(2) + bench.rawRequest('POST', '/api/v2/orders', order()).repeat(4));
    const answers = await answersOf(client);
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [200, 'keep-alive'],
      [200, 'keep-alive'],
      [200, 'close'],
    ]);
    expect(bench.desk.commands).toHaveLength(1);
    const slow = await bench.raw();
    for (const connection of ['keep-alive', 'keep-alive', 'close']) {
      expect((await slow.write(PLAIN).answer())?.headers.connection).toBe(connection);
    }
    await slow.closed;
  });
});

describe('pipelines', () => {
  it('of five hundred requests are answered one by one, in their order', async () => {
    await start({});
    const client = await bench.raw();
    const names = Array.from({ length: 500 }, (_, i) => `/api/v2/x${i}`);
    client.write(names.map((name) => request(`GET ${name}`)).join(''));
    for (const name of names) {
      const answer = await client.answer();
      expect(answer?.json.error.message).toBe(`there is no GET ${name}`);
    }
    client.socket.destroy();
  });

  it(
    'whose sender never reads do not hold up the others',
    UNREAD.counts(async () => {
      await start({});
      const client = await bench.raw();
      client.socket.pause();
      for (let i = 0; i < 20; i++) client.write(PLAIN.repeat(500));
      for (let i = 0; i < 5; i++) await expectServes(bench);
      client.socket.destroy();
      await client.closed;
    }),
  );

  it('end at the first request that is none, whatever stands behind it', async () => {
    await start({});
    const client = await bench.raw();
    client.write(`${PLAIN}${PLAIN}\0\0\0${bench.rawRequest('POST', '/api/v2/orders', order()).repeat(10)}`);
    client.socket.end();
    const answers = await answersOf(client);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(bench.desk.commands).toEqual([]);
  });
});
