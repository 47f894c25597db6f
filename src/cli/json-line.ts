/** JSON on one line of a terminal: what is not plain text stands as its escape, so that no value can command it. */

/** `value` on one line, without its end. */
export function jsonLine(value: unknown): string {
  const hostile = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
  return JSON.stringify(value).replace(hostile, (char) =>
    [...Array(char.length).keys()]
      .map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
