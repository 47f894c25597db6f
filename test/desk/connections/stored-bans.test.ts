/** Bans of exchange addresses: each of its own address, stored once when it begins, taken up by a start. */
import { expect, it } from 'vitest';
import { StoredBans } from '../../../src/desk/connections/stored-bans.ts';
import type { Row } from '../../../src/domain/rows.ts';

const [A, B] = ['https://a.example', 'https://b.example'];

it('a ban is known of its own address alone, the newest counts, and each is stored', () => {
  const bans = new StoredBans(new Map());
  // Nothing is stored before the desk exists, and what began is known all the same.
  bans.began(B, 5);
  const rows: Row[] = [];
  bans.store = (row) => void rows.push(row);
  expect([bans.until(A), bans.until(B)]).toEqual([null, 5]);
  bans.began(A, 100);
  bans.began(B, 200);
  bans.began(A, 300);
  expect([bans.until(A), bans.until(B)]).toEqual([300, 200]);
  expect(rows).toEqual([
    { kind: 'meta', name: `ban ${A}`, value: 100 },
    { kind: 'meta', name: `ban ${B}`, value: 200 },
    { kind: 'meta', name: `ban ${A}`, value: 300 },
  ]);
});

it('a start takes up what is stored, and nothing that is no ban', () => {
  const bans = new StoredBans(
    new Map<string, unknown>([
      [`ban ${A}`, 100],
      [`ban ${B}`, 'soon'],
      ['banned https://c.example', 7],
      ['ban https://d.example', null],
    ]),
  );
  expect([A, B, 'https://c.example', 'https://d.example'].map(bans.until)).toEqual([100, null, null, null]);
});
