/**
 * The list of items against the tables and numbered rules of the specification itself, if that lies beside
 * the checkout.
 */
import { describe, expect, it } from 'vitest';
import { withShared } from '../support/shared-data.ts';
import { UNSEEN } from './api/decisions.ts';
import { API_ITEMS } from './api-items.ts';
import { firstColumn, numberedTo, sectionOf } from './markdown.ts';

const SPECIFICATION = '../spec/trading-automation-api-v2.md';
const DECISIONS = '../design/decisions.md';
const RESEARCH = '../research/reliability-security.md';

const ids = API_ITEMS.map(({ id }) => id);
/** The rest of each id that begins with the prefix. */
const named = (prefix: string) =>
  ids.filter((id) => id.startsWith(`${prefix} `)).map((id) => id.slice(prefix.length + 1));
const sorted = (list: Iterable<string>) => [...new Set(list)].sort();
const inSection = (...titles: string[]) => API_ITEMS.filter(({ section }) => titles.includes(section));

/** Decisions with an item, and those that have none for a stated reason. */
const DECIDED = [...ids.filter((id) => /^S\d+$/.test(id)), ...Object.keys(UNSEEN)];

/** Numbers of the rules that the items of these sections represent. */
function rulesOf(...titles: string[]): number[] {
  const numbers = inSection(...titles).flatMap(({ says }) => /^\((\d+)\)/.exec(says)?.[1] ?? []);
  return [...new Set(numbers.map(Number))].sort((a, b) => a - b);
}

const against = (cases: number, check: (text: string) => void) => withShared(SPECIFICATION, cases, check);

describe('the list has', () => {
  it(
    'every error code with its status',
    against(19, (text) => {
      const rows = sectionOf(text, 'Errors')
        .split('\n')
        .flatMap((line) => /^\| ([A-Z_]+) \| (\d+)?/.exec(line)?.slice(1, 3).join(' ').trim() ?? []);
      expect(rows).toHaveLength(19);
      expect(sorted(named('error'))).toEqual(sorted(rows.map((row) => row.split(' ')[0] ?? '')));
      for (const row of rows) {
        const [code, status = '500'] = row.split(' ');
        expect(API_ITEMS.find(({ id }) => id === `error ${code}`)?.says).toMatch(`${status}: `);
      }
    }),
  );

  it(
    'every code, op, message and close code of the WebSocket',
    against(38, (text) => {
      const [, list = ''] = /WebSocket error codes \(17\): ([A-Z_, ]+)\./.exec(text) ?? [];
      expect(sorted(named('ws-error'))).toEqual(sorted(list.split(', ')));
      expect(named('ws-error')).toHaveLength(17);
      expect(sorted(named('ws-close'))).toEqual(
        sorted(firstColumn(sectionOf(text, 'Close codes and heartbeat'))),
      );
      expect(sorted(named('ws-op'))).toEqual(sorted(firstColumn(sectionOf(text, 'Client messages'))));
      const messages = firstColumn(sectionOf(text, 'Server messages')).flatMap((cell) => cell.split(' / '));
      expect(sorted(named('ws-message'))).toEqual(sorted(messages));
      expect(firstColumn(sectionOf(text, 'WebSocket limits'))).toHaveLength(
        inSection('WebSocket limits').length,
      );
    }),
  );

  it(
    'every limit',
    against(28, (text) => {
      const [rates = '', others = ''] = sectionOf(text, 'Limits').split('### Other limits');
      const routes = named('limit').filter((name) => /^[A-Z]+ |^every/.test(name));
      expect(sorted(routes)).toEqual(sorted(firstColumn(rates)));
      const rows = firstColumn(others.split('### ')[0] ?? '');
      expect(inSection('Other limits', 'Bots: limits')).toHaveLength(rows.length);
    }),
  );

  it(
    'every endpoint, and no other',
    against(36, (text) => {
      const mentioned = sectionOf(text, 'Endpoints').matchAll(/\b(?:GET|POST|PATCH|DELETE) \/[\w/{}-]+/g);
      expect(sorted(named('endpoint'))).toEqual(sorted([...mentioned].map(([name]) => name)));
    }),
  );

  it.each([
    ['Order (returned by order endpoints and in order updates)', 'field order'],
    ['Create-order request (POST /orders body)', 'field create-order'],
    ['Fill record (GET /orders/trades items)', 'field fill'],
  ])('every field of %s', async (heading, prefix) => {
    await against(20, (text) => {
      expect(sorted(named(prefix))).toEqual(sorted(firstColumn(sectionOf(text, heading))));
    })();
  });

  it.each([
    ['Conventions', ['Conventions']],
    ['Signing rule', ['Signing rule']],
    ['Timestamp and replay rules', ['Timestamp and replay rules']],
    ['Idempotency (X-Idempotency-Key)', ['Idempotency']],
    ['WebSocket authentication', ['WebSocket authentication']],
    ['Server messages', ['Server messages', 'WebSocket error codes']],
    ['Bots', ['Bots: rules']],
    [
      'Per-route rate limits (sliding window, counted per account, requests not weight)',
      ['Limits per route'],
    ],
    ['Versioning', ['Versioning']],
  ])('every numbered rule of %s', async (heading, titles) => {
    await against(7, (text) => {
      const last = numberedTo(sectionOf(text, heading));
      expect(last).toBeGreaterThan(2);
      // Rule 7 of the server messages is the list of error codes, which has its own section.
      const rules = heading === 'Server messages' ? [...rulesOf(...titles), 7] : rulesOf(...titles);
      expect(rules).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    })();
  });

  it.each([
    ['Order status', 'state', 5],
    ['Bot status', 'bot-state', 8],
    ['Failure codes', 'failure', 7],
  ])('every row of %s', async (heading, prefix, rows) => {
    await against(rows, (text) => {
      expect(firstColumn(sectionOf(text, heading))).toHaveLength(rows);
      expect(named(prefix)).toHaveLength(rows);
    })();
  });

  it(
    'every decision that can be seen',
    withShared(DECISIONS, DECIDED.length, (text) => {
      const decided = [...text.matchAll(/^\| (S\d+) \|/gm)].map(([, id = '']) => id);
      expect(decided).toEqual(Array.from(decided, (_, at) => `S${at + 1}`));
      expect(sorted(DECIDED)).toEqual(sorted(decided));
      expect(DECIDED).toHaveLength(decided.length);
    }),
  );

  it(
    'every decision of the research',
    withShared(RESEARCH, 48, (text) => {
      const decided = [...text.matchAll(/^\| (D\d+) \|/gm)].map(([, id = '']) => id);
      expect(decided).toHaveLength(48);
      expect(sorted(ids.filter((id) => /^D\d+$/.test(id)))).toEqual(sorted(decided));
    }),
  );
});
