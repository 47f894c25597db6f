/** `outcry backtest`: its input, its output, the files it writes, and its error messages. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BacktestSettings, backtest } from '../../src/cli/backtest.ts';
import { lineChart } from '../../src/cli/chart.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { csvCell } from '../../src/domain/csv.ts';

const M = 60_000;
const T = Date.UTC(2025, 1, 3);
let dir: string;

/** Writes a file and returns its path. */
function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

function candles(name: string, rows: readonly (readonly number[])[], frameMs = M): string {
  const lines = rows.map((row, i) => [T + i * frameMs, ...row, 8].join(','));
  return file(name, `time,open,high,low,close,volume\n${lines.join('\n')}\n`);
}

const PAIR = { exchange: 'paper-spot', symbol: { base: 'BTC', quote: 'USDT' } };
const SQUEEZE = {
  type: 'SQUEEZE',
  settings: {
    ...PAIR,
    deposit: { value: '1000', asset: 'USDT' },
    timeFrame: M,
    price: { percent: { buy: '1', sell: '0.5' } },
  },
};
const ALARM = {
  type: 'ALARM',
  settings: {
    ...PAIR,
    notify: ['ops'],
    message: '=HYPERLINK("x"),\u001b[31m{price}',
    range: [{ type: 'price', trend: { 0: 98.5, [T]: 98.5 } }],
  },
};
const DIP = [
  [100, 100, 100, 100],
  [100, 100, 98, 99],
  [99, 101, 99, 101],
  [101, 101, 101, 101],
];

const bot = (given: unknown, name = 'bot.json') => file(name, JSON.stringify(given));

async function run(settings: Partial<BacktestSettings>, env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  let time = 0;
  const stdout = { write: (text: string) => out.push(text), columns: 80 };
  const stderr = { write: (text: string) => err.push(text), isTTY: env.TTY === '1' };
  const now = () => {
    time += 200;
    return time;
  };
  const given = { config: join(dir, 'squeeze.json'), candles: [join(dir, 'BTCUSDT-1m.csv')], ...settings };
  const code = await backtest(given, { stdout, stderr, env, now });
  return { code, out: out.join(''), err: err.join('') };
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'outcry-backtest-'));
  candles('BTCUSDT-1m.csv', DIP);
  bot(SQUEEZE, 'squeeze.json');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// proves: bot backtest command
describe('outcry backtest', () => {
  it('says in a screenful what came of it and what was assumed', async () => {
    const { code, out, err } = await run({});
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatchInlineSnapshot(`
      "SQUEEZE on BTCUSDT (paper-spot), 4 candles of 1m
      2025-02-03 00:00 to 2025-02-03 00:04 UTC; the bot went on at the end (waiting)

      Deposit                  1,000.00 USDT    ROI             +0.30 %
      Realised                    +3.04 USDT    Buy and hold    +1.00 %
      Unrealised                 +<0.01 USDT    Max drawdown    1.11 %
      Fees                         2.00 USDT    Time in market  25.00 %
      Traded                   2,004.04 USDT    Profit factor   –
      Fills                                2    Cycles          1 (100.00 % won)
      Still held                  0.00000899

      Equity, USDT
       1,003.04 │                                         ⢸⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
                │                                         ⢸
                │                                         ⢸
                │                                         ⢸
                │                                         ⢸
                │⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀            ⢸
                │                            ⡇            ⢸
         999.00 │                            ⣇⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣸
                 2025-02-03 00:00                                     2025-02-03 00:03

      Assumed:
      - Candles are played as four ticks: open, low, high, close where the close is at
        or above the open, else open, high, low, close; at the open time, 1/4, 1/2 and
        the last millisecond.
      - A resting order fills whole, at its limit, at the first tick that reaches it;
        MARKET orders and triggered stops fill at the price of the tick. Nothing
        trades between two ticks, there is no queue and no delay.
      - Fees: maker 0.1 %, taker 0.1 %.
      - Filters (tick, step, minimum): the paper spot exchange's.
      "
    `);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('draws with plain ASCII when asked, or on a dumb terminal', async () => {
    const plain = await run({ ascii: true });
    expect(plain.out).toMatch(/^[\n\x20-\x7e]*$/);
    expect((await run({}, { TERM: 'dumb' })).out).toBe(plain.out);
  });

  it('prints the whole result as one line of JSON', async () => {
    const { out } = await run({ json: true });
    const result = JSON.parse(out);
    expect(out.indexOf('\n')).toBe(out.length - 1);
    expect(result.trades.map(({ side, price }: { side: string; price: string }) => [side, price])).toEqual([
      ['BUY', '99'],
      ['SELL', '99.5'],
    ]);
    expect(result.filters.tickSize).toBe('0.01');
    expect((await run({ json: true })).out).toBe(out);
  });

  it('takes fee, slippage, balance, from and to', async () => {
    const { out } = await run({
      json: true,
      fee: { maker: '0', taker: '1' },
      slippage: '0.1',
      balance: '2000',
      from: T + M,
      to: T + 3 * M,
    });
    const { figures, assumptions, candles: played } = JSON.parse(out);
    expect(played).toMatchObject({ from: T + M, to: T + 3 * M, count: 2 });
    expect(figures.fees).toBe('0');
    expect(assumptions.join(' ')).toMatch(/MARKET orders fill 0\.1 % worse.*maker 0 %, taker 1 %/);
    const percent = {
      ...SQUEEZE,
      settings: { ...SQUEEZE.settings, deposit: { value: '10', asset: 'USDT', strategy: 'percent' } },
    };
    const small = await run({ json: true, config: bot(percent), balance: '2000' });
    expect(JSON.parse(small.out).figures.budget).toBe('200');
  });

  it('writes the trades as CSV', async () => {
    const csv = join(dir, 'trades.csv');
    await run({ csv });
    expect(readFileSync(csv, 'utf8').split('\r\n')).toEqual([
      'time,timestamp,side,price,qty,quote,fee,feeAsset,maker,role,label,realised',
      `2025-02-03T00:01:30.000Z,${T + 90_000},BUY,99,10.10101,999.99999,0.01010101,BTC,true,entry,entry,0`,
      expect.stringMatching(/^2025-02-03T00:02:30\.000Z,\d+,SELL,99\.5,10\.0909,/),
      '',
    ]);
  });

  it('draws equity and drawdown as a picture that refers to nothing outside', async () => {
    const svg = join(dir, 'equity.svg');
    await run({ svg });
    const text = readFileSync(svg, 'utf8');
    expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="960"/);
    expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /href|url\(|https?:|<script|<style|@import/,
    );
    expect(text).toContain('<polyline');
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('lists alerts instead of fills for bots that only tell', async () => {
    const csv = join(dir, 'alerts.csv');
    const { code, out } = await run({ config: bot(ALARM), csv });
    expect(code).toBe(0);
    // The message's text acts neither as a command on the terminal nor as a formula in a spreadsheet.
    expect(out).toContain('1 alert\n2025-02-03 00:01:30  BTCUSDT  range[0]  =HYPERLINK("x"),␛[31m98\n');
    expect(readFileSync(csv, 'utf8')).toContain(`,range[0],98,"'=HYPERLINK(""x""),\u001b[31m98"`);
  });

  it('scans every symbol it is given candles of for NOTIFY', async () => {
    const frameMs = 5 * M;
    const paths = [
      candles(
        'ETHUSDT-5m.csv',
        [
          [10, 10, 10, 10],
          [10, 12, 10, 12],
        ],
        frameMs,
      ),
      candles(
        'BTCUSDT-5m.csv',
        [
          [100, 110, 100, 110],
          [110, 110, 110, 110],
        ],
        frameMs,
      ),
    ];
    const settings = {
      exchange: 'paper-spot',
      timeFrame: frameMs,
      conditions: [{ type: 'price_change', percent: 5 }],
    };
    const { out } = await run({ config: bot({ type: 'NOTIFY', settings }), candles: paths });
    expect(out).toMatch(
      /NOTIFY on all symbols[\s\S]*2 alerts\n2025-02-03 00:05:00 {2}BTCUSDT[^\n]*\n2025-02-03 00:10:00 {2}ETHUSDT/,
    );
  });

  it('tells the frame of a file by its candles and the symbol by the bot when the name says neither', async () => {
    const { out } = await run({ candles: [candles('mine.csv', DIP, 5 * M)] });
    expect(out).toMatch(/SQUEEZE on BTCUSDT \(paper-spot\), 4 candles of 5m/);
  });

  it('derives the filters of a symbol that the paper exchange does not know, and says so', async () => {
    const settings = { ...SQUEEZE.settings, symbol: { base: 'FOO', quote: 'USDT' } };
    const { out } = await run({
      config: bot({ ...SQUEEZE, settings }),
      candles: [candles('FOOUSDT-1m.csv', DIP)],
    });
    expect(out.replace(/\n {2}/g, ' ')).toContain('of FOOUSDT are derived from the prices in the file');
  });

  it('shows a bar only on a terminal and only when it takes long', async () => {
    const long = candles(
      'BTCUSDT-3m.csv',
      Array.from({ length: 30_000 }, () => [100, 100, 100, 100]),
      3 * M,
    );
    expect((await run({ candles: [long] })).err).toBe('');
    const { err } = await run({ candles: [long] }, { TTY: '1' });
    expect(err).toMatch(/^\r\[#{8,}\.+\] \d+ %/);
    expect(err.endsWith('\r\u001b[K')).toBe(true);
  });
});

// proves: bot backtest command
describe('outcry backtest complains', () => {
  it('of settings in the words of a failed start, a line each', async () => {
    const wrong = {
      ...SQUEEZE,
      settings: { ...SQUEEZE.settings, timeFrame: 61_000, deposit: { value: '1', asset: 'EUR' } },
    };
    const { code, out, err } = await run({ config: bot(wrong) });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(
      /bot\.json: the bot cannot be started:\n {2}timeFrame: must be one of .*\n {2}deposit\.asset: must be USDT for BTCUSDT on paper-spot\n$/,
    );
  });

  it.each<[string, () => Partial<BacktestSettings>, RegExp]>([
    [
      'a config that is not there',
      () => ({ config: join(dir, 'none.json') }),
      /--config: .*none\.json: there is no such file; it takes a JSON file/,
    ],
    ['a config that is no JSON', () => ({ config: file('x.json', '{') }), /x\.json is no JSON: /],
    [
      'a config that is no bot',
      () => ({ config: file('x.json', '[]') }),
      /holds no bot; it takes an object such as/,
    ],
    [
      'a config without type and settings',
      () => ({ config: file('x.json', '{"a":1}') }),
      /has neither type nor settings/,
    ],
    ['an unknown type', () => ({ config: bot({ ...SQUEEZE, type: 'GRID' }) }), /type: must be one of FIBO/],
    [
      'an unknown exchange',
      () => ({ config: bot({ ...SQUEEZE, settings: { ...SQUEEZE.settings, exchange: 'mtgox' } }) }),
      /settings\.exchange: "mtgox" is not connected; connected: paper-spot, paper-futures/,
    ],
    [
      'candles that are not there',
      () => ({ candles: [join(dir, 'ETHUSDT-1m.csv')] }),
      /--candles: .*ETHUSDT-1m\.csv: there is no such file/,
    ],
    ['a folder', () => ({ candles: [dir] }), /it is a folder; it takes a candle file/],
    [
      'a wrong line',
      () => ({ candles: [file('BTCUSDT-15m.csv', `time,open,high,low,close,volume\n${T},1,2,1`)] }),
      /BTCUSDT-15m\.csv line 2: has 4 columns instead of 6/,
    ],
    [
      'candles of another symbol',
      () => ({ candles: [candles('ETHUSDT-1h.csv', DIP, 60 * M)] }),
      /ETHUSDT-1h\.csv has candles of ETHUSDT, the bot works on BTCUSDT/,
    ],
    [
      'several symbols for one that trades',
      () => ({ candles: [join(dir, 'BTCUSDT-1m.csv'), candles('ETHUSDT-1m.csv', DIP)] }),
      /SQUEEZE works on one symbol, there are candles of BTCUSDT, ETHUSDT; give those of BTCUSDT alone/,
    ],
    [
      'the same symbol twice',
      () => ({ candles: [join(dir, 'BTCUSDT-1m.csv'), join(dir, 'BTCUSDT-1m.csv')] }),
      /there are two files of BTCUSDT/,
    ],
    [
      'a range without candles',
      () => ({ from: T + 60 * M }),
      /no candle of BTCUSDT opens between --from and --to: the first one opens at 2025-02-03T00:00Z, the last one at 2025-02-03T00:03Z/,
    ],
    [
      'a symbol that is not quoted in USDT',
      () => ({
        config: bot({ ...SQUEEZE, settings: { ...SQUEEZE.settings, symbol: { base: 'ETH', quote: 'BTC' } } }),
        candles: [candles('ETHBTC-1m.csv', DIP)],
      }),
      /ETHBTC cannot be traded here/,
    ],
    [
      'a file that cannot be written',
      () => ({ csv: join(dir, 'no/such/folder.csv') }),
      /--csv: .*folder\.csv cannot be written \(ENOENT\)/,
    ],
  ])('of %s', async (_what, settings, words) => {
    const asked = run(settings());
    await expect(asked).rejects.toThrow(UsageError);
    await expect(asked).rejects.toThrow(words);
  });

  it('of candles of two frames', async () => {
    mkdirSync(join(dir, 'two'), { recursive: true });
    const settings = {
      exchange: 'paper-spot',
      timeFrame: 5 * M,
      conditions: [{ type: 'price_change', percent: 5 }],
    };
    const paths = [join(dir, 'BTCUSDT-1m.csv'), candles('two/ETHUSDT-5m.csv', DIP, 5 * M)];
    await expect(run({ config: bot({ type: 'NOTIFY', settings }), candles: paths })).rejects.toThrow(
      /the files have candles of 1m and 5m; all must have the same/,
    );
  });
});

// proves: bot backtest command
describe('the command line of a backtest', () => {
  const parse = (...args: string[]) =>
    parseCommandLine(['backtest', '--config', 'b.json', '--candles', 'c.csv', ...args], '1');

  it('is read with all its options', () => {
    expect(
      parse(
        '--from',
        '2025-02-03',
        '--to=2025-02-03T02:00+01:00',
        '--fee',
        '0.02,0.05',
        '--slippage',
        '0.1',
        '--balance',
        '500',
        '--json',
        '--csv',
        't.csv',
        '--svg',
        'e.svg',
        '--ascii',
      ),
    ).toEqual({
      command: 'backtest',
      settings: {
        config: 'b.json',
        candles: ['c.csv'],
        from: T,
        to: T + 3_600_000,
        fee: { maker: '0.02', taker: '0.05' },
        slippage: '0.1',
        balance: '500',
        json: true,
        csv: 't.csv',
        svg: 'e.svg',
        ascii: true,
      },
    });
    expect(parse('--candles', 'd.csv', '--fee', '0.1')).toMatchObject({
      settings: { candles: ['c.csv', 'd.csv'], fee: { maker: '0.1', taker: '0.1' } },
    });
  });

  it.each([
    [['--from', 'yesterday'], /option --from cannot be "yesterday": it takes a time such as 2025-02-03/],
    [['--to', '2025-13-01'], /--to cannot be "2025-13-01"/],
    [['--from', '2025-02-03', '--to', '2025-02-03'], /--to cannot be at or before --from/],
    [['--fee', '1,2,3'], /--fee cannot be "1,2,3"/],
    [['--fee', '-1'], /--fee/],
    [['--slippage', '51'], /a percentage from 0 to 50/],
    [['--balance', '0'], /an amount above 0/],
    [['--port', '1'], /unknown option --port/],
  ])('is refused with %j', (args, words) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(words);
  });

  it('needs a bot and candles', () => {
    expect(() => parseCommandLine(['backtest'], '1')).toThrow(/option --config is missing: --config <file>/);
    expect(() => parseCommandLine(['backtest', '--config', 'b.json'], '1')).toThrow(
      /option --candles is missing/,
    );
  });
});

describe('the guide to backtests', () => {
  const guide = readFileSync(new URL('../../docs/backtest.md', import.meta.url), 'utf8');

  it('has a bot that runs as it stands', async () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
    expect((await run({ config: file('guide.json', example) })).out).toMatch(
      /^SQUEEZE on BTCUSDT \(paper-spot\)/,
    );
  });

  it('tells of every option', () => {
    const help = parseCommandLine(['backtest', '--help'], '1');
    const flags = help.command === 'print' ? (help.text.match(/--[a-z]+/g) ?? []) : [];
    expect(flags.length).toBeGreaterThan(10);
    for (const flag of new Set(flags)) if (flag !== '--help') expect(guide).toContain(flag);
  });
});

// proves: bot backtest command
describe('a cell of the CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['@x', "'@x"],
    ['-x', "'-x"],
    ['-1.5', '-1.5'],
    ['\t=1', "'\t'=1"],
    ['a\r\nb', '"a\r\nb"'],
  ])('of %j is %j', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

describe('a line chart', () => {
  it('is drawn with eight dots a cell', () => {
    expect(lineChart([0, 1, 2, 3, 4, 5, 6, 7], { width: 4, height: 2, ascii: false })).toEqual([
      '  ⣠⠞',
      '⣠⠞⠁',
    ]);
  });

  it('is drawn in ASCII with a mark a cell', () => {
    expect(lineChart([0, 1, 2, 3], { width: 4, height: 4, ascii: true })).toEqual([
      '   *',
      '  **',
      ' **',
      '**',
    ]);
  });

  it('lies in the middle when nothing moves', () => {
    expect(lineChart([5, 5], { width: 2, height: 3, ascii: true })).toEqual(['', '**', '']);
  });
});
