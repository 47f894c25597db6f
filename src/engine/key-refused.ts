/**
 * Whether an exchange refuses the key of an account that it has taken for a while: that does not pass by itself, and whoever trades
 * there has to know at once (strategies.md 10, R12). A key that is refused before it has worked may not be in force yet. Pure.
 */
import type { RejectCode } from '../domain/reject-code.ts';
import type { AccountMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** So long a key must have worked. */
const WORKED_MS = 10 * 60_000;

export interface KeyMemory {
  /** Monotonic time since which it is known to work; null: not since the account was connected. */
  workedSince: number | null;
  /** It is refused, and had worked. */
  refused: boolean;
}

export function newKey(): KeyMemory {
  return { workedSince: null, refused: false };
}

/** The exchange has done what only a key is allowed to. */
export function keyWorks(step: StepContext, { key, account }: AccountMemory): void {
  key.workedSince ??= step.now.mono;
  if (!key.refused) return;
  key.refused = false;
  step.effect({ kind: 'log', level: 'info', source: 'exchange', text: `${account.id} takes its key again` });
}

/** It has refused a request. */
export function keyRefused(step: StepContext, { key, account }: AccountMemory, reason: RejectCode): void {
  if (reason !== 'BAD_CREDENTIALS' || key.refused || key.workedSince === null) return;
  if (step.now.mono - key.workedSince < WORKED_MS) return;
  key.refused = true;
  const text = `${account.id} refuses its key, which had worked: bots there have failed; look at the key at the exchange, or give the connection another one`;
  step.effect({ kind: 'log', level: 'error', source: 'exchange', text });
}
