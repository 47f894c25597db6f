/** The README's tables equal the emulator's endpoints and channels. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testEmulator } from './support.ts';
import { channelTable, endpointTable } from './table.ts';

it('prints every endpoint with its parameters, limit and source, and every channel', () => {
  const page = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  expect(page).toContain(endpointTable(testEmulator().emulator.endpoints));
  expect(page).toContain(channelTable());
});
