/**
 * The user's own keys: entries of `[keys]` in `config.toml`, by command id, applied to the table of bindings.
 * A wrong entry gives one sentence, and its command keeps the keys it has; the rules of the table (a key
 * means one thing per level, Enter never acts, `h j k l g G` move) apply to users, too. Pure.
 */

import { closest } from '../../domain/did-you-mean.ts';
import type { BoundBinding, CommandId, Keys, Scope } from './binding.ts';
import { parseKey, typed } from './key-names.ts';
import { shownKey } from './shown-key.ts';

/** A command id and what was written for it: a key or a list of keys. */
export type KeyEntry = readonly [command: string, keys: unknown];

export interface Keymap {
  readonly bindings: readonly BoundBinding[];
  /** One sentence for each entry that is ignored. */
  readonly problems: readonly string[];
}

/** Largest number of keys of one command: help and footer must show them. */
const MAX_KEYS = 4;
const IN_TEXT = new Set(['left', 'right', 'backspace', 'delete']);
/** Commands that move the cursor: only these may have the keys that move. */
export const MOVES = /[.-](down|up|left|right|top|bottom|next|previous)$/;

/** Returns the table with the user's keys in it. */
export function applyKeys(all: Keys, entries: readonly KeyEntry[]): Keymap {
  const problems: string[] = [];
  const wanted = new Map<CommandId, readonly string[]>();
  for (const [command, value] of entries) {
    const read = readEntry(all, command, value);
    if (typeof read === 'string') problems.push(`keys: ${read}`);
    else wanted.set(command as CommandId, read);
  }
  for (;;) {
    const bindings = all.bindings.map((binding) => {
      const keys = wanted.get(binding.command);
      return keys ? { ...binding, keys, usual: binding.keys } : binding;
    });
    const clash = findClash(all, bindings, wanted);
    if (!clash) return { bindings: wanted.size === 0 ? all.bindings : bindings, problems };
    wanted.delete(clash.command);
    problems.push(`keys: ${clash.problem}`);
  }
}

/** The keys of an entry, or what is wrong with it. */
function readEntry(all: Keys, command: string, value: unknown): readonly string[] | string {
  const mine = all.bindings.filter((binding) => binding.command === command);
  if (mine.length === 0) {
    const name = JSON.stringify(command.slice(0, 40));
    const meant = closest(
      command,
      all.bindings.map((binding) => binding.command),
    );
    return `${name} is no command; ${meant === null ? 'docs/keys.md lists them' : `did you mean ${meant}?`}`;
  }
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string')) return `${command} takes a key or a list of keys`;
  if (list.length > MAX_KEYS) return `${command} has ${list.length} keys: it takes ${MAX_KEYS} at most`;
  if (list.length === 0 && !mine.every(({ scope, acts }) => all.screens.has(scope) && !acts))
    return `${command} needs a key: the palette cannot do it`;
  const keys: string[] = [];
  for (const item of list) {
    const read = parseKey(item);
    if ('problem' in read) return `${command}: ${read.problem}`;
    const wrong = mine.map((binding) => refusal(all, binding, read.key)).find((found) => found !== null);
    if (wrong !== undefined) return `${command} cannot be ${read.key}: ${wrong}`;
    if (!keys.includes(read.key)) keys.push(read.key);
  }
  return keys;
}

function refusal(all: Keys, { command, scope, dangerous, acts }: BoundBinding, key: string): string | null {
  if (key === 'enter' && (dangerous || acts))
    return 'Enter never places, cancels, revokes or starts anything';
  if (/^[hjklgG]$/.test(key) && !MOVES.test(command)) return 'h j k l g G always move';
  if (all.texts.has(scope) && (typed(key) !== null || IN_TEXT.has(key)))
    return `it is at work while text is typed, and ${key} belongs to the text; take a key with ctrl or alt`;
  if (scope === 'area' && typed(key) !== null) return `${key} is typed into the text`;
  return null;
}

/**
 * Levels whose keys must differ from those of `scope`: its own, what is always in force, and moving in lists.
 */
function levels({ apart, screens }: Keys, scope: Scope): readonly string[] {
  if (apart.has(scope)) return [scope];
  return [scope, 'always', ...(screens.has(scope) ? ['list'] : [])];
}

/** The last entry that takes a key from another command where both are in force. */
function findClash(
  all: Keys,
  bindings: readonly BoundBinding[],
  wanted: ReadonlyMap<CommandId, unknown>,
): { command: CommandId; problem: string } | null {
  for (const command of [...wanted.keys()].reverse()) {
    for (const mine of bindings.filter((binding) => binding.command === command)) {
      const other = bindings.find(
        (binding) =>
          binding.command !== command &&
          meet(all, mine.scope, binding.scope) &&
          binding.keys.some((key) => mine.keys.includes(key)),
      );
      if (!other) continue;
      const key = mine.keys.find((mineKey) => other.keys.includes(mineKey));
      return {
        command,
        problem: `${command} cannot be ${key}: that is ${other.command} already (${other.label})`,
      };
    }
  }
  return null;
}

function meet(all: Keys, one: Scope, other: Scope): boolean {
  return levels(all, one).includes(other) || levels(all, other).includes(one);
}

/** The keys of a command as texts name them; `:` when only the palette has it. */
export function keysOf(
  bindings: readonly BoundBinding[],
  command: CommandId,
  scope?: Scope,
): readonly string[] {
  const found = bindings.find(
    (binding) => binding.command === command && (scope === undefined || binding.scope === scope),
  );
  return found && found.keys.length > 0 ? found.keys : [':'];
}

/** Replaces the usual key of a command in a text by the user's own. */
export function withOwnKey(bindings: readonly BoundBinding[], command: CommandId, text: string): string {
  const mine = bindings.filter((binding) => binding.command === command);
  const usual = mine.map((binding) => binding.usual ?? binding.keys);
  const words = text.split(' ');
  const at = words.findIndex((word) => usual.some((keys) => keys.includes(word)));
  const scope = mine[usual.findIndex((keys) => keys.includes(words[at] ?? ''))]?.scope;
  if (at < 0) return text;
  const own = keysOf(bindings, command, scope);
  // A usual key that the user has kept among several stays in the text.
  return own.includes(words[at] ?? '') ? text : words.with(at, shownKey(own[0] ?? ':')).join(' ');
}

/** The first key of a command. */
export function keyOf(bindings: readonly BoundBinding[], command: CommandId, scope?: Scope): string {
  return keysOf(bindings, command, scope)[0] ?? ':';
}

/** The keys that leave a question, as its Cancel button names them: `enter, esc`. */
export function closingKeys(bindings: readonly BoundBinding[], scope: Scope): string {
  const keys = keysOf(bindings, 'dialog.close', scope);
  const named = keys.filter((key) => key.length > 1).sort();
  return (named.length > 0 ? named : keys).slice(0, 2).map(shownKey).join(', ');
}
