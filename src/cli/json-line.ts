/** JSON on one line: characters that are not plain text are escaped, so that none controls the terminal. */

/** Writes `value` on one line, without a line end. */
export function jsonLine(value: unknown): string {
  const hostile = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
  return JSON.stringify(value).replace(hostile, (char) =>
    [...Array(char.length).keys()]
      .map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
