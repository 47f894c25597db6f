/**
 * A one-line text field: `ink-text-input` while it has the keyboard, plain text otherwise. A value that is
 * longer than the field shows its end. Tells the key pipeline when it is listening.
 */
import { Box, Transform, useIsScreenReaderEnabled } from 'ink';
import TextInput from 'ink-text-input';
import { type ReactNode, useEffect, useReducer, useRef } from 'react';
import { inCapitals } from '../../domain/market-name.ts';
import { useConsole, useUi } from '../app/context.ts';
import { cellWidth, clean } from '../ui/clean.ts';
import { counted } from '../ui/format.ts';
import { toAscii } from '../ui/glyphs.ts';
import { span } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';

export interface TextFieldProps {
  readonly id: string;
  readonly value: string;
  readonly width: number;
  readonly focus: boolean;
  readonly placeholder?: string;
  /** The value is selected: the next character replaces it. */
  readonly whole?: boolean;
  /** The value is drawn and spoken only as a number of characters. */
  readonly hidden?: boolean;
}

export function TextField(props: TextFieldProps): ReactNode {
  const { id, value, width, focus, placeholder = '', whole } = props;
  const spoken = useIsScreenReaderEnabled();
  if (props.hidden) return <Hidden {...props} spoken={spoken} />;
  // Keys come through the pipeline anyway; a cursor in the text would be read aloud with it.
  if (spoken) {
    const said = value === '' ? placeholder || 'empty' : value;
    return <Row line={[span(focus ? `typing: ${said}` : said)]} width={width} />;
  }
  if (focus && whole)
    return <Row line={[span(tail(value, width), 'text', { inverse: true })]} width={width} opaque />;
  if (focus) return <Listening id={id} value={value} width={width} />;
  const shown = value === '' ? span(placeholder, 'muted') : span(tail(value, width));
  return <Row line={[shown]} width={width} opaque />;
}

/** A hidden field has no `ink-text-input`: its value is never drawn, and keys come through the pipeline. */
function Hidden({ value, width, focus, spoken }: TextFieldProps & { readonly spoken: boolean }): ReactNode {
  const count = [...value].length;
  if (spoken) {
    const said = count === 0 ? 'empty' : counted(count, 'character');
    return <Row line={[span(focus ? `typing: ${said}` : said)]} width={width} />;
  }
  const stars = span('*'.repeat(Math.min(count, width - 1)));
  return <Row line={focus ? [stars, span(' ', 'text', { inverse: true })] : [stars]} width={width} opaque />;
}

/** Returns the end of a value that does not fit, with room for the cursor. */
function tail(value: string, width: number): string {
  const text = clean(value);
  if (cellWidth(text) <= width) return text;
  const chars = [...text];
  let start = chars.length;
  for (let left = width - 2; start > 0; start--) {
    left -= cellWidth(chars[start - 1] ?? '');
    if (left < 0) break;
  }
  return `…${chars.slice(start).join('')}`;
}

/** Tracks the cursor of an `ink-text-input`, which does not expose it. */
export interface InputWatch {
  readonly key: number;
  /** Called with the value that the input made of a key. */
  edited(next: string): void;
  /** Called at an arrow key; tells whether the input may handle it. */
  moved(by: -1 | 1): boolean;
  /** Called when the input's new value is rejected. */
  dropped(): void;
}

/**
 * The input does not move its cursor when the value changes from outside (a paste, keys before it listened)
 * or when its new value is rejected, and it moves the cursor beyond either end: the next character would be
 * inserted at a wrong place. In these cases a new input replaces it, with the cursor at the end.
 */
function useInputWatch(value: string): InputWatch {
  const [dropped, drop] = useReducer((count: number) => count + 1, 0);
  const seen = useRef({ value, at: value.length, key: 0, dropped });
  const now = seen.current;
  // The field may have changed its case, or set the symbol's own spelling.
  const foreign = inCapitals(now.value) !== inCapitals(value);
  if (foreign || now.dropped !== dropped)
    seen.current = { value, at: value.length, key: now.key + 1, dropped };
  return {
    key: seen.current.key,
    edited(next) {
      const at = seen.current.at + next.length - seen.current.value.length;
      seen.current = { ...seen.current, value: next, at };
    },
    moved(by) {
      const at = seen.current.at + by;
      if (at < 0 || at > seen.current.value.length) return false;
      seen.current = { ...seen.current, at };
      return true;
    },
    dropped: drop,
  };
}

/** Escape sequences with which the input draws its cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const STYLE = /(\x1b\[[\d;]*m)/;

/** Cleans all but the input's styles: a character cluster might be narrower there than in the terminal. */
function cleanStyled(text: string): string {
  return text
    .split(STYLE)
    .map((part, at) => (at % 2 === 0 ? clean(part) : part))
    .join('');
}

function Listening({ id, value, width }: { id: string; value: string; width: number }): ReactNode {
  const { keys } = useConsole();
  const ascii = useUi((ui) => ui.ascii);
  const input = useInputWatch(value);
  useEffect(() => {
    keys.setListening({ id, value, input });
    return () => keys.setListening(null);
  });
  const over = Math.max(0, cellWidth(clean(value)) + 1 - width);
  return (
    <Box width={width} height={1} overflow="hidden">
      <Box position="absolute">
        <Row line={[]} width={width} opaque />
      </Box>
      <Box marginLeft={-over} flexShrink={0}>
        <Transform transform={(text) => cleanStyled(ascii ? toAscii(text) : text)}>
          <TextInput
            key={input.key}
            value={value}
            onChange={(next) => {
              if (keys.edited(id, next)) input.edited(next);
              else input.dropped();
            }}
          />
        </Transform>
      </Box>
    </Box>
  );
}
