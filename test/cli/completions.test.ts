/**
 * Completions as real shells produce them: bash where the tests run, zsh and fish where they are installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandGroups, commandTable, parseCommandLine } from '../../src/cli/command-line.ts';
import { completionsFor, SHELLS } from '../../src/cli/completions/completions.ts';
import { temporaryFolder } from '../desk/integration/support.ts';

const table = { commands: commandTable(), groups: commandGroups() };

/**
 * Scripts that print, line by line, what the shell offers for the words; the last word is the one being
 * typed.
 */
const ASKED: Readonly<Record<string, string>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
  bash: 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _outcry; printf "%s\\n" "${COMPREPLY[@]}"',
  zsh: `compdef() { : }; source "$1"; shift
    _describe() { print -l -- \${(P)4} }
    _files() { [[ $1 == -/ ]] && print -l -- *(/N) || print -l -- *(N) }
    words=("$@"); CURRENT=$#; _outcry`,
  fish: 'source $argv[1]; complete -C (string join " " -- $argv[2..])',
};

function offered(shell: string, words: readonly string[], folder: string): string[] {
  const file = join(folder, 'completions');
  writeFileSync(file, completionsFor(shell, table));
  const script = ASKED[shell] ?? '';
  const args = shell === 'fish' ? ['-c', script, file, ...words] : ['-c', script, shell, file, ...words];
  const { stdout, stderr } = spawnSync(shell, shell === 'zsh' ? ['-f', ...args] : args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, LANG: 'C' },
  });
  expect(stderr).toBe('');
  const typed = words.at(-1) ?? '';
  return stdout
    .split('\n')
    .map((line) => line.split(/[:\t]/)[0] ?? '')
    .filter((word) => word !== '' && word.startsWith(typed));
}

const isThere = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe.each(SHELLS)('completions of %s', (shell) => {
  it.skipIf(!isThere(shell))('offer commands, options, values, files and folders where each belongs', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'private.pem'), '');
    mkdirSync(join(folder, 'prices'));
    const offers = (...words: string[]) => offered(shell, ['outcry', ...words], folder).sort();
    expect(offers('ke')).toEqual(['keys']);
    expect(offers('keys', '')).toEqual(['add', 'list', 'revoke']);
    expect(offers('keys', 'add', '--t')).toEqual(['--tier']);
    expect(offers('keys', 'add', '--tier', '')).toEqual(['full', 'read', 'trade']);
    expect(offers('ssh', 'add', 'alice', '--ro')).toEqual(['--role']);
    expect(offers('--data-dir', folder, 'ssh', 'add', 'alice', '--role', 'o')).toEqual(['operator', 'owner']);
    expect(offers('ping', '--key', 'priv').map((name) => name.replace('/', ''))).toEqual(['private.pem']);
    expect(offers('--data-dir', 'pri').map((name) => name.replace('/', ''))).toEqual(['prices']);
    expect(offers('stop', '--json')).toEqual([]);
    expect(offers('completions', 'z')).toEqual(['zsh']);
  });
});

describe('completions', () => {
  it('know every command and option there is', () => {
    for (const shell of SHELLS) {
      const text = completionsFor(shell, table);
      for (const { words, options } of table.commands) {
        for (const word of words) expect(text).toContain(word);
        for (const { flags } of options) expect(text).toContain(flags.match(/--([\w-]+)/)?.[1]);
      }
    }
  });

  it('of another shell are refused with what is right', () => {
    expect(() => completionsFor('tcsh', table)).toThrow('one of bash, zsh, fish, not "tcsh"');
    expect(parseCommandLine(['completions', 'bash'], '1')).toEqual({
      command: 'completions',
      settings: { which: 'bash' },
    });
    expect(() => parseCommandLine(['completions'], '1')).toThrow(/takes the shell to completions/);
  });
});
