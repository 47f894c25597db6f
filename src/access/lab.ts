/**
 * Explains why a request is refused: applies the API's own rules, one after the other, to a request as its
 * sender wrote it down. After a refusal the later rules are judged as well, so that all mistakes show at
 * once. Uses up no signature.
 */
import type { AccessKey } from '../domain/access-key.ts';
import type { Tier } from '../domain/actor.ts';
import type { Outcome } from '../domain/errors.ts';
import { Authenticator, type SignedRequest, signedMessage } from './authenticate.ts';
import { decodeBase64url, SIGNATURE_BYTES } from './canonical.ts';
import { BLIND_MS } from './replay-cache.ts';
import { checkTarget } from './target.ts';
import { tierProblem } from './tiers.ts';
import { Verifier } from './verifier.ts';

export interface LabInput {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string;
}

export interface LabDeps {
  /** The key that the sender names. */
  readonly key: AccessKey;
  /** Every active key of the same user, to find the one that signed instead. */
  readonly keys: readonly AccessKey[];
  /** Wall time now, and at the start, Unix ms. */
  readonly now: number;
  readonly startedAt: number;
  /** Finds the API's route; the refusal when there is none. */
  readonly route: (
    method: string,
    path: string,
  ) => Outcome<{ readonly name: string; readonly tier: Tier | null }>;
}

export interface LabVerdict {
  readonly name: string;
  readonly verdict: 'passes' | 'refuses' | 'open';
  readonly code: string | null;
  readonly text: string;
}

/** Judges a request in the API's order. `hint`: what was most likely signed instead. */
export async function explainRequest(
  given: LabInput,
  deps: LabDeps,
): Promise<{ rules: LabVerdict[]; hint: string | null }> {
  const input = { ...given, method: given.method.trim(), target: targetOf(given.target) };
  const { key } = deps;
  const targetProblem = checkTarget(input.target);
  const path = input.target.split('?', 1)[0] ?? '';
  const route = deps.route(input.method, path);
  const rules = [
    targetProblem === null
      ? passes('target', input.target)
      : refuses('target', 'INVALID_REQUEST', targetProblem),
    route.ok ? passes('route', route.data.name) : refuses('route', route.error.code, route.error.message),
  ];
  const signed = await judge(input, deps);
  rules.push(...signed.rules, ...limits(key, route));
  return { rules, hint: signed.wrong ? hintOf(input, deps) : null };
}

/**
 * The target as in a request line: a URL is cut to its path, and a path that begins with /v2 gets /api before
 * it.
 */
function targetOf(text: string): string {
  const target = text.trim().replace(/^https?:\/\/[^/]*/i, '');
  return target.startsWith('/v2/') ? `/api${target}` : target;
}

/** Applies the authenticator's rules: header form, time, key, signature. */
async function judge(input: LabInput, deps: LabDeps): Promise<{ rules: LabVerdict[]; wrong: boolean }> {
  const { key, now, startedAt } = deps;
  const names = ['headers', 'timestamp', 'key', 'signature'] as const;
  const rules = new Map<string, LabVerdict>();
  const headers = ['X-SVC-KEY', key.id, 'X-SVC-TIMESTAMP', input.timestamp, 'X-SVC-SIGN', input.signature];
  const request = (at: number): SignedRequest => ({
    method: input.method,
    target: input.target,
    rawHeaders: headers,
    body: Buffer.from(input.body, 'utf8'),
    now: at,
  });
  const active = key.revokedAt === null ? key : null;
  // First as the API would; then at the request's own time, and as if the key worked, to judge what follows a
  // first refusal.
  const sentAt = /^\d{1,16}$/.test(input.timestamp) ? Number(input.timestamp) : now;
  const rounds = [
    { at: now, from: startedAt, key: active },
    { at: sentAt, from: sentAt - 2 * BLIND_MS, key: active },
    { at: sentAt, from: sentAt - 2 * BLIND_MS, key },
  ];
  for (const { at, from, key: known } of rounds) {
    const authenticator = new Authenticator({ activeKey: () => known, startedAt: from });
    const outcome = await authenticator.authenticate(request(at));
    const refusedBy = outcome.ok ? null : ruleOf(outcome.error.code);
    for (const name of names) {
      if (name === refusedBy) {
        if (!outcome.ok && rules.get(name)?.verdict !== 'refuses')
          rules.set(name, refuses(name, outcome.error.code, outcome.error.message));
        break;
      }
      if (!rules.has(name)) rules.set(name, passes(name, passText(name, deps, sentAt)));
    }
    // Without valid headers nothing after them can be judged.
    if (refusedBy === 'headers') break;
  }
  return {
    rules: names.map((name) => rules.get(name) ?? { name, verdict: 'open', code: null, text: 'not judged' }),
    wrong: rules.get('signature')?.verdict === 'refuses',
  };
}

function ruleOf(code: string): string {
  if (code.startsWith('TIMESTAMP')) return 'timestamp';
  if (code === 'INVALID_KEY') return 'key';
  return code === 'INVALID_SIGNATURE' ? 'signature' : 'headers';
}

function passText(name: string, { key, now }: LabDeps, sentAt: number): string {
  switch (name) {
    case 'headers':
      return 'key, timestamp and signature have the right form';
    case 'timestamp':
      return `${Math.abs(now - sentAt)} ms ${now >= sentAt ? 'behind' : 'ahead of'} the server's time`;
    case 'key':
      return `${key.label}: registered and working`;
    default:
      return 'it is the right one; whether it was used before only the API knows';
  }
}

/** The rules that the API applies to an authenticated key. */
function limits(key: AccessKey, route: ReturnType<LabDeps['route']>): LabVerdict[] {
  const { ipList, allowedExchanges } = key;
  const needed = route.ok ? route.data.tier : null;
  const tier = needed === null ? null : tierProblem(key.tier, needed);
  return [
    ipList === null
      ? passes('addresses', 'any address')
      : { name: 'addresses', verdict: 'open', code: null, text: `only from ${ipList.join(', ')}` },
    tier === null
      ? passes('tier', needed === null ? `${key.tier}` : `${key.tier}; the endpoint needs ${needed}`)
      : refuses('tier', 'FORBIDDEN', tier),
    allowedExchanges === null
      ? passes('accounts', 'all accounts')
      : { name: 'accounts', verdict: 'open', code: null, text: `only on ${allowedExchanges.join(', ')}` },
  ];
}

/** Common mistakes of signers, each with the bytes that they sign instead. */
function variants({ method, target, body, timestamp }: LabInput): readonly (readonly [string, string])[] {
  const path = target.replace(/^\/api(?=\/)/, '');
  const bare = path.split('?', 1)[0] ?? '';
  const line = (time: string, verb: string, where: string, content: string) =>
    `${time}${verb}${where}${content}`;
  const seconds = timestamp.slice(0, -3);
  const all: [string, string][] = [
    ['without the body', line(timestamp, method, path, '')],
    ['over the path with /api; it begins at /v2', line(timestamp, method, `/api${path}`, body)],
    ['over the path without /v2', line(timestamp, method, path.replace(/^\/v2/, ''), body)],
    ['over the path without its query', line(timestamp, method, bare, body)],
    ['with the method in lower case', line(timestamp, method.toLowerCase(), path, body)],
    ['with the method in upper case; send it so', line(timestamp, method.toUpperCase(), path, body)],
    ['with the time in seconds; it is in ms', line(seconds, method, path, body)],
    ['without the time', line('', method, path, body)],
    ['with the method before the time', `${method}${timestamp}${path}${body}`],
    ['with the path before the method', `${timestamp}${path}${method}${body}`],
    [
      'with line ends between the parts; there is nothing between them',
      [timestamp, method, path, body].join('\n'),
    ],
    [
      'over the body with a line end after it; the line end was not sent',
      line(timestamp, method, path, `${body}\n`),
    ],
    [
      'over the body without the line end after it, which was sent',
      line(timestamp, method, path, body.replace(/\r?\n$/, '')),
    ],
    ['over the body with CR LF; LF was sent', line(timestamp, method, path, body.replace(/\r?\n/g, '\r\n'))],
    ['over the body with LF; CR LF was sent', line(timestamp, method, path, body.replaceAll('\r\n', '\n'))],
  ];
  const json = compact(body);
  if (json !== null)
    all.push([
      'over the body written anew; sign the very bytes that are sent',
      line(timestamp, method, path, json),
    ]);
  return all;
}

function compact(body: string): string | null {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return null;
  }
}

/** What the signature is valid for instead, by this key or another one. */
function hintOf(input: LabInput, { key, keys }: LabDeps): string | null {
  const signature = decodeBase64url(input.signature, SIGNATURE_BYTES);
  if (!signature) return null;
  const verifier = new Verifier();
  const fits = (id: string, text: Uint8Array) => verifier.verifyNow(id, text, signature);
  const message = signedMessage(input.timestamp, input.method, input.target, Buffer.from(input.body, 'utf8'));
  const other = keys.find(({ id }) => id !== key.id && fits(id, message));
  if (other) return `it is the signature of another key: ${other.label}`;
  const found = variants(input).find(([, text]) => fits(key.id, Buffer.from(text, 'utf8')));
  return found ? `it was signed ${found[0]}` : null;
}

function passes(name: string, text: string): LabVerdict {
  return { name, verdict: 'passes', code: null, text };
}

function refuses(name: string, code: string, text: string): LabVerdict {
  return { name, verdict: 'refuses', code, text };
}
