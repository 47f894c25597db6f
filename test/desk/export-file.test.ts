/** CSV files of the desk on a disk that takes less than it is given. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeExport } from '../../src/desk/console/export-file.ts';

/** A write may take a part only, as a nearly full disk does. */
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    open: async (...how: Parameters<typeof real.open>) => {
      const file = await real.open(...how);
      const write = file.write.bind(file);
      Object.assign(file, { write: (text: string) => write(text.slice(0, Math.ceil(text.length / 2))) });
      return file;
    },
  };
});

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-export-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

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
