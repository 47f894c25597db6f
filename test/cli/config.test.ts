import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROUTE_TIERS } from '../../src/access/tiers.ts';
import { parseConfig, readConfig } from '../../src/cli/config.ts';
import { deskOptions } from '../../src/cli/desk-settings.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { compileDeskOptions } from '../../src/desk/options.ts';
import { compileServiceLimits, type ServiceLimits } from '../../src/domain/limits.ts';

const FILE = '/data/config.toml';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string | Buffer, mode = 0o600): void {
  writeFileSync(join(folder, 'config.toml'), text, { mode });
}

/** The message of a refusal. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).exitCode).toBe(2);
    expect((error as UsageError).message).not.toContain('\n');
    return (error as UsageError).message;
  }
  throw new Error('it was read');
}

const WHOLE = `
[api]
host = "0.0.0.0"
port = 7421
tls_cert = "tls/cert.pem"
tls_key = "/etc/tls/key.pem"
trusted_proxies = ["10.0.0.1", "fd00::/8"]
allowed_origins = ["https://app.example.org", "http://127.0.0.1:8080"]

[limits]
window_ms = 1_000
address_requests = 500
address_sockets = 300
other_route_requests = 7
bots = 600

[limits.routes]
"POST /orders" = 20
"DELETE /orders/{id}" = 100

[limits.tiers]
read = 1
trade = 2.5
full = 4

[limits.stream]
per_address = 60
total = 20_000
frame_bytes = 32_768
messages = 300
message_window_ms = 20_000
auth_attempts = 3
auth_ms = 4_000
backlog_bytes = 1_048_576
subscriptions = 100
heartbeat_ms = 10_000
`;

const WHOLE_LIMITS = {
  windowMs: 1_000,
  addressRequests: 500,
  addressSockets: 300,
  otherRouteRequests: 7,
  bots: 600,
  routeRequests: { 'POST /orders': 20, 'DELETE /orders/{id}': 100 },
  tierFactors: { read: 1, trade: 2.5, full: 4 },
  stream: {
    perAddress: 60,
    total: 20_000,
    frameBytes: 32_768,
    messages: 300,
    messageWindowMs: 20_000,
    authAttempts: 3,
    authMs: 4_000,
    backlogBytes: 1_048_576,
    subscriptions: 100,
    heartbeatMs: 10_000,
  },
} satisfies ServiceLimits;

describe('the configuration file', () => {
  // proves: S17, S49
  test('the addresses of the desk’s own sshd: the command line wins over the file', () => {
    write('[ssh]\nlisten = ["127.0.0.1:2222", "[::1]:2222"]\n');
    const [v4, v6] = [
      { host: '127.0.0.1', port: 2222 },
      { host: '::1', port: 2222 },
    ];
    expect(compileDeskOptions(deskOptions({}, folder)).sshListen).toEqual([v4, v6]);
    const given = deskOptions({ ssh: ['0.0.0.0:22'] }, folder);
    expect(compileDeskOptions(given).sshListen).toEqual([{ host: '0.0.0.0', port: 22 }]);
    write('[ssh]\nlisten = ["2222"]\n');
    expect(refusal(() => readConfig(folder))).toMatch(
      /ssh\.listen\[0\] cannot be "2222": it takes an IP address/,
    );
  });

  test('sets every option that it can set', () => {
    expect(parseConfig(FILE, WHOLE)).toEqual({
      console: { keys: [] },
      options: {
        host: '0.0.0.0',
        port: 7421,
        tlsCert: '/data/tls/cert.pem',
        tlsKey: '/etc/tls/key.pem',
        trustedProxies: ['10.0.0.1', 'fd00::/8'],
        allowedOrigins: ['https://app.example.org', 'http://127.0.0.1:8080'],
        limits: WHOLE_LIMITS,
      },
      warnings: [],
    });
  });

  test('is shown on its page whole, with the defaults', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const [, example = ''] = /<!-- example: config\.toml -->\n```toml\n([\s\S]*?)```/.exec(page) ?? [];
    const { options, warnings } = parseConfig(FILE, example.replace(/^# (tls_\w+)/gm, '$1'));
    expect(warnings).toEqual([]);
    const { tls, ...rest } = compileDeskOptions({ dataDir: 'd', ...options });
    expect(tls).toEqual({ certFile: '/data/cert.pem', keyFile: '/data/key.pem' });
    expect(rest).toEqual(
      expect.objectContaining({ host: '127.0.0.1', port: 7420, trustedProxies: [], allowedOrigins: [] }),
    );
    expect(compileServiceLimits(options.limits)).toEqual(compileServiceLimits());
    const { stream, ...figures } = WHOLE_LIMITS;
    for (const [name, all] of [
      ['', figures],
      ['stream', stream],
    ] as const) {
      const shown = name === '' ? options.limits : options.limits?.stream;
      expect(
        Object.keys(shown ?? {})
          .filter((key) => key !== 'stream')
          .sort(),
      ).toEqual(Object.keys(all).sort());
    }
  });

  test('can set every limit there is', () => {
    const { stream, routeRequests: _, tierFactors, ...figures } = compileServiceLimits();
    const { stream: setStream, routeRequests: __, tierFactors: setFactors, ...setFigures } = WHOLE_LIMITS;
    expect(Object.keys(setFigures).sort()).toEqual(Object.keys(figures).sort());
    expect(Object.keys(setStream).sort()).toEqual(Object.keys(stream).sort());
    expect(Object.keys(setFactors).sort()).toEqual(Object.keys(tierFactors).sort());
    for (const [name, tier] of Object.entries(ROUTE_TIERS)) {
      const { warnings } = parseConfig(FILE, `[limits.routes]\n${JSON.stringify(name)} = 3`);
      expect(warnings.length, name).toBe(tier === null ? 1 : 0);
    }
  });

  test.each(['', '# nothing\n', '[api]\n', '[limits]\n[limits.routes]\n', '\u{feff}[api]\n'])(
    'that says nothing sets nothing: %j',
    (text) => {
      const { options, warnings } = parseConfig(FILE, text);
      expect(compileDeskOptions({ dataDir: 'd', ...options })).toEqual(
        expect.objectContaining({ host: '127.0.0.1', port: 7420, tls: null, trustedProxies: [] }),
      );
      expect(compileServiceLimits(options.limits)).toEqual(compileServiceLimits());
      expect(warnings).toEqual([]);
    },
  );

  test('need not be there', () => {
    expect(readConfig(folder)).toEqual({ options: {}, console: { keys: [] }, warnings: [] });
    expect(readConfig(join(folder, 'nowhere'))).toEqual({ options: {}, console: { keys: [] }, warnings: [] });
  });
});

test('the time after which a terminal is locked is in minutes, 0 is never, and nothing is the usual one', () => {
  const idleOf = (text: string) => parseConfig('/data/config.toml', text).options.idleLockMs;
  expect(idleOf('[desk]\nidle_lock_minutes = 5')).toBe(300_000);
  expect(idleOf('[desk]\nidle_lock_minutes = 0')).toBe(0);
  expect(idleOf('[desk]\ntime_zone = "UTC"')).toBeUndefined();
});

describe('a value that is wrong is refused in one sentence', () => {
  const WRONG: [text: string, sentence: string][] = [
    [
      '[desk]\nidle_lock_minutes = 1.5',
      'desk.idle_lock_minutes cannot be 1.5: it takes a whole number from 0 to 1440',
    ],
    [
      '[desk]\ntime_zone = "Berlin"',
      'desk.time_zone cannot be "Berlin": it takes the name of a time zone, such as UTC or Europe/Berlin',
    ],
    [
      '[api]\nport = "7420"',
      'api.port cannot be "7420": it takes a whole number from 0 (any free port) to 65535',
    ],
    [
      '[api]\nport = 65536',
      'api.port cannot be 65536: it takes a whole number from 0 (any free port) to 65535',
    ],
    ['[api]\nport = 1.5', 'api.port cannot be 1.5: it takes a whole number from 0 (any free port) to 65535'],
    ['[api]\nport = nan', 'api.port cannot be NaN: it takes a whole number from 0 (any free port) to 65535'],
    [
      '[api]\nport = true',
      'api.port cannot be true: it takes a whole number from 0 (any free port) to 65535',
    ],
    [
      '[api]\nport = 2026-01-01',
      'api.port cannot be 2026-01-01: it takes a whole number from 0 (any free port) to 65535',
    ],
    [
      '[api]\nhost = 1',
      'api.host cannot be 1: it takes an IP address or host name, such as 127.0.0.1 or ::1',
    ],
    [
      '[api]\nhost = "a b"',
      'api.host cannot be "a b": it takes an IP address or host name, such as 127.0.0.1 or ::1',
    ],
    ['[api]\ntls_cert = ""', 'api.tls_cert cannot be "": it takes the path of a PEM file'],
    ['[api]\ntls_key = ["a"]', 'api.tls_key cannot be a list: it takes the path of a PEM file'],
    [
      '[api]\ntrusted_proxies = "10.0.0.1"',
      'api.trusted_proxies cannot be "10.0.0.1": it takes a list, each entry the address or range of a proxy, such as 10.0.0.1 or 10.0.0.0/8',
    ],
    [
      '[api]\ntrusted_proxies = ["10.0.0.1", "10.0.0.256"]',
      'api.trusted_proxies[1] cannot be "10.0.0.256": it takes the address or range of a proxy, such as 10.0.0.1 or 10.0.0.0/8',
    ],
    [
      '[api]\nallowed_origins = ["https://app.example.org/"]',
      'api.allowed_origins[0] cannot be "https://app.example.org/": it takes the origin of a web page, such as https://app.example.org',
    ],
    [
      '[api]\nallowed_origins = ["*"]',
      'api.allowed_origins[0] cannot be "*": it takes the origin of a web page, such as https://app.example.org',
    ],
    ['[limits]\nwindow_ms = 0', 'limits.window_ms cannot be 0: it takes a whole number from 100 to 3600000'],
    [
      '[limits]\naddress_requests = 0',
      'limits.address_requests cannot be 0: it takes a whole number from 1 to 1000000',
    ],
    [
      '[limits]\nother_route_requests = inf',
      'limits.other_route_requests cannot be Infinity: it takes a whole number from 1 to 1000000',
    ],
    [
      '[limits.routes]\n"POST /orders" = -1',
      'limits.routes."POST /orders" cannot be -1: it takes a whole number from 1 to 1000000',
    ],
    [
      '[limits.tiers]\ntrade = 0',
      'limits.tiers.trade cannot be 0: it takes a number above 0 and at most 1000',
    ],
    [
      '[limits.tiers]\nfull = "2"',
      'limits.tiers.full cannot be "2": it takes a number above 0 and at most 1000',
    ],
    [
      '[limits.stream]\nframe_bytes = 1',
      'limits.stream.frame_bytes cannot be 1: it takes a whole number from 1024 to 16777216',
    ],
    ['api = 3', 'api cannot be 3: it takes a table, written as [api]'],
    ['[[api]]\nport = 1', 'api cannot be a list: it takes a table, written as [api]'],
    ['[limits]\nroutes = 5', 'limits.routes cannot be 5: it takes a table, written as [limits.routes]'],
    [
      '[limits]\nwindow_ms = {}',
      'limits.window_ms cannot be a table: it takes a whole number from 100 to 3600000',
    ],
    [
      `[api]\nhost = "${'x y'.repeat(40)}"`,
      `api.host cannot be "${'x y'.repeat(40).slice(0, 59)}...: it takes an IP address or host name, such as 127.0.0.1 or ::1`,
    ],
  ];
  test.each(WRONG)('%j', (text, sentence) => {
    expect(refusal(() => parseConfig(FILE, text))).toBe(`${FILE}: ${sentence}`);
  });

  test.each([
    ['[api\nport = 1', /^\/data\/config\.toml is not TOML at line \d, column \d+: ./],
    ['[api]\nport = 1\nport = 2', /^\/data\/config\.toml is not TOML at line 3, column \d+: ./],
    ['port 1', /is not TOML at line 1/],
    ['[api]\nport = 99999999999999999999', /is not TOML at line 2/],
    ['__proto__ = 1', /is not TOML at line 1/],
    ['constructor.prototype.x = 1', /is not TOML at line 1/],
    [`x = ${'['.repeat(100)}${']'.repeat(100)}`, /is not TOML at line 1/],
  ])('that is no TOML: %j', (text, sentence) => {
    expect(refusal(() => parseConfig(FILE, text))).toMatch(sentence);
  });

  test('in a file that cannot be read', () => {
    write(Buffer.from([0x61, 0xff]));
    expect(refusal(() => readConfig(folder))).toBe(
      `${join(folder, 'config.toml')} cannot be read (it is not UTF-8)`,
    );
    write('#'.repeat(262_145));
    expect(refusal(() => readConfig(folder))).toBe(
      `${join(folder, 'config.toml')} is larger than 262144 bytes`,
    );
    rmSync(join(folder, 'config.toml'));
    mkdirSync(join(folder, 'config.toml'));
    expect(refusal(() => readConfig(folder))).toBe(`${join(folder, 'config.toml')} cannot be read (EISDIR)`);
  });

  test('whatever the file holds', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant([]),
      fc.constant({}),
    );
    const key = fc.oneof(fc.constantFrom('api', 'limits', 'host', 'port', 'routes', 'toString'), fc.string());
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.oneof(value, fc.dictionary(key, value)))), (entries) => {
        const text = entries.map(([name, one]) => `${JSON.stringify(name)} = ${inline(one)}`).join('\n');
        try {
          parseConfig(FILE, text);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Writes a value as TOML on one line, valid or not. */
function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)} = ${inline(one)}`);
  return `{ ${pairs.join(', ')} }`;
}

describe('a key that nobody knows is a warning', () => {
  test.each([
    ['[apy]\nport = 1', 'unknown key apy is ignored; did you mean api?'],
    ['[api]\nprot = 1', 'unknown key api.prot is ignored; did you mean port?'],
    ['[api]\ntls-cert = "x"', 'unknown key api.tls-cert is ignored; did you mean tls_cert?'],
    ['[limits]\nwindowMs = 1', 'unknown key limits.windowMs is ignored; did you mean window_ms?'],
    [
      '[limits.routes]\n"POST /order" = 1',
      'unknown key limits.routes."POST /order" is ignored; did you mean POST /orders?',
    ],
    [
      '[limits.tiers]\nadmin = 2',
      'unknown key limits.tiers.admin is ignored; limits.tiers takes read, trade, full',
    ],
    [
      'colour = "red"',
      'unknown key colour is ignored; the file takes api, desk, vault, log, paper, ssh, console, limits, targets, keys, exchanges, feeds, notices',
    ],
    [
      'toString = 1',
      'unknown key toString is ignored; the file takes api, desk, vault, log, paper, ssh, console, limits, targets, keys, exchanges, feeds, notices',
    ],
  ])('%j', (text, sentence) => {
    const { options, warnings } = parseConfig(FILE, text);
    expect(warnings).toEqual([`${FILE}: ${sentence}`]);
    expect(options).toEqual({ limits: expect.anything() });
  });
});

describe.runIf(process.platform !== 'win32')('a file that is open to others', () => {
  test.each([0o644, 0o640, 0o606])('is read, with a warning (%o)', (mode) => {
    write('[api]\nport = 1\n');
    chmodSync(join(folder, 'config.toml'), mode);
    const { options, warnings } = readConfig(folder);
    expect(options.port).toBe(1);
    expect(warnings).toEqual([
      `${join(folder, 'config.toml')} is open to other users of this machine (mode 0${mode.toString(8)}); make it 0600`,
    ]);
  });
});

describe('the options of a new desk', () => {
  test('come from the command line first, then from the file, then from the defaults', () => {
    write(
      '[api]\nport = 7421\nhost = "::1"\ntrusted_proxies = ["10.0.0.1"]\nallowed_origins = ["https://a.example"]\n',
    );
    const options = deskOptions({ port: 9, trustedProxy: ['10.0.0.2'], seed: 3 }, folder);
    expect(compileDeskOptions(options)).toMatchObject({
      dataDir: folder,
      port: 9,
      host: '::1',
      seed: 3,
      speed: 1,
      trustedProxies: ['10.0.0.2'],
      allowedOrigins: ['https://a.example'],
      warnings: [],
    });
    expect(deskOptions({ allowOrigin: ['https://b.example'] }, folder).allowedOrigins).toEqual([
      'https://b.example',
    ]);
  });

  test('name files from the folder they are named in', () => {
    write('[api]\ntls_cert = "cert.pem"\ntls_key = "key.pem"\n');
    const { tls } = compileDeskOptions(deskOptions({ tlsKey: 'mine.pem' }, folder));
    expect(tls).toEqual({ certFile: join(folder, 'cert.pem'), keyFile: join(process.cwd(), 'mine.pem') });
  });

  test('carry the warnings of the file to the log of the desk', () => {
    write('nothing = 1\n');
    expect(deskOptions({}, folder).warnings).toEqual([expect.stringContaining('unknown key nothing')]);
  });

  test.each([
    [{ tlsCert: 'c.pem' }, 'TLS needs two files: a certificate is given, its private key (--tls-key) is not'],
    [{ tlsKey: 'k.pem' }, 'TLS needs two files: a private key is given, its certificate (--tls-cert) is not'],
  ])('have both files of TLS or none: %j', (settings, sentence) => {
    let error: unknown;
    try {
      compileDeskOptions(deskOptions(settings, folder));
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: 'DeskStartError', exitCode: 2, message: sentence });
  });

  test('can be sent to the thread of the desk', () => {
    write(WHOLE);
    const options = deskOptions({}, folder);
    expect(structuredClone(options)).toEqual(options);
  });
});
