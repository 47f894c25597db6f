/** Times as people write them: ISO 8601, without a zone UTC. Pure. */

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Returns Unix ms; null when the text is no time. */
export function readMoment(text: string): number | null {
  const match = ISO.exec(text);
  const zoned = match && text.length > 10 && match[1] === undefined ? `${text}Z` : text;
  const time = match ? Date.parse(zoned.replace(' ', 'T')) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
