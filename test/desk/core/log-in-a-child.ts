/**
 * A process without free file descriptors that goes on logging: what is left of the log's files. Run by
 * log-file.test.ts.
 */
import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import { LOG_FILE_BYTES, LOG_TEXT_LENGTH, openLogFile } from '../../../src/desk/core/log-file.ts';

const problems: string[] = [];
const log = openLogFile({ folder: process.argv[2] ?? '', failed: (problem) => problems.push(problem) });
let exhausted = '';
while (exhausted === '') {
  try {
    openSync(devNull, 'r');
  } catch (error) {
    exhausted = (error as NodeJS.ErrnoException).code ?? '';
  }
}
const text = 'x'.repeat(LOG_TEXT_LENGTH);
// Enough for two rotations.
for (let i = 0; i * text.length < 2.5 * LOG_FILE_BYTES; i++)
  log.write({ at: i, level: 'info', source: 'api', text: `${i} ${text}` });
process.stdout.write(JSON.stringify({ exhausted, problems }));
