/**
 * A terminal's calls about what it remembers for its operator: only the caller's own, whatever its role.
 * Types only.
 */
import type { Outcome } from '../../domain/errors.ts';
import type { OperatorMemory } from '../../domain/operator-memory.ts';

export interface MemoryMethods {
  /** Null: nothing is remembered. */
  'memory.read': [Record<string, never>, OperatorMemory | null];
  /** Replaces everything remembered; stored when it is answered. */
  'memory.write': [{ memory: OperatorMemory }, Outcome<null>];
}
