/** What one order makes the desk store, taken from a real recording: the peer writes as much. */
import type { Row } from '../../src/domain/rows.ts';

export interface PlannedRow {
  readonly table: string;
  /** Whether it is stored under a number of its own instead of a key. */
  readonly appends: boolean;
  /** Key of a row that every commit has; otherwise the part of the key after the order's id. */
  readonly key: string;
  readonly doc: Readonly<Record<string, unknown>>;
}

export interface WritePlan {
  /**
   * One group commit each, one after the other. `each`: rows per order; `once`: rows per commit, however many
   * orders it has.
   */
  readonly phases: readonly { readonly each: readonly PlannedRow[]; readonly once: readonly PlannedRow[] }[];
  /** The document of the answer. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/**
 * Makes the plan. `orders`: the commits of some orders sent one after the other, none overlapping; the last
 * one is the pattern.
 */
export function writePlan(orders: readonly (readonly Row[][])[], answer: string): WritePlan {
  const last = orders.at(-1) ?? [];
  const before = new Set(orders.slice(0, -1).flat(2).map(keyOf));
  const phases = last.map((commit) => {
    const planned = commit.map((row, index) => ({
      shared: !appends(row) && before.has(keyOf(row)),
      row: {
        table: row.kind.replaceAll('-', '_'),
        appends: appends(row),
        key: appends(row) || !before.has(keyOf(row)) ? `/${index}` : keyOf(row),
        doc: docOf(row),
      },
    }));
    return {
      each: planned.filter(({ shared }) => !shared).map(({ row }) => row),
      once: planned.filter(({ shared }) => shared).map(({ row }) => row),
    };
  });
  return { phases, answer: JSON.parse(answer) };
}

function appends(row: Row): boolean {
  return row.kind === 'event' || row.kind === 'log';
}

function keyOf(row: Row): string {
  switch (row.kind) {
    case 'order':
      return `order ${row.order.id}`;
    case 'fill':
      return `fill ${row.fill.tradeId}`;
    case 'split':
      return `split ${row.plan.id}`;
    case 'idempotency':
      return `idempotency ${row.record.key}`;
    case 'idempotency-drop':
      return `idempotency ${row.key}`;
    case 'key':
      return `key ${row.key.id}`;
    case 'meta':
      return `meta ${row.name}`;
    case 'paper':
      return `paper ${row.table} ${row.id}`;
    case 'candle':
      return `candle ${row.symbol} ${row.candle.time}`;
    default:
      return '';
  }
}

/** The stored JSON document of a row. */
function docOf(row: Row): Record<string, unknown> {
  switch (row.kind) {
    case 'order':
      return { ...row.order };
    case 'event':
      return { ...row.event };
    case 'log':
      return { ...row.line };
    case 'idempotency':
      return { ...row.record };
    case 'key':
      return { ...row.key };
    case 'meta':
      return { value: row.value };
    case 'paper':
      return { ...(row.doc as Record<string, unknown>) };
    default:
      return { ...row };
  }
}
