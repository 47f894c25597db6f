/** A map that forgets its oldest entry where it would grow beyond what is remembered. */

/** Entries that are remembered of an account's orders. */
const MOST = 20_000;

/** What is set anew counts as the youngest. */
export function keep<T>(map: Map<string, T>, key: string, value: T, most: number = MOST): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}
