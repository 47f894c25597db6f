import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench, expectError, order } from './support.ts';

interface BodyCase {
  readonly name: string;
  readonly expect: 'accept' | 'reject' | 'decide';
  readonly b64: string;
}

const file = readFileSync(new URL('../fixtures/security/json_bodies.json', import.meta.url), 'utf8');
const { cases } = JSON.parse(file) as { cases: BodyCase[] };

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start();
});
afterAll(() => bench.api.close());

describe('bodies of POST /orders', () => {
  it('has all the cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(55);
  });

  // Cases that the file leaves to the implementation are refused: leading zeros and zero (S33).
  // proves: rule json-bodies, D28, D29, D30, S33
  it.each(cases)('$expect: $name', async ({ expect: wanted, b64 }) => {
    const before = bench.desk.commands.length;
    const response = await bench.place(Buffer.from(b64, 'base64'), {
      headers: { 'Content-Type': 'application/json' },
    });
    if (wanted === 'accept') {
      expect(response.status, response.text).toBe(200);
      expect(response.json.data).toMatchObject({ origQty: '0.01', side: 'BUY' });
    } else {
      expectError(response, 400, 'INVALID_REQUEST');
      expect(bench.desk.commands.slice(before).every(({ command }) => command.type === 'refuse')).toBe(true);
    }
  });

  it('reject: depth 30000 arrays', async () => {
    expectError(await bench.place('['.repeat(30_000) + ']'.repeat(30_000)), 400, 'INVALID_REQUEST');
    const inside = `{"symbol":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expectError(await bench.place(inside), 400, 'INVALID_REQUEST');
  });

  // proves: error PAYLOAD_TOO_LARGE, limit body-size, D33
  it('accepts 102,400 bytes and answers 102,401 with 413', async () => {
    expect((await bench.place(order().padEnd(102_400))).status).toBe(200);
    const response = await bench.place(order().padEnd(102_401));
    expectError(response, 413, 'PAYLOAD_TOO_LARGE');
    expect(response.headers.connection).toBe('close');
  });
});
