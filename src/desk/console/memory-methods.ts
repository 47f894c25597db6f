/** What a terminal calls about what it keeps for its operator: the caller's own alone, whatever its role. Types only. */
import type { Outcome } from '../../domain/errors.ts';
import type { OperatorMemory } from '../../domain/operator-memory.ts';

export interface MemoryMethods {
  /** Null: nothing is kept. */
  'memory.read': [Record<string, never>, OperatorMemory | null];
  /** In place of all that was kept; stored when it is answered. */
  'memory.write': [{ memory: OperatorMemory }, Outcome<null>];
}
