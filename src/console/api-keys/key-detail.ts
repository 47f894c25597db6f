/** The lines of a key's details: its rights, addresses and use, and how to sign a request with it. Pure. */
import type { KeyExample } from '../../desk/console/protocol.ts';
import { type AccessKey, requestsToday } from '../../domain/access-key.ts';
import type { NoticeLine } from '../state/ui.ts';
import { clockTime, group, span as length, moment } from '../ui/format.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import { zoneLabel } from '../ui/zone.ts';
import { TIER_WORDS } from './key-draft.ts';

const NAME = 9;

const DAY_MS = 86_400_000;

function named(name: string, ...value: Span[]): Line {
  return [span(`  ${name.padEnd(NAME)} `, 'muted'), ...value];
}

/** Breaks a value that is read and copied into lines, without cutting any of it off. */
function whole(text: string, width: number, indent: string): Line[] {
  const room = Math.max(8, width - indent.length);
  const lines: Line[] = [];
  for (let at = 0; at < text.length; at += room) lines.push([span(indent), span(text.slice(at, at + room))]);
  return lines;
}

/** The local time at which the day begins whose requests are counted. */
function utcMidnight(now: number): string {
  const begin = Math.floor(now / DAY_MS) * DAY_MS;
  return `${clockTime(begin)} ${zoneLabel(begin)}`;
}

function ago(at: number, now: number): string {
  const past = now - at;
  if (past < 0) return '';
  if (past < 60_000) return ', just now';
  return past < 100_000 ? ', a minute ago' : `, ${length(past)} ago`;
}

/** The details of a key. `now`: the desk's wall clock. `example`: null until the desk has made it. */
export function keyDetailLines(
  key: AccessKey,
  example: KeyExample | null,
  now: number,
  width: number,
): readonly Line[] {
  const { lastUsedAt, lastUsedFrom, lastRefusal, revokedAt } = key;
  return [
    [
      span('  '),
      span(key.tier, key.tier === 'read' ? 'ok' : 'warn', { bold: true }),
      span(`  ${TIER_WORDS[key.tier]}   `, 'muted'),
      revokedAt === null ? span('active', 'ok') : span('revoked', 'danger'),
    ],
    named('id', span(key.id)),
    named('created', span(moment(key.createdAt)), span(ago(key.createdAt, now), 'muted')),
    ...(revokedAt === null
      ? []
      : [named('revoked', span(moment(revokedAt), 'danger'), span(ago(revokedAt, now), 'muted'))]),
    ...(lastUsedAt === null
      ? [named('last use', span('never', 'muted'))]
      : [
          named('last use', span(moment(lastUsedAt)), span(ago(lastUsedAt, now), 'muted')),
          named('from', span(lastUsedFrom ?? '–')),
        ]),
    named(
      'requests',
      span(`${group(String(requestsToday(key, now)))} today`),
      span(` (since ${utcMidnight(now)})  ${group(String(key.counts.total))} in all`, 'muted'),
    ),
    ...(lastRefusal === null
      ? [named('refused', span('never', 'muted'))]
      : [
          named(
            'refused',
            span(lastRefusal.code, 'warn'),
            span(`  ${moment(lastRefusal.at)}`),
            span(ago(lastRefusal.at, now), 'muted'),
          ),
          named('from', span(lastRefusal.from)),
        ]),
    ...limitLines('Addresses it may come from', key.ipList, 'any address'),
    ...limitLines('Accounts it may touch', key.allowedExchanges, 'all accounts'),
    ...exampleLines(key, example, width),
  ];
}

function limitLines(title: string, list: readonly string[] | null, none: string): Line[] {
  const values: Line[] = list?.map((entry) => [span(`  ${entry}`)]) ?? [[span(`  ${none}`, 'muted')]];
  return [[], [span(`  ${title}`, 'title')], ...values];
}

function exampleLines({ revokedAt }: AccessKey, example: KeyExample | null, width: number): Line[] {
  if (revokedAt !== null) return [];
  const title: Line[] = [[], [span('  A request by hand: sign these bytes for GET /v2/ping', 'title')]];
  if (example === null) return [...title, [span('  loading', 'muted')]];
  const { message, signature, command } = example;
  const signed: Line[] =
    signature === null
      ? [[span('  The private key is not here: sign them where it is.', 'muted')]]
      : [[span('  Their signature', 'title')], ...whole(signature, width, '    ')];
  return [
    ...title,
    ...whole(message, width, '    '),
    ...signed,
    [span('  The number is the time in ms; it holds for 5 s. To try the key', 'muted')],
    ...whole(command, width, '    '),
  ];
}

/** The notice after a registration. `path`: the private key's file, if the key was made here. */
export function newKeyLines(key: AccessKey, path: string | null, example: KeyExample): readonly NoticeLine[] {
  const file: NoticeLine[] =
    path === null
      ? []
      : [
          { text: 'Private key: written once, readable by you only', tone: 'title' },
          { text: path },
          { text: '' },
        ];
  const signature: NoticeLine[] =
    example.signature === null
      ? [
          {
            text: 'Sign them where the private key is; the number is the time in ms and holds for 5 s.',
            words: true,
          },
        ]
      : [{ text: 'Their signature', tone: 'title' }, { text: `  ${example.signature}` }];
  return [
    { text: 'Public key (its id)', tone: 'title' },
    { text: key.id },
    { text: '' },
    ...file,
    { text: 'A request by hand: sign these bytes for GET /v2/ping', tone: 'title' },
    { text: `  ${example.message}` },
    { text: '' },
    ...signature,
    { text: '' },
    { text: 'Try it', tone: 'title' },
    { text: `  ${example.command}` },
  ];
}
