/** A value as one line of JSON for a terminal: what is not plain text of a line stands as its escape. */
const HOSTILE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(HOSTILE, (char) =>
    [...Array(char.length).keys()]
      .map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
