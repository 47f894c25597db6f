/**
 * A one-line text field: `ink-text-input` while it has the keyboard, plain text otherwise. A value longer than the
 * field shows its end. Tells the key pipeline when it is listening.
 */
import { Box, Transform, useIsScreenReaderEnabled } from 'ink';
import TextInput from 'ink-text-input';
import { type ReactNode, useEffect } from 'react';
import { cellWidth, clean } from '../clean.ts';
import { toAscii } from '../glyphs.ts';
import { useConsole, useUi } from './context.ts';
import { span } from './line.ts';
import { Row } from './Row.tsx';

export interface TextFieldProps {
  readonly id: string;
  readonly value: string;
  readonly width: number;
  readonly focus: boolean;
  readonly placeholder?: string;
  /** The value stands selected: the next character takes its place. */
  readonly whole?: boolean;
}

export function TextField({ id, value, width, focus, placeholder = '', whole }: TextFieldProps): ReactNode {
  const spoken = useIsScreenReaderEnabled();
  // Keys come through the pipeline all the same; a cursor drawn into the text would be read with it.
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

/** The end of a value that does not fit. */
function tail(value: string, width: number): string {
  const text = clean(value);
  return cellWidth(text) <= width ? text : `…${[...text].slice(-(width - 2)).join('')}`;
}

function Listening({ id, value, width }: { id: string; value: string; width: number }): ReactNode {
  const { keys } = useConsole();
  const ascii = useUi((ui) => ui.ascii);
  useEffect(() => {
    keys.setMounted(id);
    return () => keys.setMounted(null);
  }, [keys, id]);
  const over = Math.max(0, cellWidth(value) + 1 - width);
  return (
    <Box width={width} height={1} overflow="hidden">
      <Box position="absolute">
        <Row line={[]} width={width} opaque />
      </Box>
      <Box marginLeft={-over} flexShrink={0}>
        <Transform transform={(text) => (ascii ? toAscii(text) : text)}>
          <TextInput value={value} onChange={(next) => keys.edited(id, next)} />
        </Transform>
      </Box>
    </Box>
  );
}
