/**
 * Whether an exchange refuses the API key of an account after having accepted it for a while: that does not
 * resolve itself, and whoever trades there has to know at once (strategies.md 10, R12). A key that is refused
 * before it has ever worked may not be active yet. Pure.
 */
import type { RejectCode } from '../domain/reject-code.ts';
import type { AccountMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** How long a key must have worked, ms. */
const WORKED_MS = 10 * 60_000;

export interface KeyMemory {
  /** Monotonic time since which the key is known to work; null: not since the account was connected. */
  workedSince: number | null;
  /** The key is refused, and had worked before. */
  refused: boolean;
}

export function newKey(): KeyMemory {
  return { workedSince: null, refused: false };
}

/** Notes that the exchange has done something that needs a valid key. */
export function keyWorks(step: StepContext, { key, account }: AccountMemory): void {
  key.workedSince ??= step.now.mono;
  if (!key.refused) return;
  key.refused = false;
  step.effect({ kind: 'log', level: 'info', source: 'exchange', text: `${account.id} takes its key again` });
}

/** Notes that the exchange has refused a request. */
export function keyRefused(step: StepContext, { key, account }: AccountMemory, reason: RejectCode): void {
  if (reason !== 'BAD_CREDENTIALS' || key.refused || key.workedSince === null) return;
  if (step.now.mono - key.workedSince < WORKED_MS) return;
  key.refused = true;
  const text = `${account.id} refuses its key, which had worked: bots there have failed; look at the key at the exchange, or give the connection another one`;
  step.effect({ kind: 'log', level: 'error', source: 'exchange', text });
}
