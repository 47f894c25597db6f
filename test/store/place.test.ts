/**
 * The identity of a store's place: the same each time, another for a copy and for another machine, and
 * without the machine's id in it.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { placeOf } from '../../src/store/place.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'outcry-place-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

it('is told by the file itself and by a digest of the machine', () => {
  const dir = folder();
  const [store, copy, machine, other, empty] = ['a.db', 'b.db', 'm1', 'm2', 'm3'].map((name) =>
    join(dir, name),
  ) as [string, string, string, string, string];
  writeFileSync(store, 'x');
  copyFileSync(store, copy);
  const id = '0123456789abcdef0123456789abcdef';
  writeFileSync(machine, `${id}\n`);
  writeFileSync(other, id.replace('0', '1'));
  writeFileSync(empty, '\n');
  const place = placeOf(store, machine);
  expect(place.machine).toMatch(/^[0-9a-f]{32}$/);
  expect(place.machine).not.toBe(id);
  expect(placeOf(store, machine)).toEqual(place);
  writeFileSync(store, 'written to');
  expect(placeOf(store, machine)).toEqual(place);
  expect(placeOf(copy, machine)).toEqual({ ...place, file: expect.not.stringMatching(`^${place.file}$`) });
  expect(placeOf(store, other).machine).not.toBe(place.machine);
  for (const none of [empty, join(dir, 'nothing')])
    expect(placeOf(store, none)).toEqual({ ...place, machine: null });
  expect(placeOf(join(dir, 'nothing'), machine)).toEqual({ ...place, file: null });
});
