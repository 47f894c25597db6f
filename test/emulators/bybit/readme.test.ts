/** The README's table equals the endpoints that the emulator answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testEmulator } from './support.ts';
import { endpointTable } from './table.ts';

it('prints every endpoint with its parameters, rate and source', () => {
  const page = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  expect(page).toContain(endpointTable(testEmulator().emulator.endpoints));
});
