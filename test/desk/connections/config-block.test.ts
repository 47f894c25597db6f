/**
 * The blocks of connections in the configuration file: they are appended and cut out as text, and nothing
 * else is touched.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/cli/config.ts';
import { appendBlock, blockOf, removeBlock } from '../../../src/desk/connections/config-block.ts';
import { type Connection, connectionNameProblem } from '../../../src/domain/connection.ts';
import { temporaryFolder } from '../../store/support.ts';

const ACME: Connection = {
  name: 'acme',
  venue: 'acme',
  markets: ['spot'],
  environment: 'live',
  endpoints: {},
};

function folder(text: string | null): { dir: string; read: () => string } {
  const dir = temporaryFolder();
  const file = join(dir, 'config.toml');
  if (text !== null) writeFileSync(file, text, { mode: 0o600 });
  return { dir, read: () => readFileSync(file, 'utf8') };
}

const word = fc.stringMatching(/^[a-z0-9-]{1,20}$/).filter((name) => connectionNameProblem(name) === null);
const connection: fc.Arbitrary<Connection> = fc.record({
  name: word,
  venue: word,
  markets: fc.subarray(['spot', 'futures', 'swap'] as const, { minLength: 1 }),
  environment: fc.constantFrom('live', 'testnet', 'demo'),
  endpoints: fc.dictionary(
    fc.stringMatching(/^[a-z][a-z-]{0,12}$/).filter((name) => name !== 'constructor'),
    fc.constantFrom('https://a.example/x', 'wss://b.example:1/y', 'http://127.0.0.1:9'),
  ),
});
/** Text that people write above and between the blocks. */
const own = fc.constantFrom(
  '',
  '\n',
  '# mine\n',
  '[api]\nport = 0',
  '[api]\nport = 0\n',
  '[log]\nstderr = true # yes\n\n\n',
  '[targets.one]\ntype = "webhook"\nurl = "https://a.example"\n',
  '[keys]\n"order.cancel" = "c"\n# [exchanges.acme]\n',
  '[exchanges.own]\nvenue = "x"\nmarkets = [\n  "spot", # this\n]\n',
);

describe('a block', () => {
  it('is read as the very connection, whatever stands before, and cut out leaves what stood there', () => {
    fc.assert(
      fc.property(
        own,
        fc.uniqueArray(connection, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
        (text, list) => {
          const all = list.filter(({ name }) => name !== 'own');
          const { dir, read } = folder(text);
          for (const one of all) appendBlock(dir, one);
          expect(read().startsWith(text)).toBe(true);
          const known = parseConfig('config.toml', read()).options.connections ?? [];
          for (const one of all) expect(known.find(({ name }) => name === one.name)).toEqual(one);
          for (const { name } of all.toReversed()) expect(removeBlock(dir, name)).toBe(true);
          expect(parse(read())).toEqual(parse(text));
          expect(read().trimEnd()).toBe(text.trimEnd());
          expect(removeBlock(dir, 'nobody')).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each(['', '\n', '# mine\n', '[api]\nport = 0\n', '[log]\nstderr = true\n\n\n'])(
    'that is cut out again leaves the file as it was, to the last line: %j',
    (text) => {
      const { dir, read } = folder(text);
      appendBlock(dir, ACME);
      appendBlock(dir, { ...ACME, name: 'bee', endpoints: { rest: 'https://a.example' } });
      for (const name of ['bee', 'acme']) expect(removeBlock(dir, name)).toBe(true);
      expect(read()).toBe(text);
    },
  );

  it('is none that every object has from the start, which no file can have', () => {
    const name = 'constructor';
    const { dir, read } = folder('# mine\n');
    expect(connectionNameProblem(name)).toContain('choose another name');
    expect(removeBlock(dir, name)).toBe(false);
    expect(read()).toBe('# mine\n');
  });

  it('is written into a file of 0600 that takes the place of the old one as a whole, also behind a link', () => {
    const { dir } = folder(null);
    const elsewhere = join(dir, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'real.toml'), '# real\n', { mode: 0o644 });
    symlinkSync(join(elsewhere, 'real.toml'), join(dir, 'config.toml'));
    appendBlock(dir, ACME);
    expect(lstatSync(join(dir, 'config.toml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(elsewhere, 'real.toml'), 'utf8')).toBe(`# real\n\n${blockOf(ACME)}`);
    expect(statSync(join(elsewhere, 'real.toml')).mode & 0o777).toBe(0o600);
    expect(readdirSync(elsewhere)).toEqual(['real.toml']);
  });

  it.each([
    ['exchanges = {}\n', 'by hand'],
    ['text = """\n[exchanges]\n', 'not TOML'],
    ['[exchanges.acme]\nvenue = "x"\n', 'has a table [exchanges.acme] already'],
  ])('is not written where it could not be read: %j', (text, words) => {
    const { dir, read } = folder(text);
    expect(() => appendBlock(dir, ACME)).toThrow(words);
    expect(read()).toBe(text);
    expect(readdirSync(dir)).toEqual(['config.toml']);
  });

  it.each<[string, string, string]>([
    [
      'keeps the comments above the table behind it',
      '[exchanges.acme]\nvenue = "acme"\n\n# Who is told\n# at night\n[log]\nstderr = true\n',
      '# Who is told\n# at night\n[log]\nstderr = true\n',
    ],
    [
      'does so with line ends of Windows',
      '[log]\r\nstderr = true\r\n\r\n[exchanges.acme]\r\nvenue = "acme"\r\n# The door\r\n[api]\r\nport = 0\r\n',
      '[log]\nstderr = true\n# The door\n[api]\nport = 0\n',
    ],
    [
      'takes the comments within it and behind its header',
      '# mine\n[ exchanges.acme ] # live\n# which\nvenue = "acme"\n# where\n[exchanges.acme.endpoints] # all\nrest = "x"\n',
      '# mine\n',
    ],
    [
      'leaves tables whose names begin with its own, on either side',
      '[exchanges.acme-a]\nvenue = "a"\n[exchanges.acme]\nvenue = "acme"\n[exchanges.acme-b]\nvenue = "b"\n[exchanges.acme-b.endpoints]\nrest = "x"\n',
      '[exchanges.acme-a]\nvenue = "a"\n[exchanges.acme-b]\nvenue = "b"\n[exchanges.acme-b.endpoints]\nrest = "x"\n',
    ],
  ])('cut out %s', (_, text, left) => {
    const { dir, read } = folder(text);
    expect(removeBlock(dir, 'acme')).toBe(true);
    const lines = (all: string) => all.split(/\r?\n/).filter((line) => line !== '');
    expect(lines(read())).toEqual(lines(left));
  });

  it('is not written into a file that cannot be read', () => {
    const { dir } = folder(null);
    const file = join(dir, 'config.toml');
    symlinkSync('config.toml', file);
    expect(() => appendBlock(dir, ACME)).toThrow(/config\.toml cannot be read \(ELOOP\)$/);
    expect(() => removeBlock(dir, 'acme')).toThrow('cannot be read');
    expect([lstatSync(file).isSymbolicLink(), readdirSync(dir)]).toEqual([true, ['config.toml']]);
  });

  it.each([
    'exchanges.acme.venue = "acme"\n',
    '[exchanges]\nacme = { venue = "acme" }\n',
    '["exchanges"."acme"]\nvenue = "acme"\n',
  ])('written in another way is left to its author: %j', (text) => {
    const { dir, read } = folder(text);
    expect(() => removeBlock(dir, 'acme')).toThrow('by hand');
    expect(read()).toBe(text);
  });
});
