/** Keys as footer and help show them. Pure. */
import type { Binding } from './binding.ts';

const SHOWN: Readonly<Record<string, string>> = { up: '↑', down: '↓', left: '←', right: '→' };

/**
 * The keys of a binding as help and docs/keys.md show them; `:` stands for a command that only the palette
 * has.
 */
export function shownKeysOf({ keys }: Pick<Binding, 'keys'>): readonly string[] {
  return keys.length === 0 ? [':'] : keys;
}

/** A key as footer and help show it. Arrows become ASCII words where the glyph set asks for it. */
export function shownKey(key: string): string {
  return SHOWN[key] ?? key;
}
