/**
 * Checks bot settings in depth and compiles them: the one place where defaults are filled in and every rule
 * of strategies.md 2 to 9 that needs neither price nor balance is applied. All problems are collected. Pure.
 */
import { kindOf } from '../types/kinds.ts';
import { Check } from './check.ts';
import { readOptions } from './common.ts';
import type { BotType, Compiled, SettingsWorld } from './compiled.ts';

/** Validates a bot in depth (strategies.md 2, run rule 1). Does not change `settings` and `options`. */
export function compileBot(
  type: BotType,
  settings: unknown,
  options: unknown,
  world: SettingsWorld,
): Compiled {
  const check = new Check();
  const compiled = kindOf(type).read(check, settings, readOptions(check, type, options), world);
  const { problems, warnings } = check;
  if (compiled && problems.length === 0) return { ok: true, settings: compiled, warnings };
  return { ok: false, problems, warnings, settings: check.isReadable('') ? compiled : null };
}
