/**
 * The API guide is correct: its programs are the files of docs/examples, its tables and messages those of the
 * service.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROUTE_TIERS } from '../../src/access/tiers.ts';
import { compileClientOptions } from '../../src/client/options.ts';
import { signingKey } from '../../src/client/signing.ts';
import { compileStreamOptions } from '../../src/client/stream-options.ts';
import { HTTP_STATUS } from '../../src/domain/errors.ts';
import { compileServiceLimits } from '../../src/domain/limits.ts';
import { STREAM_CHANNELS, STREAM_CLOSE_CODES, STREAM_ERROR_CODES } from '../../src/schemas/stream.ts';
import { messageProblems } from './message-check.ts';

const ROOT = new URL('../..', import.meta.url);
const GUIDE = readFileSync(new URL('docs/api.md', ROOT), 'utf8');
const README = readFileSync(new URL('README.md', ROOT), 'utf8');
const LANGUAGES: Readonly<Record<string, string>> = { mjs: 'js', py: 'python', sh: 'sh' };

const example = (name: string) => readFileSync(new URL(`docs/examples/${name}`, ROOT), 'utf8');
const EXAMPLES = readdirSync(new URL('docs/examples', ROOT))
  .filter((name) => name.includes('.'))
  .sort();

/** Fenced blocks of a language. */
function blocks(language: string): string[] {
  return [...GUIDE.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , text = '']) => text);
}

/** Cells of the rows of the table below a heading (or below the first line that begins with this text). */
function table(after: string): string[][] {
  const from = GUIDE.indexOf(`\n${after}`);
  if (from < 0) throw new Error(`the guide has no "${after}"`);
  const [rows = ''] = /(?:^\|.*\n)+/m.exec(GUIDE.slice(from)) ?? [];
  return rows
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The words in code marks. */
const marked = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

describe('the programs of the guide', () => {
  it('are the files of docs/examples, all of them', () => {
    const shown = [...GUIDE.matchAll(/<!-- file: (\S+) -->\n```(\w+)\n([\s\S]*?)^```$/gm)];
    for (const [, name = '', language, text] of shown) {
      expect(text, name).toBe(example(name));
      expect(language, name).toBe(LANGUAGES[name.split('.')[1] ?? '']);
    }
    expect(shown.map(([, name]) => name).sort()).toEqual(EXAMPLES);
    const programs = Object.values(LANGUAGES).flatMap(blocks);
    expect(programs).toHaveLength(EXAMPLES.length);
  });

  it('have the one of the README among them, which points to the guide', () => {
    const [, text] = /<!-- example: sign\.mjs -->\n```js\n([\s\S]*?)```/.exec(README) ?? [];
    expect(text).toBe(example('sign.mjs'));
    expect(README).toContain('](docs/api.md)');
  });
});

describe('the worked signatures', () => {
  const pem = blocks('text').find((text) => text.includes('PRIVATE KEY')) ?? '';
  const pairs = [...GUIDE.matchAll(/^message {3}(.+)\nsignature (.+)$/gm)];

  // proves: rule sign-message, rule sign-pure
  it('are those of the key that is shown', () => {
    const key = createPrivateKey(pem);
    expect(GUIDE).toContain(`\`${signingKey({ privateKey: key }).id}\``);
    expect(pairs.map(([, message = '']) => message.replace(/\d{13}[\s\S]*/, ''))).toEqual(['', '', 'WSAuth']);
    for (const [, message = '', signature] of pairs) {
      expect(sign(null, Buffer.from(message), key).toString('base64url')).toBe(signature);
    }
  });
});

describe('the tables of the guide', () => {
  it('have every endpoint with its tier and budget', () => {
    const { routeRequests, otherRouteRequests } = compileServiceLimits();
    const rows = table('## Endpoints').map(([request, tier, budget]) =>
      [marked(request)[0]?.replace(' /v2/', ' /'), tier, budget].join(' | '),
    );
    const expected = Object.entries(ROUTE_TIERS).map(([name, tier]) => {
      const budget = tier === null ? '-' : (routeRequests[name] ?? otherRouteRequests);
      return `${name} | ${tier ?? '-'} | ${budget}`;
    });
    expect(rows.sort()).toEqual(expected.sort());
  });

  it('have every error code with its status', () => {
    const rows = table('## Errors').map(([code, status]) => [marked(code)[0], Number(status)]);
    expect(Object.fromEntries(rows)).toEqual(HTTP_STATUS);
    expect(rows).toHaveLength(Object.keys(HTTP_STATUS).length);
  });

  it('have every channel, error code and close code of the stream', () => {
    expect(table('### Channels').flatMap(([channel]) => marked(channel))).toEqual([...STREAM_CHANNELS]);
    expect(
      table('### Errors and closes')
        .flatMap(([code]) => marked(code))
        .sort(),
    ).toEqual([...STREAM_ERROR_CODES].sort());
    const closes = table('An unknown `op`').map(([code = '']) => Number.parseInt(code, 10));
    expect(closes).toEqual([...Object.values(STREAM_CLOSE_CODES), 1006]);
  });

  it('have the options of the client with their defaults', () => {
    const client = compileClientOptions({ baseUrl: 'http://127.0.0.1:7420/api' });
    const stream = compileStreamOptions({}, client.retry.attempts);
    const text = (value: number) => value.toLocaleString('en');
    const clientTable = table('| option of `createClient`').flat().join(' ');
    for (const [name, value] of Object.entries(client.retry)) {
      expect(clientTable).toContain(`\`${name}\` ${text(value)}`);
    }
    const rows = new Map(
      table('| option of `client.stream`').map(([name, value = '', what = '']) => [
        marked(name)[0],
        `${value} ${what}`,
      ]),
    );
    expect(rows.get('reconnect')).toContain(
      `\`baseDelayMs\` ${text(stream.baseDelayMs)}, \`maxDelayMs\` ${text(stream.maxDelayMs)}`,
    );
    for (const name of ['connectTimeoutMs', 'silenceMs', 'heldEvents'] as const) {
      expect(rows.get(name), name).toContain(text(stream[name]));
    }
    expect(stream.replyTimeoutMs).toBe(stream.connectTimeoutMs);
  });

  it('have the limits of the stream', () => {
    const { stream } = compileServiceLimits();
    const closes = table('An unknown `op`').join('\n');
    expect(closes).toContain(`${stream.messages} messages within ${stream.messageWindowMs / 1_000} s`);
    expect(closes).toContain(`one every ${stream.heartbeatMs / 1_000} s`);
    expect(GUIDE).toContain(`within ${stream.authMs / 1_000} s and ${stream.authAttempts} attempts`);
    expect(GUIDE).toContain(`429 at ${stream.perAddress} sockets`);
  });
});

describe('the messages of the guide', () => {
  const messages = blocks('json').flatMap((text) => text.trim().split('\n'));

  it.each(messages.map((text) => [JSON.parse(text).op, text]))('fit their schemas: %s', (_op, text) => {
    const message = JSON.parse(text);
    expect(messageProblems(message, 'ts' in message ? 'server' : 'client')).toEqual([]);
  });

  it('are of every kind', () => {
    const ops = new Set(messages.map((text) => JSON.parse(text).op));
    for (const op of ['challenge', 'auth', 'subscribe', 'subscribed', 'ping', 'pong', 'error']) {
      expect(ops).toContain(op);
    }
    for (const channel of STREAM_CHANNELS) expect(ops).toContain(`update.${channel}`);
  });
});

it('every link within the guide leads somewhere', () => {
  const headings = [...GUIDE.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
  for (const [, anchor] of GUIDE.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor);
});
