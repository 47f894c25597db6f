import { expect, it } from 'vitest';
import { senderOf } from '../../src/api/sender.ts';

const KEY = 'A'.repeat(43);
const OWN = 'https://app.example.org';

it.each<[string, readonly string[], boolean]>([
  ['a program', ['Host', 'a'], false],
  ['a page of another origin', ['Origin', 'https://evil.example'], true],
  ['a page that hides its origin', ['oRIGIN', 'null'], true],
  ['a page of an allowed origin', ['Origin', OWN, 'Sec-Fetch-Site', 'cross-site'], false],
  ['a page that gives two origins', ['Origin', OWN, 'Origin', 'https://evil.example'], true],
  ['one that names two origins, the allowed one last', ['Origin', 'https://a.example', 'Origin', OWN], true],
  ['an image on a page', ['Sec-Fetch-Site', 'cross-site'], true],
  ['an image on a page of another port', ['sec-fetch-site', 'same-site'], true],
  ['an address typed by the user', ['Sec-Fetch-Site', 'none'], false],
  ['a page of this service', ['Sec-Fetch-Site', 'same-origin'], false],
])('%s is foreign or not', (_who, rawHeaders, foreign) => {
  expect(senderOf(rawHeaders, [OWN]).foreign).toBe(foreign);
});

it.each<[readonly string[], string | null]>([
  [[], null],
  [['X-SVC-KEY', KEY], KEY],
  [['x-svc-key', `${KEY}A`], null],
  [['X-SVC-KEY', ' '.repeat(15_000)], null],
])('of %j the key is %s', (rawHeaders, keyId) => {
  expect(senderOf(rawHeaders, []).keyId).toBe(keyId);
});
