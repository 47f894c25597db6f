/** The build, where something stands in its way. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { readBuildStamp } from '../../bin/launcher-lib.js';
import { buildDist } from '../../scripts/build.mjs';

const roots: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const root of roots.splice(0)) fs.rmSync(root, { recursive: true, force: true });
});

it('is whole where another user has kept what Node compiled of the one before', async () => {
  const root = fs.mkdtempSync(path.join(tmpdir(), 'outcry-build-'));
  roots.push(root);
  fs.writeFileSync(path.join(root, 'package.json'), '{"version": "0.0.0"}');
  fs.mkdirSync(path.join(root, 'src'));
  fs.writeFileSync(path.join(root, 'src/main.ts'), 'console.log(1);');
  const { rmSync } = fs;
  vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
    if (String(file).endsWith('.compile-cache'))
      throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
    rmSync(file, options);
  });
  await buildDist(root, { entryPoints: { main: 'src/main.ts' } });
  expect(readBuildStamp(root)?.files).toContain('main.js');
});
