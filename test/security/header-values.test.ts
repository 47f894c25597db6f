/**
 * Header values of any length and content make a stranger's request no more expensive, and are refused for
 * the right reason.
 */
import { expect, it } from 'vitest';
import { clientAddress } from '../../src/access/address.ts';
import { expectServes, request } from '../api/hostile/support.ts';
import { Bench } from '../api/support.ts';
import { attacked } from '../support/attacks.ts';

const FILLS: readonly [string, string][] = [
  ['blanks inside', `a${' '.repeat(15_000)}b`],
  ['tabs inside', `a${'\t'.repeat(15_000)}b`],
  ['blanks and tabs in turn', `a${' \t'.repeat(7_500)}b`],
  ['letters', 'A'.repeat(15_000)],
  ['digits', '9'.repeat(15_000)],
];
const BURST = 100;

it('a long value of a header that is read is refused, and a burst of them leaves room for others', async () => {
  await using bench = await Bench.start();
  let tries = 0;
  let held = 0;
  for (const [what, value] of FILLS) {
    for (const name of ['X-SVC-KEY', 'X-SVC-SIGN', 'X-SVC-TIMESTAMP']) {
      const headers = { ...bench.signer.headers('GET', '/api/v2/orders'), Host: 'test', [name]: value };
      const lines = Object.entries(headers).map(([key, text]) => `${key}: ${text}`);
      const burst = await Promise.all(Array.from({ length: BURST / 5 }, () => bench.raw()));
      for (const client of burst) client.write(request('GET /api/v2/orders', lines));
      await expectServes(bench);
      const answers = await Promise.all(burst.map((client) => client.answer()));
      for (const client of burst) client.socket.destroy();
      const code = name === 'X-SVC-TIMESTAMP' ? 'TIMESTAMP_INVALID' : 'UNAUTHORIZED';
      for (const answer of answers) {
        tries += 1;
        expect([what, name, answer?.json.error.code]).toEqual([what, name, code]);
        expect(answer?.text.length).toBeLessThan(1_000);
        if (answer?.status === 401) held += 1;
      }
    }
  }
  attacked('expensive requests: headers, bodies, queries', tries, held);
});

it('a right value with as many blanks around it as a header may have is the value', async () => {
  await using bench = await Bench.start();
  const headers = { Host: 'test', ...bench.signer.headers('GET', '/api/v2/orders') };
  const lines = Object.entries(headers).map(
    ([key, text]) => `${key}: ${' \t'.repeat(40)}${text}${' '.repeat(80)}`,
  );
  const client = await bench.raw();
  const answer = await client.write(request('GET /api/v2/orders', lines)).answer();
  expect(answer?.status).toBe(200);
  client.socket.destroy();
});

it('a forwarded address of any length is no address', () => {
  const values = [
    ...FILLS.map(([, value]) => value),
    `198.51.100.7${' '.repeat(15_000)}x`,
    `${' '.repeat(15_000)}198.51.100.7`,
    `198.51.100.7,${' '.repeat(15_000)}`,
  ];
  for (const value of values) {
    expect(clientAddress('10.0.0.2', ['X-Forwarded-For', value], ['10.0.0.0/8'])).toEqual({
      address: '10.0.0.2',
      problem: 'X-Forwarded-For must list IP addresses without ports, separated by commas',
    });
  }
});
