/** A run's state as JSON text and back: decimals (bigint) and maps keep their type. Pure. */
import type { RunState } from './run-state.ts';

const BIGINT = '$n';
const MAP = '$m';

export function encodeState(state: RunState): string {
  return JSON.stringify(state, (_name, value: unknown) => {
    if (typeof value === 'bigint') return { [BIGINT]: value.toString() };
    if (value instanceof Map) return { [MAP]: [...value] };
    return value;
  });
}

/** Reads what `encodeState` has written; throws on any other text. */
export function decodeState(text: string): RunState {
  return JSON.parse(text, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (BIGINT in value) return BigInt(value[BIGINT] as string);
    if (MAP in value) return new Map(value[MAP] as [unknown, unknown][]);
    return value;
  }) as RunState;
}
