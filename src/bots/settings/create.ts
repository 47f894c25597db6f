/**
 * What is checked when a bot is created: its type and the exchange of its settings, nothing deeper
 * (specification, Bots rule 1). All other problems are found at the start. Pure.
 */
import { BOT_TYPES } from '../../schemas/bots/bot-type.ts';
import type { BotType, Problem, SettingsWorld } from './compiled.ts';
import { listed, shown } from './words.ts';

/**
 * The exchange named in the settings, as the `allowedExchanges` shield checks it; null when there is
 * none.
 */
export function settingsExchange(settings: unknown): string | null {
  const exchange = fieldOf(settings, 'exchange');
  return typeof exchange === 'string' ? exchange : null;
}

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

/** Returns the problem of the exchange; null when it is connected. */
export function exchangeProblem(
  exchange: unknown,
  { accounts }: Pick<SettingsWorld, 'accounts'>,
): string | null {
  if (typeof exchange === 'string' && accounts.has(exchange)) return null;
  const connected = `connected: ${listed([...accounts.keys()])}`;
  if (exchange === undefined || exchange === null) return `missing; ${connected}`;
  return `${shown(exchange)} is not connected; ${connected}`;
}

export function typeMismatch(type: BotType, came: unknown): string {
  return `must be ${type}, the bot's own type, or left out, got ${shown(came)}`;
}

function fieldOf(settings: unknown, name: string): unknown {
  return typeof settings === 'object' && settings !== null && Object.hasOwn(settings, name)
    ? (settings as Record<string, unknown>)[name]
    : undefined;
}
