/**
 * Reads the startTrigger block: a line that the price must cross before the run begins (strategies.md 2).
 * Pure.
 */
import type { TProperties, TSchema } from 'typebox';
import { StartTrigger as Schema } from '../../schemas/bots/blocks.ts';
import type { StartTrigger } from './compiled.ts';
import type { Fields } from './fields.ts';

/** Reads the start trigger; null when left out. */
export function readStartTrigger<P extends TProperties & { readonly startTrigger: TSchema }>(
  f: Fields<P>,
): StartTrigger | null {
  const trigger = f.group('startTrigger', Schema);
  return trigger && { trend: trigger.line('trend'), direction: trigger.choice('direction') };
}
