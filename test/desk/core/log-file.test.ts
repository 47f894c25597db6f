/**
 * The log's files: a failing disk, a removed file and a lack of file descriptors neither end the desk nor
 * cost older lines.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  LOG_FILE_BYTES,
  LOG_FILES_KEPT,
  LOG_LOOK_EVERY_MS,
  LOG_RETRY_BYTES,
  LOG_TEXT_LENGTH,
  type LogFs,
  openLogFile,
} from '../../../src/desk/core/log-file.ts';
import { attacked } from '../../support/attacks.ts';

const START = Date.UTC(2026, 0, 5);
const ROTATION = 'log files: no descriptor left, removed, washed';

function folderOf(): string {
  const folder = fs.mkdtempSync(join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'outcry-log-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A log over the real file system, parts of which can be made to fail. */
function openLog({ folder = folderOf(), size = 0 }: { folder?: string; size?: number } = {}) {
  const path = join(folder, 'outcry.log');
  if (size > 0) fs.writeFileSync(path, `${'x'.repeat(size - 1)}\n`);
  const failing = new Map<string, string>();
  const broken = (name: string) => (code: string) => Object.assign(new Error(code), { code, name });
  const port = Object.fromEntries(
    (['openSync', 'closeSync', 'writeSync', 'fstatSync', 'lstatSync', 'renameSync', 'rmSync'] as const).map(
      (name) => [
        name,
        (...args: unknown[]) => {
          const code = failing.get(name);
          if (code !== undefined) throw broken(name)(code);
          return (Reflect.get(fs, name) as (...args: unknown[]) => unknown)(...args);
        },
      ],
    ),
  ) as unknown as LogFs;
  const problems: string[] = [];
  const log = openLogFile({ folder, fs: port, failed: (problem) => problems.push(problem) });
  onTestFinished(() => log.close());
  let at = START;
  return {
    folder,
    path,
    failing,
    problems,
    write(text: string, later = 0) {
      at += later;
      log.write({ at, level: 'info', source: 'api', text });
    },
    texts: (name = 'outcry.log') =>
      fs
        .readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line).msg as string),
    files: () => fs.readdirSync(folder).toSorted(),
  };
}

describe('rotation', () => {
  it('begins a new file beyond its size and keeps a few older ones, all for the owner alone', () => {
    const log = openLog();
    const line = 'y'.repeat(LOG_TEXT_LENGTH);
    for (let round = 0; round < LOG_FILES_KEPT + 3; round++) {
      for (let i = 0; i * LOG_TEXT_LENGTH <= LOG_FILE_BYTES; i++) log.write(line);
      log.write(`round ${round}`);
    }
    expect(log.files()).toEqual(['outcry.log', ...[1, 2, 3, 4, 5].map((n) => `outcry.log.${n}`)]);
    expect(log.texts().at(-1)).toBe(`round ${LOG_FILES_KEPT + 2}`);
    expect(log.texts('outcry.log.1').some((text) => text === `round ${LOG_FILES_KEPT + 1}`)).toBe(true);
    for (const name of log.files()) expect(fs.statSync(join(log.folder, name)).mode & 0o777).toBe(0o600);
    expect(log.problems).toEqual([]);
  });

  it('works when every descriptor of the process is taken', () => {
    const folder = folderOf();
    const child = fileURLToPath(new URL('./log-in-a-child.ts', import.meta.url));
    const said = JSON.parse(
      execFileSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$1" "$2"', process.execPath, child, folder], {
        encoding: 'utf8',
      }),
    );
    expect(said).toEqual({ exhausted: 'EMFILE', problems: [] });
    expect(fs.readdirSync(folder).toSorted()).toEqual(['outcry.log', 'outcry.log.1', 'outcry.log.2']);
    attacked(ROTATION, 1, 1);
  });

  it('that cannot open the next file goes on with the present one, says so once, and comes later', () => {
    const log = openLog({ size: LOG_FILE_BYTES });
    log.failing.set('openSync', 'EMFILE');
    for (let i = 0; i < 20; i++) log.write(`line ${i}`);
    expect(log.problems).toHaveLength(1);
    expect(log.problems[0]).toContain('EMFILE');
    expect(log.texts()).toHaveLength(20);
    expect(log.files()).toEqual(['outcry.log']);
    log.failing.clear();
    for (let i = 0; i * LOG_TEXT_LENGTH < 1.1 * LOG_RETRY_BYTES; i++) log.write('z'.repeat(LOG_TEXT_LENGTH));
    expect(log.files()).toEqual(['outcry.log', 'outcry.log.1']);
  });

  it.each(['openSync', 'renameSync'])(
    'whose %s fails says so again when it has been well meanwhile',
    (call) => {
      const log = openLog({ size: LOG_FILE_BYTES });
      const more = (bytes: number) => {
        for (let n = 0; n * LOG_TEXT_LENGTH < bytes; n++) log.write('z'.repeat(LOG_TEXT_LENGTH));
      };
      for (let times = 1; times <= 3; times++) {
        log.failing.set(call, 'EPERM');
        more(LOG_FILE_BYTES + LOG_RETRY_BYTES);
        expect(log.problems).toHaveLength(times);
        log.failing.clear();
        more(1.1 * LOG_RETRY_BYTES);
        expect(log.files()).toHaveLength(times + 1);
      }
    },
  );

  it('whose renames fail loses nothing', () => {
    const log = openLog({ size: LOG_FILE_BYTES });
    fs.writeFileSync(join(log.folder, 'outcry.log.1'), '{"msg":"old"}\n');
    log.failing.set('renameSync', 'EPERM');
    log.write('goes on');
    expect(log.texts()).toEqual(['goes on']);
    expect(log.texts('outcry.log.1')).toEqual(['old']);
    expect(log.files()).toEqual(['outcry.log', 'outcry.log.1']);
    expect(log.problems).toHaveLength(1);
  });
});

describe('the present file', () => {
  it('that was removed is written anew, and what is older stays', () => {
    const log = openLog();
    fs.writeFileSync(join(log.folder, 'outcry.log.1'), '{"msg":"old"}\n');
    log.write('first');
    fs.rmSync(log.path);
    log.write('not seen yet');
    for (let i = 0; i < 30; i++) log.write(`line ${i}`, LOG_LOOK_EVERY_MS);
    expect(log.texts()).toHaveLength(30);
    expect(log.texts('outcry.log.1')).toEqual(['old']);
    expect(log.files()).toEqual(['outcry.log', 'outcry.log.1']);
    expect(log.problems).toHaveLength(1);
    expect(log.problems[0]).toContain('removed or replaced');
    expect(fs.statSync(log.path).mode & 0o777).toBe(0o600);
    attacked(ROTATION, 1, 1);
  });

  it('that was removed when it is full does not shift older ones away', () => {
    const log = openLog({ size: LOG_FILE_BYTES - 50 });
    fs.writeFileSync(join(log.folder, 'outcry.log.1'), '{"msg":"old"}\n');
    log.write('full now');
    fs.rmSync(log.path);
    for (let i = 0; i < 30; i++) log.write(`line ${i}`);
    expect(log.texts('outcry.log.1')).toEqual(['old']);
    expect(log.texts()).toHaveLength(30);
    expect(log.files()).toEqual(['outcry.log', 'outcry.log.1']);
  });

  it('that was replaced by a link is not followed', () => {
    const log = openLog();
    const elsewhere = join(log.folder, 'elsewhere');
    fs.writeFileSync(elsewhere, 'important');
    fs.rmSync(log.path);
    fs.symlinkSync(elsewhere, log.path);
    for (let i = 0; i < 3; i++) log.write('line', LOG_LOOK_EVERY_MS);
    expect(fs.readFileSync(elsewhere, 'utf8')).toBe('important');
    expect(log.problems).toHaveLength(1);
  });

  it('that cannot be written costs lines, is told once, and is written again when it can be', () => {
    const log = openLog();
    log.failing.set('writeSync', 'ENOSPC');
    for (let i = 0; i < 5; i++) log.write('lost');
    expect(log.problems).toEqual([expect.stringContaining('ENOSPC')]);
    log.failing.clear();
    log.write('kept');
    expect(log.texts()).toEqual(['kept']);
    log.failing.set('writeSync', 'EIO');
    log.write('lost');
    expect(log.problems).toHaveLength(2);
  });
});

describe('a line', () => {
  it('holds nothing that commands a terminal or hides text, as it stands and as JSON is read', () => {
    const log = openLog();
    const hostile = [
      '\u009b31m',
      '\u001b]0;x\u0007',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u2028',
      '\ufeff',
      '\u007f',
      '\ud800',
    ];
    for (const text of hostile) log.write(`a${text}b`);
    const forbidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
    const held = log.texts().filter((text) => !forbidden.test(text)).length;
    expect(forbidden.test(fs.readFileSync(log.path, 'utf8').replaceAll('\n', ''))).toBe(false);
    attacked('log lines with control characters', hostile.length, held);
  });

  it('is cut at its length', () => {
    const log = openLog();
    log.write('x'.repeat(LOG_TEXT_LENGTH + 1));
    expect(log.texts()).toEqual([`${'x'.repeat(LOG_TEXT_LENGTH)}...`]);
  });
});
