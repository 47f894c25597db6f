/**
 * Reads a bot as a person writes it: the body of POST /bots, or its settings alone. It reports at once what
 * prevents creation, with the line of the problem; the desk checks what would only prevent a start
 * (`bots.check`). Pure.
 */
import type { NewBot } from '../../domain/bot.ts';
import { closest } from '../../domain/did-you-mean.ts';
import { BOT_TYPES, type BotType } from '../../schemas/bots/bot-type.ts';
import { readJson } from './bot-json.ts';

/** One problem or warning about the text. */
export interface DraftNote {
  /** The line, from 1; null if it belongs to no line. */
  readonly line: number | null;
  readonly text: string;
}

export interface BotDraft {
  /** The bot; null while it cannot be created. */
  readonly bot: NewBot | null;
  /** The problems that prevent its creation. */
  readonly problems: readonly DraftNote[];
  readonly warnings: readonly DraftNote[];
  /** Returns the line of a path as `bots.check` writes it; of the enclosing value if the path is missing. */
  lineOf(path: string): number | null;
}

const MAX_TAG = 50;
const OWN = ['type', 'settings', 'options', 'metadata', 'tag'] as const;
/** Fields of a bot as the API returns it: such a text may be pasted unchanged. */
const SHOWN = ['id', 'exchange', 'symbol', 'status', 'state', 'runId', 'stats'];

type Fields = Readonly<Record<string, unknown>>;

/** Reads a draft. `accounts`: the ids of the exchange accounts. */
export function readDraft(text: string, accounts: readonly string[]): BotDraft {
  if (text.trim() === '') return unread([{ line: null, text: 'nothing written yet' }]);
  const { value, problem, lines } = readJson(text);
  if (problem) {
    const { line, column, message } = problem;
    return unread([{ line, text: `line ${line}, column ${column}: ${message}` }]);
  }
  if (!isFields(value)) return unread([{ line: 1, text: 'a JSON object is needed: { … }' }]);
  const whole = isFields(value.settings);
  const lineOf = (path: string) => lineIn(lines, whole && !/^options\b/.test(path) ? under(path) : path);
  const problems: DraftNote[] = [];
  const warnings: DraftNote[] = [];
  const note = (path: string, message: string) =>
    problems.push({ line: lineIn(lines, path), text: `${path}: ${message}` });
  if (!whole && value.settings !== undefined) note('settings', 'must be an object');
  const body: Fields = whole ? value : { type: value.type, settings: value };
  const { type, settings, options, metadata, tag } = body;
  const known = BOT_TYPES.find((name) => name === type);
  if (!known) note('type', `must be one of ${BOT_TYPES.join(', ')}`);
  const inner = isFields(settings) ? settings : {};
  const at = whole ? 'settings.' : '';
  if (known && inner.type !== undefined && inner.type !== known)
    note(`${at}type`, `must be ${known}, as the bot's type, or left out`);
  if (typeof inner.exchange !== 'string' || !accounts.includes(inner.exchange))
    note(`${at}exchange`, `must be one of ${accounts.join(', ')}`);
  if (options !== undefined && !isFields(options)) note('options', 'must be an object');
  if (metadata !== undefined && typeof metadata !== 'string') note('metadata', 'must be a text');
  if (tag !== undefined && (typeof tag !== 'string' || [...tag].length > MAX_TAG))
    note('tag', `must be a text of at most ${MAX_TAG} characters`);
  if (whole) warnings.push(...notTaken(value, lines));
  const bot = problems.length === 0 && known ? made(known, inner, body) : null;
  return { bot, problems, warnings, lineOf };
}

function made(type: BotType, settings: Fields, { options, metadata, tag }: Fields): NewBot {
  return {
    type,
    settings,
    ...(isFields(options) ? { options } : {}),
    ...(typeof metadata === 'string' ? { metadata } : {}),
    ...(typeof tag === 'string' && tag !== '' ? { tag } : {}),
  };
}

/** Warnings about fields that a new bot lacks: those of a returned bot are dropped, others are mistakes. */
function notTaken(body: Fields, lines: ReadonlyMap<string, number>): DraftNote[] {
  const names = Object.keys(body).filter((name) => !OWN.some((own) => own === name));
  return names.map((name) => ({ line: lineIn(lines, name), text: `${name}: ${leftOut(name)}` }));
}

function leftOut(name: string): string {
  if (SHOWN.includes(name)) return 'left behind; a new bot gets its own';
  const meant = closest(name, OWN);
  return `not a field of a bot${meant === null ? '' : `, did you mean ${meant}?`}; left out`;
}

function unread(problems: readonly DraftNote[]): BotDraft {
  return { bot: null, problems, warnings: [], lineOf: () => null };
}

function under(path: string): string {
  return path === '' ? 'settings' : `settings.${path}`;
}

function lineIn(lines: ReadonlyMap<string, number>, path: string): number | null {
  for (let at = path; at !== ''; at = parentOf(at)) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return lines.get('') ?? null;
}

/** Returns the enclosing path: of `stop[0].trigger` first `stop[0]`, then `stop`, then an empty one. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('[')));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
