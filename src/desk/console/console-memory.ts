/**
 * What a console remembers for its operator, read and written in the store: a row for each name, the local
 * user's included.
 */
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { memoryProblem, type OperatorMemory } from '../../domain/operator-memory.ts';
import type { CallerFacadeOptions } from './console-facade.ts';
import type { Params } from './protocol.ts';

export function memoryHandlers({ core, store, name }: Pick<CallerFacadeOptions, 'core' | 'store' | 'name'>) {
  return {
    'memory.read': (): Promise<OperatorMemory | null> => core.turn.read(() => store.memory(name)),
    'memory.write': async ({ memory }: Params<'memory.write'>): Promise<Outcome<null>> => {
      const problem = memoryProblem(memory);
      if (problem !== null) return refuse('INVALID_REQUEST', problem);
      core.turn.store([{ kind: 'memory', name, memory }], true);
      try {
        await core.turn.read(() => {});
        return ok(null);
      } catch {
        return refuse('SERVICE_UNAVAILABLE', 'it could not be stored; try again');
      }
    },
  };
}
