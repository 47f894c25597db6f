/** Compares items with proofs: what is missing, and the Markdown document that shows it. Knows no files. */
import type { Item } from './item.ts';
import type { Proof } from './scan.ts';

export interface CoverageDocument {
  /** The path of the document, from the repository's root. */
  readonly path: string;
  readonly title: string;
  /** One paragraph below the title. */
  readonly intro: string;
  readonly items: readonly Item[];
}

const WRITTEN_BY = 'node test/coverage/write.ts';

/** Markers whose id is in no document, as sentences. */
export function unknownIds(documents: readonly CoverageDocument[], proofs: readonly Proof[]): string[] {
  const known = new Set(documents.flatMap(({ items }) => items.map(({ id }) => id)));
  return proofs
    .filter(({ id }) => !known.has(id))
    .map(({ file, line, id }) => `${file}:${line}: no document has the item "${id}"`);
}

/** Ids that are in the lists twice. */
export function doubledIds(documents: readonly CoverageDocument[]): string[] {
  const ids = documents.flatMap(({ items }) => items.map(({ id }) => id));
  return ids.filter((id, at) => ids.indexOf(id) !== at);
}

/** Items that no test proves. */
export function unproven({ items }: CoverageDocument, proofs: readonly Proof[]): string[] {
  const proven = new Set(proofs.map(({ id }) => id));
  return items.filter(({ id }) => !proven.has(id)).map(({ id }) => id);
}

/** The message for a stale or missing document. */
export function staleWords(path: string): string {
  return `${path} is not what the tests say; write it anew with: ${WRITTEN_BY}`;
}

export function renderDocument(document: CoverageDocument, proofs: readonly Proof[]): string {
  const { title, intro, items } = document;
  const byId = Map.groupBy(proofs, ({ id }) => id);
  const proven = items.filter(({ id }) => byId.has(id)).length;
  const sections = [...Map.groupBy(items, (item) => item.section)].map(
    ([name, list]) => `## ${name}\n\n${table(list, byId)}\n`,
  );
  return [
    `# ${title}\n`,
    `<!-- written by: ${WRITTEN_BY} -->\n`,
    `${intro}\n`,
    `${items.length} points, ${proven} of them proved.\n`,
    ...sections,
  ].join('\n');
}

function table(items: readonly Item[], byId: ReadonlyMap<string, readonly Proof[]>): string {
  const rows = items.map((item) => {
    const proofs = byId.get(item.id) ?? [];
    const cell = new Set(proofs.map(proofText).sort());
    return `| \`${item.id}\` | ${escaped(item.says)} | ${[...cell].join('<br>')} |`;
  });
  return ['| item | what it says | proved by |', '|---|---|---|', ...rows].join('\n');
}

function proofText({ file, titles }: Proof): string {
  return `\`${file.replace(/^test\//, '')}\` › ${titles.map(escaped).join(' › ')}`;
}

/** The text escaped so that Markdown shows it word for word in one table cell. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>|#]/g, (char) =>
    char === '<' ? '&lt;' : char === '>' ? '&gt;' : `\\${char}`,
  );
}
