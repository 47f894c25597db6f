/**
 * A small table that does not change by itself: the orders of a split, the results of a batch. Drawn by
 * ink-table with custom cells, so that it is themed, free of control characters, aligned by terminal cells,
 * one line a row, and exactly as wide and high as asked. Live tables are made of rows (`table.ts`): they are
 * drawn ten times a second.
 */
import './ink-for-table.ts';
import { Box, useIsScreenReaderEnabled } from 'ink';
import * as inkTable from 'ink-table';
import { type ComponentType, createContext, type ReactNode, use } from 'react';
import { cell, type Line, type Span, span } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { spokenCell } from '../ui/spoken.ts';
import { PADDING, type StillTableData, stillWidths } from './still-table.ts';

interface StillTableProps extends StillTableData {
  readonly width: number;
  /** Rows of the screen, including the titles; the last one says how many rows are missing. */
  readonly height: number;
}

/** The props that ink-table gives its parts: the text with its padding, and the column's index. */
interface PartProps {
  readonly children?: ReactNode;
  readonly column?: number;
}

interface Layout {
  readonly table: StillTableData;
  readonly widths: readonly number[];
  /** Blanks after the last column: a table covers everything behind it. */
  readonly rest: number;
}

const LayoutContext = createContext<Layout | null>(null);

type InkTable = ComponentType<{
  readonly data: readonly Readonly<Record<string, string>>[];
  readonly columns: readonly string[];
  readonly padding: number;
  readonly header: ComponentType<PartProps>;
  readonly cell: ComponentType<PartProps>;
  readonly skeleton: ComponentType<PartProps>;
}>;

/** CommonJS: Node gives its exports as the default, a bundle the default itself. */
const Table = ((inkTable.default as { default?: unknown }).default ?? inkTable.default) as InkTable;

export function StillTable({ columns, rows, width, height }: StillTableProps): ReactNode {
  const spoken = useIsScreenReaderEnabled();
  if (height <= 0) return null;
  const whole = rows.length < height;
  const shown = rows.slice(0, whole ? rows.length : Math.max(0, height - 2));
  const missing = rows.length - shown.length;
  const more: Line = [span(' '.repeat(PADDING)), span(`${missing} more`, 'muted')];
  if (spoken) return <Spoken columns={columns} rows={rows} width={width} />;
  const widths = stillWidths({ columns, rows }, width);
  const rest = width - widths.reduce((total, cells) => total + cells + 2 * PADDING, 0);
  const keys = widths.map((_, at) => String(at));
  const data = shown.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at]?.text ?? ''])));
  const below = height - shown.length - 1 - (whole ? 0 : 1);
  return (
    <LayoutContext value={{ table: { columns, rows }, widths, rest }}>
      <Box flexDirection="column" width={width} height={height} overflow="hidden" flexShrink={0}>
        {keys.length > 0 ? (
          <Table data={data} columns={keys} padding={PADDING} header={Head} cell={Cell} skeleton={Nothing} />
        ) : (
          <Blank width={width} height={shown.length + 1} />
        )}
        {!whole && height > 1 && <Row line={more} width={width} opaque />}
        <Blank width={width} height={below} />
      </Box>
    </LayoutContext>
  );
}

function Blank({ width, height }: { width: number; height: number }): ReactNode {
  return Array.from({ length: Math.max(0, height) }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
    <Row key={at} line={[]} width={width} opaque />
  ));
}

/** Used for borders and for the lines between rows, which are not drawn. */
function Nothing(): ReactNode {
  return null;
}

function Head({ column = 0 }: PartProps): ReactNode {
  const title = use(LayoutContext)?.table.columns[column]?.title ?? '';
  return <Part column={column} value={span(title, 'muted')} />;
}

/** ink-table pads the text by a count of characters; that padding is replaced by one counted in cells. */
function Cell({ children, column = 0 }: PartProps): ReactNode {
  const text = String(children ?? '').trim();
  const rows = use(LayoutContext)?.table.rows ?? [];
  const same = rows.find((row) => row[column]?.text.trim() === text)?.[column];
  return <Part column={column} value={same ?? span(text)} />;
}

function Part({ column, value }: { column: number; value: Span }): ReactNode {
  const layout = use(LayoutContext);
  if (!layout) return null;
  const { table, widths, rest } = layout;
  const blanks = ' '.repeat(PADDING);
  const after = column === widths.length - 1 ? rest : 0;
  const text = cell(value.text, widths[column] ?? 0, table.columns[column]?.align ?? 'left', value.tone);
  const width = (widths[column] ?? 0) + 2 * PADDING + after;
  return (
    <Box width={width} flexShrink={0}>
      <Row
        line={[span(blanks), { ...value, ...text }, span(blanks + ' '.repeat(after))]}
        width={width}
        opaque
      />
    </Box>
  );
}

/** The table to be read aloud: each cell with its title, one line a row. */
function Spoken({ columns, rows, width }: StillTableData & { readonly width: number }): ReactNode {
  return rows.map((row, at) => {
    const line = row.map((value, column) => ({
      ...value,
      spoken: spokenCell(columns[column]?.title ?? '', value.text),
    }));
    // biome-ignore lint/suspicious/noArrayIndexKey: the table stands still
    return <Row key={at} line={line} width={width} />;
  });
}
