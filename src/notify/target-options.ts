/**
 * Targets as the configuration names them (S48), plain data: the valid form of each value, and the targets
 * made from them. Bots know a target by its name only, so that whoever may change a bot cannot choose where
 * requests go.
 */
import { isIPv4 } from 'node:net';

export interface WebhookOptions {
  readonly type: 'webhook';
  readonly name: string;
  readonly url: string;
  /** Secret that signs each request. Default: none, no signature. */
  readonly secret?: string;
  /** Allows plain http to other hosts than this machine. Default false. */
  readonly allowHttp?: boolean;
}

export interface TelegramOptions {
  readonly type: 'telegram';
  readonly name: string;
  readonly token: string;
  /** Id of a chat, or `@name` of a channel. */
  readonly chat: string;
  /** Scheme and host; default TELEGRAM_URL. */
  readonly baseUrl?: string;
}

export type TargetOptions = WebhookOptions | TelegramOptions;

export const TELEGRAM_URL = 'https://api.telegram.org';
export const TARGETS_MAX = 32;
const URL_LENGTH = 2_048;
const SECRET_LENGTHS = [16, 256] as const;
/** Targets that bots and notices can name without configuration. */
const BUILT_IN: readonly string[] = ['console', 'bell', 'osc9'];

/** What a value must be, as text after "it takes". */
export const TARGET_RULES = {
  name: '1 to 32 letters, digits, _ and -, other than console, bell and osc9',
  type: '"webhook" or "telegram"',
  url: 'an http or https address without user name and fragment',
  secret: `${SECRET_LENGTHS.join(' to ')} printable ASCII characters without spaces`,
  token: 'the token of a Telegram bot, such as 123456789:AA...',
  chat: 'the id of a Telegram chat, such as -1001234567890, or the @name of a channel',
  baseUrl: `an http or https address without a path, such as ${TELEGRAM_URL}`,
} as const;

const ACCEPTS: Readonly<Record<keyof typeof TARGET_RULES, (value: string) => boolean>> = {
  name: (value) => /^[A-Za-z0-9_-]{1,32}$/.test(value) && !BUILT_IN.includes(value),
  type: (value) => value === 'webhook' || value === 'telegram',
  url: (value) => addressOf(value) !== null,
  secret: (value) =>
    /^[\x21-\x7e]+$/.test(value) && value.length >= SECRET_LENGTHS[0] && value.length <= SECRET_LENGTHS[1],
  token: (value) => /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/.test(value),
  chat: (value) => /^(-?\d{1,16}|@[A-Za-z0-9_]{3,64})$/.test(value),
  baseUrl: (value) => {
    const url = addressOf(value);
    return url !== null && url.pathname === '/' && url.search === '';
  },
};

/** Returns whether a value has the right form. */
export function isRight(rule: keyof typeof TARGET_RULES, value: unknown): boolean {
  return typeof value === 'string' && ACCEPTS[rule](value);
}

/** Returns whether requests to an address can be read on their way: plain http to another machine. */
export function isOpenHttp(address: string): boolean {
  const url = addressOf(address);
  return url !== null && url.protocol === 'http:' && !isThisMachine(url.hostname);
}

/**
 * Returns the first problem of targets that did not come from a checked configuration; null: none. Never
 * shows a value.
 */
export function targetsProblem(targets: readonly TargetOptions[]): string | null {
  if (targets.length > TARGETS_MAX) return `there are ${targets.length} targets, ${TARGETS_MAX} at most`;
  const names = new Set<string>();
  for (const [i, target] of targets.entries()) {
    const problem = problemOf(target) ?? (names.has(target.name) ? 'name is taken by another target' : null);
    if (problem !== null) return `targets[${i}].${problem}`;
    names.add(target.name);
  }
  return null;
}

function problemOf(target: TargetOptions): string | null {
  const right = (rule: keyof typeof TARGET_RULES, value: unknown) =>
    isRight(rule, value) ? null : `${rule} takes ${TARGET_RULES[rule]}`;
  const common = right('name', target.name) ?? right('type', target.type);
  if (common !== null) return common;
  if (target.type === 'telegram') {
    const base = target.baseUrl ?? TELEGRAM_URL;
    return (
      right('token', target.token) ??
      right('chat', target.chat) ??
      right('baseUrl', base) ??
      (isOpenHttp(base) ? 'baseUrl is plain http to another machine; use https' : null)
    );
  }
  const open = target.allowHttp !== true && isOpenHttp(target.url);
  return (
    right('url', target.url) ??
    (target.secret === undefined ? null : right('secret', target.secret)) ??
    (open ? 'url is plain http to another machine; use https, or allowHttp' : null)
  );
}

function addressOf(text: string): URL | null {
  const url = text.length <= URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && url.username === '' && url.password === '' && !text.includes('#');
  return plain && /^https?:$/.test(url.protocol) ? url : null;
}

/** Returns whether a host is loopback, by address or by the name reserved for it (RFC 6761). */
function isThisMachine(hostname: string): boolean {
  if (hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return isIPv4(hostname) && hostname.startsWith('127.');
}
