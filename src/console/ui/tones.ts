/** Tones that depend on a figure. Pure. */

export function gainTone(value: bigint | null): 'up' | 'down' | 'muted' {
  return value === null || value === 0n ? 'muted' : value > 0n ? 'up' : 'down';
}
