/**
 * A request counts as signed only with exactly one valid value of each of the three headers, in its canonical
 * form.
 */
import { expect, it } from 'vitest';
import { expectServes, request } from '../api/hostile/support.ts';
import { Bench } from '../api/support.ts';
import { attacked } from '../support/attacks.ts';

const PING = '/api/v2/ping';
type Headers = Record<string, string>;

/** Wrong header lines, made from the right headers. */
const FORGERIES: Readonly<Record<string, (right: Headers) => string[]>> = {
  'a folded value': (h) => lines({ ...h, 'X-SVC-SIGN': `${h['X-SVC-SIGN']}\r\n ` }),
  'a value folded in its middle': (h) => lines({ ...h, 'X-SVC-KEY': halved(h['X-SVC-KEY'], '\r\n ') }),
  'two keys in a list': (h) => lines({ ...h, 'X-SVC-KEY': `${h['X-SVC-KEY']}, ${h['X-SVC-KEY']}` }),
  'two timestamps in a list': (h) => lines({ ...h, 'X-SVC-TIMESTAMP': `${h['X-SVC-TIMESTAMP']},1` }),
  'a signature twice': (h) => [...lines(h), `x-svc-sign: ${h['X-SVC-SIGN']}`],
  'a padded key': (h) => lines({ ...h, 'X-SVC-KEY': `${h['X-SVC-KEY']}=` }),
  'a padded signature': (h) => lines({ ...h, 'X-SVC-SIGN': `${h['X-SVC-SIGN']}==` }),
  'quotes around the key': (h) => lines({ ...h, 'X-SVC-KEY': `"${h['X-SVC-KEY']}"` }),
  'a blank inside the signature': (h) => lines({ ...h, 'X-SVC-SIGN': halved(h['X-SVC-SIGN'], ' ') }),
  'a timestamp with a sign': (h) => lines({ ...h, 'X-SVC-TIMESTAMP': `+${h['X-SVC-TIMESTAMP']}` }),
  'a timestamp with a leading zero': (h) => lines({ ...h, 'X-SVC-TIMESTAMP': `0${h['X-SVC-TIMESTAMP']}` }),
  'a timestamp with a point': (h) => lines({ ...h, 'X-SVC-TIMESTAMP': `${h['X-SVC-TIMESTAMP']}.0` }),
  'a timestamp with an exponent': (h) => lines({ ...h, 'X-SVC-TIMESTAMP': `${h['X-SVC-TIMESTAMP']}e0` }),
  'a hexadecimal timestamp': (h) =>
    lines({ ...h, 'X-SVC-TIMESTAMP': `0x${Number(h['X-SVC-TIMESTAMP']).toString(16)}` }),
  'a name with an underscore': (h) => lines(h).map((line) => line.replace('X-SVC-KEY', 'X_SVC_KEY')),
  'a name with a blank': (h) => lines(h).map((line) => line.replace('X-SVC-SIGN:', 'X-SVC-SIGN :')),
  'the values as cookies': (h) => [`Cookie: ${lines(h).join('; ')}`],
  'a right value with 300 blanks and more behind it': (h) =>
    lines({ ...h, 'X-SVC-KEY': `${h['X-SVC-KEY']}${' '.repeat(300)}x` }),
};

function lines(headers: Headers): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function halved(text = '', between: string): string {
  const half = text.length >> 1;
  return text.slice(0, half) + between + text.slice(half);
}

it('no other spelling of the headers signs a request', async () => {
  await using bench = await Bench.start();
  let held = 0;
  for (const [what, forge] of Object.entries(FORGERIES)) {
    const client = await bench.raw();
    const headers = ['Host: a', ...forge(bench.signer.headers('GET', PING))];
    const answer = await client.write(request(`GET ${PING}`, headers)).answer();
    expect([what, answer?.status]).toEqual([what, expect.toBeOneOf([400, 401])]);
    held += 1;
    client.socket.destroy();
  }
  await expectServes(bench);
  expect(bench.desk.touched).toHaveLength(1);
  attacked('auth headers: doubled, folded, listed, padded, misspelt', Object.keys(FORGERIES).length, held);
});
