/**
 * What is checked when a bot is created: its type and the exchange of its settings, nothing deeper
 * (specification, Bots rule 1). All other problems are found at the start. Pure.
 */
import { BOT_TYPES } from '../../schemas/bots/bot-type.ts';
import type { Problem, SettingsWorld } from '../settings/compiled.ts';
import { exchangeProblem } from '../settings/context.ts';
import { typeMismatch } from '../settings/reader.ts';
import { shown } from '../settings/words.ts';

/** Returns why a bot of this type cannot be created with these settings; empty when it can. */
export function creationProblems(
  type: unknown,
  settings: unknown,
  world: Pick<SettingsWorld, 'accounts'>,
): Problem[] {
  const problems: Problem[] = [];
  const known = BOT_TYPES.find((name) => name === type);
  if (!known) {
    problems.push({ path: 'type', message: `must be one of ${BOT_TYPES.join(', ')}, got ${shown(type)}` });
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    problems.push({ path: 'settings', message: `must be an object, got ${shown(settings)}` });
    return problems;
  }
  const inner = fieldOf(settings, 'type');
  if (known && inner !== undefined && inner !== null && inner !== known) {
    problems.push({ path: 'settings.type', message: typeMismatch(known, inner) });
  }
  const message = exchangeProblem(fieldOf(settings, 'exchange'), world);
  if (message !== null) problems.push({ path: 'settings.exchange', message });
  return problems;
}

function fieldOf(settings: unknown, name: string): unknown {
  return typeof settings === 'object' && settings !== null && Object.hasOwn(settings, name)
    ? (settings as Record<string, unknown>)[name]
    : undefined;
}
