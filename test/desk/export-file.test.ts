/** CSV files of the desk on a disk that writes less than it is given. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CsvRow, writeExport } from '../../src/desk/console/export-file.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-export-'));
  const { open } = files;
  // A write may write only a part, as on a nearly full disk.
  vi.spyOn(files, 'open').mockImplementation(async (...how) => {
    const file = await open(...how);
    const write = file.write.bind(file);
    Object.assign(file, { write: (text: string) => write(text.slice(0, Math.ceil(text.length / 2))) });
    return file;
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(dataDir, { recursive: true });
});

it('a file whose path is told has every row', async () => {
  async function* pages() {
    yield [['BTC', 1]];
    yield [['ETH', 2]];
  }
  const { path, rows } = await writeExport({
    dataDir,
    what: 'trades',
    wall: 0,
    head: ['asset', 'qty'],
    pages: pages(),
  });
  expect(rows).toBe(2);
  expect(readFileSync(path, 'utf8')).toBe('asset,qty\r\nBTC,1\r\nETH,2\r\n');
});

const written = (pages: AsyncIterable<readonly CsvRow[]>) =>
  writeExport({ dataDir, what: 'trades', wall: 0, head: ['asset'], pages });

it('a file of more rows than it may have ends with the last it may, and says that it is not whole', async () => {
  let asked = 0;
  async function* pages(more: number) {
    for (const count of [999_999, 1, more]) {
      asked += 1;
      yield Array<CsvRow>(count).fill(['x']);
    }
  }
  expect(await written(pages(0))).toMatchObject({ rows: 1_000_000, whole: true });
  const cut = await written(pages(1));
  expect(cut).toMatchObject({ rows: 1_000_000, whole: false });
  expect(readFileSync(cut.path, 'utf8')).toHaveLength('asset\r\n'.length + 1_000_000 * 'x\r\n'.length);
  expect(asked).toBe(6);
});

it('a file whose rows could not be read to the end is not there', async () => {
  async function* pages() {
    yield [['x']];
    throw new Error('the store is gone');
  }
  await expect(written(pages())).rejects.toThrow('the store is gone');
  expect(readdirSync(join(dataDir, 'exports'))).toEqual([]);
});
