/** The time until something is possible again, in hours and minutes. Pure. */

/** A duration in words, `5 h 58 min`; a part of a minute counts as a whole one. */
export function waitText(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
