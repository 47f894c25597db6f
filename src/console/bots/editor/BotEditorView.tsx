/**
 * The bot editor on the whole screen: the form on the left, its results beside it, or in narrow terminals
 * below and on a page of their own.
 */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Instrument } from '../../../domain/instrument.ts';
import { useConsole, useDesk } from '../../app/context.ts';
import { TextField } from '../../forms/TextField.tsx';
import type { BoundBinding } from '../../input/binding.ts';
import { keyOf, withOwnKey } from '../../input/overrides.ts';
import { windowStart } from '../../lists/cursor.ts';
import { clean, cut } from '../../ui/clean.ts';
import { fitLine, type Line, lineWidth, rule, span } from '../../ui/line.ts';
import { Row } from '../../ui/Row.tsx';
import type { Room } from '../../ui/room.ts';
import { type BotEditor, focusOf, rowsOfEditor, symbolIn } from './editor.ts';
import { type EditorLine, editorLine, helpLines, stateWords } from './lines.ts';
import { liveLines, summaryLines } from './live.ts';

/** From this width on the results are shown beside the form. */
export const EDITOR_WIDE = 150;
const HELP = 2;

export function BotEditorView({ dialog, room }: { dialog: BotEditor; room: Room }): ReactNode {
  const { bindings } = useConsole().session;
  const instruments = useDesk((state) => state.instruments);
  const wide = room.width >= EDITOR_WIDE;
  const symbol = symbolIn(dialog);
  const traded = instruments.filter((one) => one.symbol === symbol);
  const rules = traded.find(({ exchange }) => exchange === dialog.form.draft.exchange) ?? traded[0];
  const left = wide ? Math.floor(room.width * 0.5) : room.width;
  const right = room.width - left - 2;
  const showsForm = wide || dialog.pane === 'form';
  const lines =
    wide || dialog.pane === 'live'
      ? live(dialog, wide ? right : room.width, room.height, rules, bindings)
      : [];
  return (
    <Box position="absolute" width={room.width} height={room.height}>
      {showsForm && (
        <Box flexDirection="column" width={left} flexShrink={0}>
          <Lines lines={formLines(dialog, left, room.height, wide, bindings)} width={left} />
        </Box>
      )}
      {wide && (
        <Box flexDirection="column" width={2} flexShrink={0}>
          <Lines lines={Array.from({ length: room.height }, () => [])} width={2} />
        </Box>
      )}
      {lines.length > 0 && (
        <Box flexDirection="column" width={wide ? right : room.width} flexShrink={0}>
          <Lines lines={lines} width={wide ? right : room.width} />
        </Box>
      )}
    </Box>
  );
}

function title({ title: name, type }: BotEditor, symbol: string): string {
  return `${name} ${type}${symbol === '' ? '' : ` ${symbol}`}`;
}

function formLines(
  editor: BotEditor,
  width: number,
  height: number,
  wide: boolean,
  bindings: readonly BoundBinding[],
): EditorLine[] {
  const rows = rowsOfEditor(editor);
  const { row } = focusOf(editor, rows);
  const symbol = symbolIn(editor);
  const state = stateWords(editor);
  // The state has priority over a long name.
  const name = cut(clean(title(editor, symbol)), Math.max(8, width - lineWidth(state) - 8));
  const head = rule(name, state, width, wide && editor.pane === 'form');
  const below = wide ? HELP + 2 : HELP + 3;
  const most = Math.max(3, height - 1 - below);
  const start = windowStart(row, rows.length, most);
  const shown = rows.slice(start, start + most);
  const body = shown.map((one) => editorLine(one, editor.focus, editor, width - 1));
  const blank: Line[] = Array.from({ length: Math.max(0, most - shown.length) }, () => []);
  const more = rows.length - start - shown.length;
  const info: Line = more > 0 ? [span(`${more} more rows`, 'muted')] : [];
  const foot = editor.leaving
    ? rule(withOwnKey(bindings, 'editor.leave', 'esc again leaves what is written behind'), [], width)
    : rule(whereIs(editor), info, width);
  return [
    head,
    ...body,
    ...blank,
    foot,
    ...helpLines(editor, width, wide ? HELP + 1 : HELP, bindings),
    ...(wide ? [] : summaryLines(editor)),
  ];
}

/** The name of the field that the help below describes. */
function whereIs({ focus }: BotEditor): string {
  if (focus === 'review') return 'saving';
  return focus.startsWith('+') ? 'what is not given' : focus.replace('[]', '').replace('@', '');
}

/** The results, scrolled to their last position, at most to their end. */
function live(
  editor: BotEditor,
  width: number,
  height: number,
  rules: Pick<Instrument, 'tickSize' | 'stepSize'> | undefined,
  bindings: readonly BoundBinding[],
): Line[] {
  const all = liveLines(editor, {
    width,
    chart: chartRows(height),
    tick: rules?.tickSize,
    step: rules?.stepSize,
  });
  const room = height - 1;
  const offset = Math.min(editor.offset, Math.max(0, all.length - room));
  const more = all.length - room - offset;
  const down = keyOf(bindings, 'editor.scroll-down');
  const keys = editor.pane === 'live' ? down : `${keyOf(bindings, 'editor.pane')}, ${down}`;
  const info: Line = more > 0 ? [span(`${more} more · ${keys}`, 'muted')] : [];
  const head = rule('What comes of it', info, width, editor.pane === 'live');
  const shown = all.slice(offset, offset + room);
  return [head, ...shown, ...Array.from({ length: Math.max(0, room - shown.length) }, () => [])];
}

/** Height of the chart in a pane of `height` rows. */
export function chartRows(height: number): number {
  return Math.min(16, Math.max(8, Math.floor(height * 0.38)));
}

function Lines({ lines, width }: { lines: readonly EditorLine[]; width: number }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
  return lines.map((line, index) => <EditorRow key={index} line={line} width={width} />);
}

function EditorRow({ line, width }: { line: EditorLine; width: number }): ReactNode {
  if (!('field' in line)) return <Row line={line} width={width} opaque />;
  const before = lineWidth(line.before);
  const field = Math.max(4, Math.min(line.field.width, width - before - 1));
  const after = Math.max(0, width - before - field);
  return (
    <Box height={1}>
      <Row line={line.before} width={before} opaque />
      <TextField key={line.field.id} {...line.field} width={field} />
      <Row line={fitLine(line.after, after)} width={after} opaque />
    </Box>
  );
}
