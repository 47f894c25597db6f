import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCsvFeed, parseCsvSpec } from '../../src/market/csv.ts';
import { parseCsvRows } from '../../src/market/csv-rows.ts';
import { FeedError } from '../../src/market/feed.ts';
import { MINUTE_MS } from '../../src/market/timeframe.ts';

const TIME = Date.UTC(2025, 1, 3);
const FILE = 'BTCUSDT-1m.csv';
const GOOD = `${TIME},10,12,9,11,8`;
const NEXT = TIME + MINUTE_MS;

/** The message of the FeedError that `run` throws. */
function sentence(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(FeedError);
    const { message } = error as Error;
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('nothing was wrong');
}

describe('a line that cannot be read is named with file, number and what is wrong', () => {
  it.each([
    [`${NEXT},10,12,13,11,8`, 'high 12 is below low 13'],
    [`${NEXT},12.5,12,9,11,8`, 'high 12 is below open 12.5'],
    [`${NEXT},10,12,9,12.01,8`, 'high 12 is below close 12.01'],
    [`${NEXT},8,12,9,11,8`, 'low 9 is above open 8'],
    [`${NEXT},10,12,9,8.99,8`, 'low 9 is above close 8.99'],
    [`${NEXT},10,12,0,11,8`, 'low is 0'],
    [`${NEXT},10,12,9,11,-8`, 'volume "-8" is not a plain decimal number'],
    [`${NEXT},1e1,12,9,11,8`, 'open "1e1" is not a plain decimal number'],
    [`${NEXT},10,NaN,9,11,8`, 'high "NaN" is not a plain decimal number'],
    [`${NEXT},10,12.,9,11,8`, 'high "12." is not a plain decimal number'],
    [`${NEXT}, 10,12,9,11,8`, 'open " 10" is not a plain decimal number'],
    [`${NEXT},10,12,9,11,\u001b[2J`, 'volume "\\u001b[2J" is not a plain decimal number'],
    [`${NEXT},10,12,9,11,`, 'volume is missing'],
    [
      `${NEXT},10,12,9,11,0.123456789012345678901`,
      'volume 0.123456789012345678901 has more than 20 decimals',
    ],
    [`${NEXT},10,12,9,11`, 'has 5 columns instead of 6 (time,open,high,low,close,volume)'],
    [`${NEXT},10,12,9,11,8,9`, 'has 7 columns instead of 6 (time,open,high,low,close,volume)'],
    ['what', 'has 1 column instead of 6 (time,open,high,low,close,volume)'],
    [`${TIME},10,12,9,11,8`, `time ${TIME} is there twice`],
    [`${TIME - MINUTE_MS},10,12,9,11,8`, `time ${TIME - MINUTE_MS} is before the line above (${TIME})`],
    [`${NEXT + 1},10,12,9,11,8`, `time ${NEXT + 1} is not the opening of a 1m candle`],
    [`${NEXT}000,10,12,9,11,8`, `time ${NEXT}000 is not a Unix time in milliseconds`],
    [`${NEXT / 1_000},10,12,9,11,8`, `time ${NEXT / 1_000} is not a Unix time in milliseconds`],
    ['2025-02-03 00:01,10,12,9,11,8', 'time "2025-02-03 00:01" is not a plain decimal number'],
  ])('%s', (line, problem) => {
    expect(sentence(() => parseCsvRows(FILE, `${GOOD}\n${line}\n`, MINUTE_MS))).toBe(
      `${FILE} line 2: ${problem}`,
    );
  });

  it('counts the heading and names the line, not the row', () => {
    const text = `time,open,high,low,close,volume\r\n${GOOD}\r\n\r\n${NEXT},10,9,9,9,1\r\n`;
    expect(sentence(() => parseCsvRows(FILE, text, MINUTE_MS))).toBe(
      `${FILE} line 4: high 9 is below open 10`,
    );
  });

  it('refuses a heading in another order', () => {
    const text = `time,open,close,high,low,volume\n${GOOD}`;
    expect(sentence(() => parseCsvRows(FILE, text, MINUTE_MS))).toMatch(
      /line 1: the heading is "time,open,close/,
    );
  });

  it('refuses a file without candles', () => {
    for (const text of ['', '\n', 'time,open,high,low,close,volume\n']) {
      expect(sentence(() => parseCsvRows(FILE, text, MINUTE_MS))).toBe(`${FILE} has no candles`);
    }
  });
});

describe('a spec', () => {
  it.each([
    ['csv:data/candles@1m', { dir: 'data/candles', frame: '1m', from: null, loop: false }],
    ['csv:/a@b/c', { dir: '/a@b/c', frame: null, from: null, loop: false }],
    ['csv:/a@b/c,d@5m,loop', { dir: '/a@b/c,d', frame: '5m', from: null, loop: true }],
    ['csv:dir,loop,from=2025-02-03', { dir: 'dir', frame: null, from: TIME, loop: true }],
    ['csv:dir@1h,from=2025-02-03T00:00:00.000Z', { dir: 'dir', frame: '1h', from: TIME, loop: false }],
  ])('%s', (spec, expected) => {
    expect(parseCsvSpec(spec)).toEqual(expected);
  });

  it.each([
    ['dir@1m', /a CSV feed is written csv:DIR@1m/],
    ['csv:', /the folder is missing/],
    ['csv:@1m', /the folder is missing/],
    ['csv:dir@1x', /"1x" is not a time frame such as 1m/],
    ['csv:dir@1m,looop', /unknown option "looop"; there are from=TIME and loop/],
    ['csv:dir@1m,from=yesterday', /from=yesterday is not a time such as/],
    ['csv:dir@1m,from=2025-13-03', /from=2025-13-03 is not a time such as/],
  ])('%s is refused', (spec, problem) => {
    expect(sentence(() => parseCsvSpec(spec))).toMatch(problem);
  });
});

describe('a folder', () => {
  const folder = (files: readonly string[]) => {
    const dir = mkdtempSync(join(tmpdir(), 'outcry-csv-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    for (const name of files) writeFileSync(join(dir, name), GOOD);
    return dir;
  };
  const refusal = (dir: string, rest = '') => sentence(() => openCsvFeed({ spec: `csv:${dir}${rest}` }));

  it('that is missing, no folder or empty is refused', () => {
    const dir = folder(['README.md', FILE]);
    expect(refusal(join(dir, 'none'))).toBe(`${join(dir, 'none')}: no such folder`);
    expect(refusal(join(dir, FILE))).toBe(`${join(dir, FILE)}: is not a folder`);
    expect(refusal(folder(['btcusdt-1m.csv', 'BTCUSDT.csv']))).toMatch(
      /has no candle files; they are named like/,
    );
  });

  it('with several time frames needs one named, and offers them', () => {
    const dir = folder([FILE, 'BTCUSDT-1h.csv', 'ETHUSDT-5m.csv']);
    const choices = `csv:${dir}@1m, csv:${dir}@5m, csv:${dir}@1h`;
    expect(refusal(dir)).toBe(`${dir} has candles of 3 time frames; choose one of ${choices}`);
    expect(refusal(dir, '@3m')).toBe(`${dir} has no 3m candles; there is ${choices}`);
    expect(openCsvFeed({ spec: `csv:${dir}@1m` }).symbols).toEqual(['BTCUSDT']);
    expect(openCsvFeed({ spec: `csv:${folder([FILE])}` }).frameMs).toBe(MINUTE_MS);
  });

  it('whose candles all open before `from` is refused', () => {
    expect(refusal(folder([FILE]), ',from=2026-01-01')).toMatch(
      /no candle opens at or after 2026-01-01T00:00:00.000Z/,
    );
  });

  it('with a file that cannot be read is refused', () => {
    const readFile = () => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    expect(sentence(() => openCsvFeed({ spec: 'csv:d', readDir: () => [FILE], readFile }))).toBe(
      `${FILE} cannot be read: permission denied`,
    );
  });
});
