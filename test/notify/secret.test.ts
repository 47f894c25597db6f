/** A secret shows its value only when asked for it explicitly. */
import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from '../../src/notify/secret.ts';

it('is stars wherever it is printed, and itself where it is revealed', () => {
  const secret = new Secret('hunter2');
  const printed = [
    String(secret),
    `${secret}`,
    inspect(secret, { showHidden: true }),
    inspect({ deep: [{ secret }] }, { depth: 5 }),
    format('%s %j %o', secret, secret, secret),
    JSON.stringify({ secret }),
    Object.entries(secret).join(),
    new Error(`no ${secret}`).message,
  ];
  for (const text of printed) expect(text).not.toContain('hunter2');
  expect(printed.slice(0, 3)).toEqual(['***', '***', '***']);
  expect(secret.reveal()).toBe('hunter2');
});
