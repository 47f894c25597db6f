/** The log on disk: JSON lines through pino, one file of bounded size and a few older ones. Never the terminal. */
import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { LogLine } from '../../domain/rows.ts';

const FILE = 'outcry.log';
const MAX_BYTES = 10 * 1024 * 1024;
const KEPT = 5;

export interface LogFile {
  write(line: LogLine): void;
  close(): void;
}

export function openLogFile(folder: string): LogFile {
  const path = join(folder, FILE);
  let written = existsSync(path) ? statSync(path).size : 0;
  if (written > MAX_BYTES) {
    rotate(path);
    written = 0;
  }
  const destination = pino.destination({ dest: path, sync: true, mode: 0o600 });
  const logger = pino({ base: null, timestamp: false }, destination);
  return {
    write(line) {
      const { at, level, source, text, orderId } = line;
      logger[level]({ at: new Date(at).toISOString(), source, orderId }, text);
      written += text.length + 100;
      if (written < MAX_BYTES) return;
      rotate(path);
      destination.reopen();
      written = 0;
    },
    close: () => destination.end(),
  };
}

function rotate(path: string): void {
  for (let n = KEPT - 1; n >= 1; n--) {
    if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  }
  renameSync(path, `${path}.1`);
}
