/** The build: what prevents it, and what it leaves out. */
import { execFileSync } from 'node:child_process';
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

/** A package of one file, and the path of its built program. */
async function build(source: string): Promise<{ root: string; program: string }> {
  const root = fs.mkdtempSync(path.join(tmpdir(), 'outcry-build-'));
  roots.push(root);
  fs.writeFileSync(path.join(root, 'package.json'), '{"version": "0.0.0", "type": "module"}');
  fs.mkdirSync(path.join(root, 'src'));
  fs.writeFileSync(path.join(root, 'src/main.ts'), source);
  await buildDist(root, { entryPoints: { main: 'src/main.ts' } });
  return { root, program: path.join(root, 'dist/main.js') };
}

it('is whole where another user has kept what Node compiled of the one before', async () => {
  const { rmSync } = fs;
  vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
    if (String(file).endsWith('.compile-cache'))
      throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
    rmSync(file, options);
  });
  const { root } = await build('console.log(1);');
  expect(readBuildStamp(root)?.files).toContain('main.js');
});

it("serves HTTP without Node's HTTP client", async () => {
  const { program } = await build(`
    import { createServer, STATUS_CODES } from 'node:http';
    const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
    const loaded = moduleLoadList.filter((name) => name.includes('undici/undici'));
    console.log(createServer().listening, STATUS_CODES[404], loaded.length);
  `);
  expect(execFileSync(process.execPath, [program], { encoding: 'utf8' })).toBe('false Not Found 0\n');
});
