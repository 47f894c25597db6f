/**
 * The targets of alerts in the configuration file: what is accepted, what prevents the start, and that no
 * value is ever shown. S48.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/cli/config.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { compileDeskOptions } from '../../src/desk/options.ts';
import { type TargetOptions, targetsProblem } from '../../src/notify/target-options.ts';

const FILE = '/data/config.toml';
const HALF = 'AAExampleTokenExampleTokenExample-0';
const TOKEN = `123456789:${HALF}`;
const SECRET = 'a-secret-of-the-test-0123456789';

function targets(text: string): readonly TargetOptions[] | undefined {
  return parseConfig(FILE, text).options.targets;
}

/** The message of a refusal. */
function refusal(text: string): string {
  try {
    parseConfig(FILE, text);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).exitCode).toBe(2);
    return (error as UsageError).message;
  }
  throw new Error('it was read');
}

const hook = (line: string) => `[targets.hook]\ntype = "webhook"\n${line}`;
const phone = (line: string) => `[targets.phone]\ntype = "telegram"\n${line}`;

describe('the targets of the configuration', () => {
  // proves: S48
  test('have the values of their type', () => {
    const text = `
[targets.ops]
type = "webhook"
url = "https://hooks.example.org/outcry?room=1"
secret = "${SECRET}"

[targets.lan_2]
type = "webhook"
url = "http://10.0.0.7:8080/"
allow_http = true

[targets.Phone-1]
type = "telegram"
token = "${TOKEN}"
chat = -1001234567890

[targets.channel]
type = "telegram"
token = "${TOKEN}"
chat = "@channel_name"
base_url = "http://127.0.0.1:8081"
`;
    const expected: TargetOptions[] = [
      { type: 'webhook', name: 'ops', url: 'https://hooks.example.org/outcry?room=1', secret: SECRET },
      { type: 'webhook', name: 'lan_2', url: 'http://10.0.0.7:8080/', allowHttp: true },
      { type: 'telegram', name: 'Phone-1', token: TOKEN, chat: '-1001234567890' },
      {
        type: 'telegram',
        name: 'channel',
        token: TOKEN,
        chat: '@channel_name',
        baseUrl: 'http://127.0.0.1:8081',
      },
    ];
    const { options, warnings } = parseConfig(FILE, text);
    expect(warnings).toEqual([]);
    expect(options.targets).toEqual(expected);
    expect(targetsProblem(options.targets ?? [])).toBeNull();
    expect(compileDeskOptions({ dataDir: 'd', ...options }).targets).toEqual(expected);
    expect(structuredClone(options.targets)).toEqual(expected);
  });

  test('are as their page shows them', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const [, example = ''] = /<!-- example: targets -->\n```toml\n([\s\S]*?)```/.exec(page) ?? [];
    const { options, warnings } = parseConfig(FILE, example);
    expect(warnings).toEqual([]);
    expect(options.targets?.map(({ name, type }) => [name, type])).toEqual([
      ['ops', 'webhook'],
      ['phone', 'telegram'],
    ]);
    expect(targetsProblem(options.targets ?? [])).toBeNull();
  });

  test('need not be there', () => {
    expect(targets('')).toBeUndefined();
    expect(targets('[targets]')).toEqual([]);
    expect(compileDeskOptions({ dataDir: 'd' }).targets).toEqual([]);
  });

  test('may go without TLS only to this machine, unless they are told to', () => {
    const open =
      (url: string, more = '') =>
      () =>
        targets(hook(`url = "${url}"\n${more}`));
    for (const host of ['127.0.0.1', '127.1.2.3:99', '[::1]:80', 'localhost:8080', 'hooks.localhost'])
      expect(open(`http://${host}/x`), host).not.toThrow();
    for (const host of [
      '10.0.0.1',
      'example.org',
      '127.example.org',
      'localhost.example.org',
      '0.0.0.0',
      '[::2]',
    ]) {
      expect(refusal(hook(`url = "http://${host}/x"`)), host).toBe(
        `${FILE}: targets.hook.url cannot be plain http to another machine: use https, or set allow_http = true`,
      );
      expect(open(`http://${host}/x`, 'allow_http = true'), host).not.toThrow();
      expect(open(`https://${host}/x`), host).not.toThrow();
    }
    const base = `token = "${TOKEN}"\nchat = 1\nbase_url = "http://example.org"`;
    expect(refusal(phone(base))).toBe(
      `${FILE}: targets.phone.base_url cannot be plain http to another machine: use https`,
    );
  });
});

const URL_RULE = 'is not right: it takes an http or https address without user name and fragment';
const SECRET_RULE = 'is not right: it takes 16 to 256 printable ASCII characters without spaces';
const NAME_RULE =
  'cannot be the name of a target: it takes 1 to 32 letters, digits, _ and -, other than console, bell and osc9';
const TYPE_RULE = 'it takes "webhook" or "telegram"';
const TOKEN_RULE = 'is not right: it takes the token of a Telegram bot, such as 123456789:AA...';
const CHAT_RULE =
  'is not right: it takes the id of a Telegram chat, such as -1001234567890, or the @name of a channel';
const BASE_RULE =
  'is not right: it takes an http or https address without a path, such as https://api.telegram.org';

describe('a target that is wrong refuses the start in one sentence', () => {
  test.each([
    [
      'targets = "https://x.example/s3cr3t"',
      'targets is not right: it takes tables, written as [targets.NAME]',
    ],
    ['[[targets]]\nname = "s3cr3t"', 'targets is not right: it takes tables, written as [targets.NAME]'],
    [
      '[targets]\nhook = "https://x.example/s3cr3t"',
      'targets.hook is not right: it takes a table, written as [targets.hook]',
    ],
    ['[targets.console]\ntype = "webhook"', `targets.console ${NAME_RULE}`],
    ['[targets.bell]\ntype = "webhook"', `targets.bell ${NAME_RULE}`],
    ['[targets."my hook"]\ntype = "webhook"', `targets."my hook" ${NAME_RULE}`],
    ['[targets.""]\ntype = "webhook"', `targets."" ${NAME_RULE}`],
    [`[targets.${'x'.repeat(33)}]\ntype = "webhook"`, `targets.${'x'.repeat(33)} ${NAME_RULE}`],
    ['[targets.hook]\nurl = "https://x.example/s3cr3t"', `targets.hook.type is missing: ${TYPE_RULE}`],
    ['[targets.hook]\ntype = "email"', `targets.hook.type cannot be "email": ${TYPE_RULE}`],
    ['[targets.hook]\ntype = "constructor"', `targets.hook.type cannot be "constructor": ${TYPE_RULE}`],
    ['[targets.hook]\ntype = 1', `targets.hook.type cannot be 1: ${TYPE_RULE}`],
    [
      hook(''),
      'targets.hook.url is missing: it takes an http or https address without user name and fragment',
    ],
    [hook('url = ""'), `targets.hook.url ${URL_RULE}`],
    [hook('url = "ftp://x.example/s3cr3t"'), `targets.hook.url ${URL_RULE}`],
    [hook('url = "x.example/s3cr3t"'), `targets.hook.url ${URL_RULE}`],
    [hook('url = "https://s3cr3t@x.example/"'), `targets.hook.url ${URL_RULE}`],
    [hook('url = "https://a:s3cr3t@x.example/"'), `targets.hook.url ${URL_RULE}`],
    [hook('url = "https://x.example/#s3cr3t"'), `targets.hook.url ${URL_RULE}`],
    [hook(`url = "https://x.example/s3cr3t${'x'.repeat(2_048)}"`), `targets.hook.url ${URL_RULE}`],
    [hook('url = ["https://x.example/s3cr3t"]'), `targets.hook.url ${URL_RULE}`],
    [hook('url = "https://x.example/"\nsecret = "s3cr3t"'), `targets.hook.secret ${SECRET_RULE}`],
    [
      hook('url = "https://x.example/"\nsecret = "s3cr3t with spaces in it"'),
      `targets.hook.secret ${SECRET_RULE}`,
    ],
    [
      hook(`url = "https://x.example/"\nsecret = "s3cr3t${'x'.repeat(256)}"`),
      `targets.hook.secret ${SECRET_RULE}`,
    ],
    [hook('url = "https://x.example/"\nsecret = 12345678901234567'), ''],
    [
      hook('url = "https://x.example/"\nallow_http = 1'),
      'targets.hook.allow_http cannot be 1: it takes true or false',
    ],
    [
      phone('chat = 1'),
      'targets.phone.token is missing: it takes the token of a Telegram bot, such as 123456789:AA...',
    ],
    [phone('token = "s3cr3t"\nchat = 1'), `targets.phone.token ${TOKEN_RULE}`],
    [phone(`token = "bot${TOKEN}"\nchat = 1`), `targets.phone.token ${TOKEN_RULE}`],
    [phone(`token = "${TOKEN}/../x"\nchat = 1`), `targets.phone.token ${TOKEN_RULE}`],
    [
      phone(`token = "${TOKEN}"`),
      'targets.phone.chat is missing: it takes the id of a Telegram chat, such as -1001234567890, or the @name of a channel',
    ],
    [phone(`token = "${TOKEN}"\nchat = 1.5`), `targets.phone.chat ${CHAT_RULE}`],
    [phone(`token = "${TOKEN}"\nchat = "channel"`), `targets.phone.chat ${CHAT_RULE}`],
    [
      phone(`token = "${TOKEN}"\nchat = 1\nbase_url = "https://x.example/bot${TOKEN}"`),
      `targets.phone.base_url ${BASE_RULE}`,
    ],
    [
      `${Array.from({ length: 33 }, (_, i) => `[targets.t${i}]\ntype = "webhook"\nurl = "https://x.example"`).join('\n')}`,
      'targets has 33 tables: it takes 32 at most',
    ],
  ])('%j', (text, sentence) => {
    const message = refusal(text);
    if (sentence !== '') expect(message).toBe(`${FILE}: ${sentence}`);
    expect(message).not.toContain('\n');
    expect(message).not.toMatch(/s3cr3t|AAExample/);
  });

  test('and so it is when the options come from elsewhere', () => {
    const good = { type: 'webhook', name: 'ops', url: 'https://x.example/' } as const;
    const wrong: [targets: unknown[], problem: string][] = [
      [
        [{ ...good, name: 'bell' }],
        'targets[0].name takes 1 to 32 letters, digits, _ and -, other than console, bell and osc9',
      ],
      [[good, good], 'targets[1].name is taken by another target'],
      [[{ ...good, type: 'email' }], 'targets[0].type takes "webhook" or "telegram"'],
      [
        [{ ...good, url: 'http://x.example/s3cr3t' }],
        'targets[0].url is plain http to another machine; use https, or allowHttp',
      ],
      [
        [{ ...good, secret: 's3cr3t' }],
        'targets[0].secret takes 16 to 256 printable ASCII characters without spaces',
      ],
      [
        [{ type: 'telegram', name: 'p', token: 's3cr3t', chat: '1' }],
        'targets[0].token takes the token of a Telegram bot, such as 123456789:AA...',
      ],
      [
        [{ type: 'telegram', name: 'p', token: TOKEN, chat: '1', baseUrl: 'http://x.example' }],
        'targets[0].baseUrl is plain http to another machine; use https',
      ],
      [
        Array.from({ length: 33 }, (_, i) => ({ ...good, name: `t${i}` })),
        'there are 33 targets, 32 at most',
      ],
    ];
    for (const [given, problem] of wrong) {
      let error: unknown;
      try {
        compileDeskOptions({ dataDir: 'd', targets: given as TargetOptions[] });
      } catch (caught) {
        error = caught;
      }
      expect(error).toMatchObject({ exitCode: 2, message: `the targets of alerts are wrong: ${problem}` });
    }
  });

  test('whatever the tables hold, and what passes is right', () => {
    const value = fc.oneof(
      fc.constantFrom(
        'webhook',
        'telegram',
        'https://x.example/',
        'http://x.example/',
        SECRET,
        TOKEN,
        '@abc',
        true,
      ),
      fc.string(),
      fc.integer(),
      fc.webUrl(),
    );
    const key = fc.constantFrom('type', 'url', 'secret', 'allow_http', 'token', 'chat', 'base_url', 'other');
    const name = fc.oneof(fc.constantFrom('a', 'console', '__x'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, fc.dictionary(key, value)), (tables) => {
        const text = Object.entries(tables).map(([one, values]) => {
          const lines = Object.entries(values).map(([k, v]) => `${k} = ${JSON.stringify(v)}`);
          return `[targets.${JSON.stringify(one)}]\n${lines.join('\n')}`;
        });
        try {
          expect(targetsProblem(targets(text.join('\n')) ?? [])).toBeNull();
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a key of a target that nobody knows', () => {
  test('is a warning without its value', () => {
    const { options, warnings } = parseConfig(
      FILE,
      hook('url = "https://x.example/"\nsecrt = "s3cr3t-0123456789"'),
    );
    expect(warnings).toEqual([`${FILE}: unknown key targets.hook.secrt is ignored; did you mean secret?`]);
    expect(options.targets).toEqual([{ type: 'webhook', name: 'hook', url: 'https://x.example/' }]);
  });

  test('may be one of another type', () => {
    const { warnings } = parseConfig(FILE, hook(`url = "https://x.example/"\ntoken = "${TOKEN}"`));
    expect(warnings).toEqual([
      `${FILE}: unknown key targets.hook.token is ignored; targets.hook takes type, url, secret, secret_file, allow_http`,
    ]);
  });
});
