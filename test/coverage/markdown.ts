/** Reads from a Markdown text what a list can be checked against: sections, tables, numbered rules. Pure. */

/** The lines below a heading, up to the next one of the same or a higher level. Throws when there is none. */
export function sectionOf(markdown: string, heading: string): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => (/^#+(?= )/.exec(line)?.[0].length ?? 9) <= level);
  return (end < 0 ? rest : rest.slice(0, end)).join('\n');
}

/** The first column of every table row, without headings and rules. */
export function firstColumn(markdown: string): string[] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
  const rules = new Set(rows.flatMap((line, at) => (/^\|[-|: ]+$/.test(line) ? [at - 1, at] : [])));
  return rows.filter((_, at) => !rules.has(at)).map((line) => line.split('|')[1]?.trim() ?? '');
}

/** The last number of the numbered list: `1.` to `n.` */
export function numberedTo(markdown: string): number {
  return [...markdown.matchAll(/^(\d+)\. /gm)].reduce((most, [, n]) => Math.max(most, Number(n)), 0);
}
