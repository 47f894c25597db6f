/** The signing lab of a key: a request as its sender made it, and which rule of the API refuses it. Pure. */
import type { LabReport, LabRequest, LabRule } from '../../desk/console/protocol.ts';
import { type Line, span, wrapWords } from '../ui/line.ts';

export type LabField = 'method' | 'target' | 'body' | 'timestamp' | 'signature';
export const LAB_FIELDS: readonly LabField[] = ['method', 'target', 'body', 'timestamp', 'signature'];
export const LAB_METHODS: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'];

/** Longest body in characters: a truncated body would be judged wrongly. */
export const LAB_LIMIT = 8_192;

export type LabDraft = Readonly<Record<LabField, string>>;

export interface LabForm {
  readonly kind: 'lab-form';
  readonly id: string;
  readonly label: string;
  /** The request's parts; the body as the field shows it, with its line ends. */
  readonly draft: LabDraft;
  readonly focus: LabField;
  /** The last report and the draft it is about; null before the first one. */
  readonly report: LabReport | null;
  readonly judged: LabDraft | null;
}

export const EMPTY_LAB: LabDraft = { method: 'GET', target: '', body: '', timestamp: '', signature: '' };

/** Writes a text in one line; invisible characters become signs, so that none is lost or overlooked. */
export function shownBytes(text: string): string {
  let out = '';
  for (const char of text.toWellFormed()) {
    const code = char.codePointAt(0) ?? 0;
    out += code < 0x20 ? String.fromCodePoint(PICTURES + code) : code === 0x7f ? DELETE : char;
  }
  return out;
}

/** Reverses `shownBytes`. */
export function bytesOf(shown: string): string {
  let out = '';
  for (const char of shown) {
    const code = (char.codePointAt(0) ?? 0) - PICTURES;
    out += code >= 0 && code < 0x20 ? String.fromCodePoint(code) : char === DELETE ? '\x7f' : char;
  }
  return out;
}

const PICTURES = 0x2400;
const DELETE = '\u2421';

/** Builds the request to the desk; null while there is nothing to judge. */
export function labRequest({ id, draft }: Pick<LabForm, 'id' | 'draft'>): LabRequest | null {
  const { method, target, body, timestamp, signature } = draft;
  if (target.trim() === '' && timestamp.trim() === '' && signature.trim() === '') return null;
  return {
    id,
    method,
    target: target.trim(),
    body: bytesOf(body),
    timestamp: timestamp.trim(),
    signature: signature.trim(),
  };
}

/** The lines of a report: the first rule that refuses the request in full, the others briefly. */
export function reportLines({ report, judged, draft }: LabForm, width: number): readonly Line[] {
  if (labRequest({ id: '', draft }) === null)
    return [[span('Paste the parts of a refused request; each is judged as it comes.', 'muted')]];
  if (draft.body.length > LAB_LIMIT)
    return [[span(`the body is longer than ${LAB_LIMIT} characters: it cannot be judged here`, 'warn')]];
  if (!report || judged !== draft) return [[span('judging …', 'muted')]];
  const { rules, hint } = report;
  if (rules.length === 0) return [[span('the desk does not know this key any more', 'warn')]];
  const refusing = rules.filter(({ verdict }) => verdict === 'refuses');
  const lines: Line[] = [verdictLine(refusing)];
  if (hint !== null) {
    wrapAll(`${hint}.`, width - 2)
      .slice(0, 2)
      .forEach((text, index) => {
        lines.push([span(index === 0 ? '→ ' : '  ', 'focus'), span(text, 'text', { bold: true })]);
      });
  }
  refusing.forEach((rule, index) => {
    lines.push([
      span('✗ ', 'danger'),
      span(rule.name.padEnd(10), 'text', { bold: true }),
      span(rule.code ?? '', 'danger'),
    ]);
    const most = index === 0 ? 4 : 1;
    for (const text of wrapAll(rule.text, width - 2).slice(0, most)) lines.push([span(`  ${text}`)]);
  });
  for (const { name, text } of rules.filter(({ verdict }) => verdict === 'open'))
    lines.push([span('? ', 'warn'), span(name.padEnd(10), 'muted'), span(text, 'muted')]);
  const passed = rules.filter(({ verdict }) => verdict === 'passes').map(({ name }) => name);
  if (passed.length > 0) lines.push([span('✓ ', 'ok'), span(passed.join(' '), 'muted')]);
  return lines;
}

function verdictLine(refusing: readonly LabRule[]): Line {
  const first = refusing[0];
  if (!first)
    return [
      span('Nothing here refuses it', 'ok', { bold: true }),
      span(': it would be let in now.', 'muted'),
    ];
  const more = refusing.length - 1;
  return [
    span(`Refused: ${first.code}`, 'danger', { bold: true }),
    span(more === 0 ? '' : `, and ${more} more rule${more === 1 ? '' : 's'} would refuse it`, 'warn'),
  ];
}

/** Wraps text by words; a word longer than a line is broken. */
function wrapAll(text: string, width: number): string[] {
  return wrapWords(text, width).flatMap((line) => {
    const parts: string[] = [];
    for (let at = 0; at < line.length; at += width) parts.push(line.slice(at, at + width));
    return parts;
  });
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly lab: LabForm;
  }
}
