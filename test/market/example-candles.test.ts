/** The example candles in the repository are the generator's output, and a replay can read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { exampleCandles } from '../../scripts/example-candles.ts';
import { openCsvFeed } from '../../src/market/csv.ts';

const FOLDER = fileURLToPath(new URL('../../docs/examples/candles', import.meta.url));

it('are written by scripts/documents.ts', () => {
  const made = exampleCandles();
  expect(readdirSync(FOLDER).sort()).toEqual([...made.keys()].sort());
  for (const [file, text] of made) expect(readFileSync(join(FOLDER, file), 'utf8') === text, file).toBe(true);
});

it('play as an hour of three symbols', () => {
  const feed = openCsvFeed({ spec: `csv:${FOLDER}@1m` });
  expect(feed.symbols).toEqual(['BTCUSDT', 'ETHUSDT', 'SOLUSDT']);
  let ticks = 0;
  let last = 0;
  for (let tick = feed.next(); tick; tick = feed.next()) {
    ticks++;
    last = tick.time;
  }
  expect(ticks).toBe(3 * 60 * 4);
  expect(last - feed.startTime).toBe(3_600_000 - 1);
});
