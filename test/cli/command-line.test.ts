import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { run } from '../../src/cli/run.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

const parse = (...args: string[]) => parseCommandLine(args, '1.2.3');

describe('the command line is read as', () => {
  test.each([
    [[], { command: 'console', settings: {} }],
    [['console'], { command: 'console', settings: {} }],
    [['serve'], { command: 'serve', settings: {} }],
    [
      ['--theme', 'light', '--ascii', '--screen-reader'],
      { command: 'console', settings: { theme: 'light', ascii: true, screenReader: true } },
    ],
    [
      ['serve', '--port', '0', '--host', '::1', '--speed', '0.5', '--seed', '7', '--hold'],
      { command: 'serve', settings: { port: 0, host: '::1', speed: 0.5, seed: 7, hold: true } },
    ],
    [
      ['serve', '--speed=max', '--feed=csv:my candles@1m,from=2025-01-01T00:00:00Z,loop'],
      {
        command: 'serve',
        settings: { speed: 'max', feed: 'csv:my candles@1m,from=2025-01-01T00:00:00Z,loop' },
      },
    ],
    [['--data-dir', 'd', 'serve', '--port', '1'], { command: 'serve', settings: { dataDir: 'd', port: 1 } }],
    [['--port', '1', 'serve', '--port', '2'], { command: 'serve', settings: { port: 2 } }],
    [
      ['serve', '--tls-cert', 'c.pem', '--tls-key', 'k.pem', '--host', 'desk.example.org'],
      { command: 'serve', settings: { tlsCert: 'c.pem', tlsKey: 'k.pem', host: 'desk.example.org' } },
    ],
    [
      ['serve', '--trusted-proxy', '10.0.0.1', '--trusted-proxy', 'fd00::/8'],
      { command: 'serve', settings: { trustedProxy: ['10.0.0.1', 'fd00::/8'] } },
    ],
    [
      ['--allow-origin', 'https://a.example', '--allow-origin=http://127.0.0.1:8080'],
      { command: 'console', settings: { allowOrigin: ['https://a.example', 'http://127.0.0.1:8080'] } },
    ],
    [
      ['ping', '--key', 'k.pem', '--ca', 'ca.pem'],
      { command: 'ping', settings: { key: 'k.pem', ca: 'ca.pem' } },
    ],
    [['ping', '--key', 'k.pem'], { command: 'ping', settings: { key: 'k.pem' } }],
    [
      ['ping', '--key', 'k.pem', '--url', 'http://h:1/api/'],
      { command: 'ping', settings: { key: 'k.pem', url: 'http://h:1/api' } },
    ],
    [
      ['pnl', '--from', '2026-11-01', '--to', '2026-11-02', '--by', 'symbol', '--json'],
      {
        command: 'pnl',
        settings: { since: Date.UTC(2026, 10, 1), until: Date.UTC(2026, 10, 2), by: 'symbol', json: true },
      },
    ],
    // One flag, then an option of another command.
    [
      ['ssh', 'add', 'ann', '--role', 'viewer', '--from', '10.0.0.0/8', '--from', 'fd00::/8', '--ca'],
      {
        command: 'ssh add',
        settings: { which: 'ann', role: 'viewer', network: ['10.0.0.0/8', 'fd00::/8'], certificates: true },
      },
    ],
    [['--version'], { command: 'print', text: '1.2.3\n' }],
  ])('%j', (args, line) => {
    expect(parse(...args)).toEqual(line);
  });

  test('help names every command and option', () => {
    const line = parse('--help');
    const text = line.command === 'print' ? line.text : '';
    for (const word of [
      'serve',
      'ping',
      '--data-dir',
      '--port',
      '--host',
      '--feed',
      '--speed',
      '--hold',
      '--seed',
      '--tls-cert',
      '--tls-key',
      '--trusted-proxy',
      '--allow-origin',
    ])
      expect(text).toContain(word);
    expect(parse('serve', '--help')).toMatchObject({
      command: 'print',
      text: expect.stringMatching(/--host[\s\S]*--tls-cert[\s\S]*--trusted-proxy[\s\S]*--allow-origin/),
    });
    expect(parse('ping', '--help')).toMatchObject({
      command: 'print',
      text: expect.stringContaining('--key'),
    });
  });
});

/** Arguments, and the pattern that the error must match. */
const WRONG: [string[], RegExp][] = [
  [['--port', 'x'], /^option --port cannot be "x": it takes a whole number from 0 .* to 65535$/],
  [['--port', '65536'], /^option --port cannot be "65536"/],
  [['--port', '-1'], /^option --port cannot be "-1"/],
  [['--port', '1.5'], /^option --port cannot be "1.5"/],
  [['--port', ''], /^option --port cannot be ""/],
  [['--port', '0x50'], /^option --port cannot be "0x50"/],
  [['serve', '--port'], /^option --port needs a value: --port <port>$/],
  [['--host', ''], /^option --host cannot be ""/],
  [['--host', '127.0.0.256'], /^option --host cannot be "127.0.0.256": it takes an IP address or host name/],
  [['--host', 'a b'], /^option --host cannot be "a b"/],
  [['--host', 'http://x'], /^option --host/],
  [
    ['--feed', 'binance:swap'],
    /^option --feed cannot be "binance:swap": it takes synthetic, csv:.*or binance/,
  ],
  [['--feed', 'csv:'], /^option --feed cannot be "csv:"/],
  [['--feed', 'csv:@1m'], /^option --feed cannot be "csv:@1m"/],
  [['--speed', '0'], /^option --speed cannot be "0": it takes a number above 0, .* or max$/],
  [['--speed', '-2'], /^option --speed cannot be "-2"/],
  [['--speed', 'fast'], /^option --speed cannot be "fast"/],
  [['--speed', 'Infinity'], /^option --speed cannot be "Infinity"/],
  [['--speed', 'NaN'], /^option --speed cannot be "NaN"/],
  [['--speed', '1e3'], /^option --speed cannot be "1e3"/],
  [['--seed', 'abc'], /^option --seed cannot be "abc"/],
  [
    ['--seed', '4294967296'],
    /^option --seed cannot be "4294967296": it takes a whole number from 0 to 4294967295$/,
  ],
  [['--seed', '-1'], /^option --seed cannot be "-1"/],
  [['--theme', '../x'], /^option --theme cannot be "..\/x"/],
  [['--data-dir', ' '], /^option --data-dir cannot be " ": it takes the path of a folder$/],
  [['--data-dir'], /^option --data-dir needs a value/],
  [['--tls-cert', ''], /^option --tls-cert cannot be "": it takes the path of a PEM file$/],
  [['--tls-key', ' '], /^option --tls-key cannot be " ": it takes the path of a PEM file$/],
  [['serve', '--tls-key'], /^option --tls-key needs a value: --tls-key <file>$/],
  [
    ['--trusted-proxy', '10.0.0.1', '--trusted-proxy', 'proxy'],
    /^option --trusted-proxy cannot be "proxy": it takes the address or range of a proxy, such as 10\.0\.0\.1/,
  ],
  [
    ['--ssh', '2222'],
    /^option --ssh cannot be "2222": it takes an IP address of this machine and a port, such as 127\.0\.0\.1:2222/,
  ],
  ...[
    '127.0.0.1',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '::1:22',
    '[::1]',
    'localhost:22',
    '[127.0.0.1]:22',
    '1.2.3.4:22 x',
  ].map((address): [string[], RegExp] => [['serve', '--ssh', address], /^option --ssh cannot be/]),
  [['--trusted-proxy', '10.0.0.0/33'], /^option --trusted-proxy cannot be "10\.0\.0\.0\/33"/],
  [['--trusted-proxy', ''], /^option --trusted-proxy cannot be ""/],
  [
    ['--allow-origin', 'app.example.org'],
    /^option --allow-origin cannot be "app\.example\.org": it takes the origin of a web page, such as https/,
  ],
  [['--allow-origin', 'https://a.example/x'], /^option --allow-origin cannot be/],
  [['--allow-origin', 'null'], /^option --allow-origin cannot be/],
  [['--tls-crt', 'x'], /^unknown option --tls-crt: did you mean --tls-cert\?$/],
  [['serve', '--ca', 'x'], /^unknown option --ca/],
  [['ping', '--key', 'k', '--ca', ''], /^option --ca cannot be "": it takes the path of a PEM file$/],
  [['--prot', '1'], /^unknown option --prot: did you mean --port\?$/],
  [['--xyzzy'], /^unknown option --xyzzy: outcry --help lists the options$/],
  [['-p', '1'], /^unknown option -p/],
  [['serve', '--xyzzy'], /^unknown option --xyzzy/],
  [
    ['trade'],
    /^unknown command "trade": the commands are console, serve, ping, backtest, keys, vault, attach, ssh, connect, disconnect, pnl, panic, status, orders, positions, cancel-all, logs, stop, doctor, completions$/,
  ],
  [['--port', '1', 'trade'], /^unknown command "trade"/],
  [['serve', 'now'], /^outcry serve takes no arguments/],
  [['--theme', 'dark', 'serve'], /^option --theme does not apply to outcry serve/],
  [['--speed', '2', 'ping', '--key', 'k'], /^option --speed does not apply to outcry ping/],
  [['serve', '--theme', 'dark'], /^unknown option --theme/],
  [['ping'], /^option --key is missing: outcry ping --key FILE/],
  [['ping', '--key', ''], /^option --key cannot be ""/],
  [
    ['ping', '--key', 'k', '--url', 'localhost'],
    /^option --url cannot be "localhost": it takes an http or https/,
  ],
  [['ping', '--key', 'k', '--url', 'ftp://x'], /^option --url/],
];

describe('a wrong command line is one sentence and exit code 2', () => {
  test.each(WRONG)('%j', (args, sentence) => {
    let error: unknown;
    try {
      parse(...args);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(sentence);
    expect((error as UsageError).message).not.toContain('\n');
    expect((error as UsageError).exitCode).toBe(2);
  });
});

describe('running a command line', () => {
  /** Runs the program and returns its stderr. */
  async function runQuietly(...args: string[]): Promise<{ code: number; stderr: string }> {
    const write = process.stderr.write;
    let stderr = '';
    process.stderr.write = ((text: string) => {
      stderr += text;
      return true;
    }) as typeof write;
    try {
      return { code: await run(args), stderr };
    } finally {
      process.stderr.write = write;
    }
  }

  test('that is wrong writes the sentence to stderr and ends with 2', async () => {
    const { code, stderr } = await runQuietly('--speed', '0');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^outcry: option --speed cannot be "0"[^\n]*\n$/);
  });

  test('for a console without a terminal says so and ends with 2', async () => {
    const terminals = [process.stdin.isTTY, process.stdout.isTTY];
    process.stdin.isTTY = false;
    process.stdout.isTTY = false;
    const { code, stderr } = await runQuietly();
    [process.stdin.isTTY, process.stdout.isTTY] = terminals as [boolean, boolean];
    expect(code).toBe(2);
    expect(stderr).toBe(
      'outcry: the console needs a terminal for its input and output; outcry serve runs a desk without one\n',
    );
  });

  test('to ping with a key file that is not there, or is no key, ends with 2', async () => {
    const missing = await runQuietly('ping', '--key', '/nowhere/k.pem');
    expect(missing).toEqual({
      code: 2,
      stderr: expect.stringContaining('/nowhere/k.pem cannot be read (ENOENT)'),
    });
    const none = await runQuietly('ping', '--key', import.meta.filename, '--url', 'http://127.0.0.1:9/api');
    expect(none).toEqual({ code: 2, stderr: expect.stringContaining('holds no Ed25519 private key') });
  });

  test('to ping with a certificate that is none ends with 2', async () => {
    const ping = ['ping', '--key', import.meta.filename, '--url', 'https://127.0.0.1:9/api', '--ca'];
    expect(await runQuietly(...ping, '/nowhere/ca.pem')).toEqual({
      code: 2,
      stderr: expect.stringContaining('option --ca: /nowhere/ca.pem cannot be read (ENOENT)'),
    });
    expect(await runQuietly(...ping, import.meta.filename)).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /option --ca: .* holds no certificate; it takes the PEM file of a certificate/,
      ),
    });
  });
});

describe('what a newcomer types first', () => {
  test.each([['-h'], ['--help'], ['help'], ['serve', '-h'], ['help', 'serve']])(
    '%s prints help',
    (...args) => {
      expect(parse(...args)).toMatchObject({
        command: 'print',
        text: expect.stringContaining('Usage: outcry'),
      });
    },
  );

  test.each(['-v', '--version'])('%s prints the version', (flag) => {
    expect(parse(flag)).toEqual({ command: 'print', text: '1.2.3\n' });
  });

  test('an option whose value was left out is named', () => {
    expect(() => parse('--data-dir', '--port', '0')).toThrow(
      'option --data-dir needs a value: --data-dir <dir>; what follows it is the option --port',
    );
    expect(parse('--data-dir=--port', '--port', '0')).toMatchObject({ settings: { port: 0 } });
  });
});
