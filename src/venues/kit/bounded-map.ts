/** A map that drops its oldest entry where it would grow beyond its limit. */

/** The limit for an account's orders, in entries. */
const MOST = 20_000;

/** Sets an entry, which then counts as the youngest, and drops the oldest one if there are too many. */
export function keep<T>(map: Map<string, T>, key: string, value: T, most: number = MOST): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}
