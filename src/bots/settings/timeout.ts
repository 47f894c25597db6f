/**
 * Reads the timeout block: only `ttl` is known, any other type is ignored (specification, "timeout"). Pure.
 */
import type { TProperties, TSchema } from 'typebox';
import { Timeout } from '../../schemas/bots/blocks.ts';
import type { Fields } from './fields.ts';

/** Returns ms after the start, the shortest of several; null for none. */
export function readTtl<P extends TProperties & { readonly timeout: TSchema }>(f: Fields<P>): number | null {
  let ttl: number | null = null;
  for (const rule of f.each('timeout', Timeout)) {
    if (rule.raw('type') !== 'ttl') continue;
    if (!rule.has('value')) rule.problem('value', 'missing; must be the life of a run in ms');
    const value = rule.integerOr('value');
    if (value !== null && (ttl === null || value < ttl)) ttl = value;
  }
  return ttl;
}
