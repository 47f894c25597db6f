/** API keys: who may sign requests, how far they reach and when they last did. */
import type { ReactNode } from 'react';
import { useShallow } from 'zustand/shallow';
import type { AccessKey } from '../../domain/access-key.ts';
import { useDesk, useUi } from '../components/context.ts';
import { rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { type Column, headLine, placeColumns, rowLine } from '../components/table.ts';
import { dateTime } from '../format.ts';
import { shownKeys } from '../model/lists.ts';
import { selectedIndex, windowStart } from '../model/order-list.ts';

const COLUMNS: readonly Column<AccessKey>[] = [
  { title: 'label', width: 14, grow: 1, priority: 1, cell: (key) => span(key.label) },
  { title: 'id', width: 8, priority: 2, cell: (key) => span(key.id.slice(0, 8), 'muted') },
  {
    title: 'tier',
    width: 5,
    priority: 3,
    cell: (key) => span(key.tier, key.tier === 'read' ? 'ok' : 'warn'),
  },
  {
    title: 'state',
    width: 7,
    priority: 4,
    cell: (key) => (key.revokedAt === null ? span('active', 'ok') : span('revoked', 'danger')),
  },
  {
    title: 'last use',
    width: 16,
    priority: 5,
    cell: (key) => (key.lastUsedAt === null ? span('never', 'muted') : span(dateTime(key.lastUsedAt))),
  },
  { title: 'from', width: 15, priority: 6, cell: (key) => span(key.lastUsedFrom ?? '–', 'muted') },
  { title: 'created', width: 16, priority: 7, cell: (key) => span(dateTime(key.createdAt), 'muted') },
  {
    title: 'addresses',
    width: 12,
    grow: 1,
    priority: 8,
    cell: (key) => span(key.ipList?.join(' ') ?? 'any', 'muted'),
  },
  {
    title: 'accounts',
    width: 12,
    grow: 1,
    priority: 9,
    cell: (key) => span(key.allowedExchanges?.join(' ') ?? 'all', 'muted'),
  },
];

export function KeysScreen({ width, height }: { width: number; height: number }): ReactNode {
  const rows = useDesk(useShallow(shownKeys));
  const selection = useUi((ui) => ui.keys.selection);
  const placed = placeColumns(COLUMNS, width - 4);
  const at = selectedIndex(rows, selection);
  const room = height - 2;
  const start = windowStart(at, rows.length, room);
  const active = rows.filter((key) => key.revokedAt === null).length;
  const info = [span(`${active} active, ${rows.length - active} revoked`, 'muted')];
  return (
    <>
      <Row line={rule('Keys', info, width)} width={width} />
      {rows.length === 0 ? (
        <Rows
          lines={[
            [],
            [span('  No keys yet. Programs sign their requests with an Ed25519 key.', 'muted')],
            [],
            [span('  n', 'key'), span(' generates one here, ', 'muted'), span('p', 'key')].concat(
              span(' registers a public key you have.', 'muted'),
            ),
          ]}
          width={width}
          height={height - 1}
        />
      ) : (
        <>
          <Row line={headLine(placed, { title: '', sign: '' })} width={width} />
          {rows.slice(start, start + room).map((key, index) => (
            <Row
              key={key.id}
              line={rowLine(placed, key, start + index === at)}
              width={width}
              selected={start + index === at}
            />
          ))}
        </>
      )}
    </>
  );
}
