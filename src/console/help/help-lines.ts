/**
 * The help page, made from the table of keys: keys of the screen in view first, then those that work
 * everywhere. Pure.
 */

import type { BoundBinding, Scope } from '../input/binding.ts';
import { shownKey, shownKeysOf } from '../input/shown-key.ts';
import { type Line, lineWidth, type Span, span, wrapWords } from '../ui/line.ts';

/** Width of the keys, in cells; longer keys move their label to the next line. */
const KEYS = 15;
const GAP = 2;

interface Part {
  readonly title: string;
  readonly scopes: readonly Scope[];
}

const PANES: Partial<Record<Scope, string>> = { chart: 'Chart', detail: 'Detail' };
const EVERYWHERE: readonly Part[] = [
  { title: 'Everywhere', scopes: ['global', 'always'] },
  { title: 'Confirmations', scopes: ['confirm', 'bulk'] },
];
/** Added to the shorter column. */
const FORMS: Part = { title: 'Forms', scopes: ['form', 'choice'] };

/**
 * @param scopes scopes in force below the help, innermost first
 * @param width cells of a row; the columns share it
 * @param columns number of columns; one to be read aloud
 */
export function helpLines(
  bindings: readonly BoundBinding[],
  screen: { readonly id: Scope; readonly title: string },
  scopes: readonly Scope[],
  width: number,
  columns: 1 | 2 | 3 = 2,
): readonly Line[] {
  const half = columns === 1 ? width : Math.floor((width - GAP * (columns - 1)) / columns);
  const panes = scopes.flatMap((scope) => {
    const title = PANES[scope];
    return title === undefined ? [] : [{ title, scopes: [scope] }];
  });
  const here: readonly Part[] = [
    { title: screen.title, scopes: [screen.id] },
    ...panes,
    { title: 'Lists', scopes: ['list'] },
  ];
  const made = (parts: readonly Part[]) => sections(bindings, parts, half);
  if (columns === 3) {
    const first = sideBySide(made(here), made(EVERYWHERE), half);
    return [...sideBySide(first, made([FORMS]), 2 * half + GAP), [], ...closing(width)];
  }
  const formsLeft = made(here).length <= made(EVERYWHERE).length;
  const left = columns === 1 ? [...here, ...EVERYWHERE, FORMS] : formsLeft ? [...here, FORMS] : here;
  const right = columns === 1 ? [] : formsLeft ? EVERYWHERE : [...EVERYWHERE, FORMS];
  return [...sideBySide(made(left), made(right), half), [], ...closing(width)];
}

function sideBySide(left: readonly Line[], right: readonly Line[], half: number): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const first = left[at] ?? [];
    const second = right[at] ?? [];
    lines.push([
      ...first,
      ...(second.length > 0 ? [span(' '.repeat(half - lineWidth(first) + GAP)), ...second] : []),
    ]);
  }
  return lines;
}

function closing(width: number): Line[] {
  const rule = 'Enter never places, cancels, revokes or starts anything.';
  return wrapWords(rule, width).map((text) => [span(text, 'muted')]);
}

function sections(bindings: readonly BoundBinding[], parts: readonly Part[], width: number): Line[] {
  const lines: Line[] = [];
  for (const { title, scopes } of parts) {
    const shown = bindings.filter(({ scope }) => scopes.includes(scope));
    if (shown.length === 0) continue;
    if (lines.length > 0) lines.push([]);
    lines.push([span(title, 'title')], ...shown.flatMap((binding) => rows(binding, width)));
  }
  return lines;
}

/** The keys and what they do; each is wrapped to further rows where there is no room for it in one. */
function rows(binding: BoundBinding, width: number): Line[] {
  const keys = wrapWords(shownKeysOf(binding).map(shownKey).join(' '), KEYS);
  const label = wrapWords(binding.label, width - KEYS - 1);
  const said = shownKeysOf(binding).join(' or ');
  return Array.from({ length: Math.max(keys.length, label.length) }, (_, at): Span[] => [
    {
      ...span((keys[at] ?? '').padEnd(KEYS + 1), 'key'),
      spoken: at === 0 ? `${said}: ${binding.label}` : '',
    },
    { ...span(label[at] ?? ''), spoken: '' },
  ]);
}

export interface HelpDialog {
  readonly kind: 'help';
  readonly offset: number;
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly help: HelpDialog;
  }
}
