/** Columns of the Keys table; the first ones are the last to go when room is short. Pure. */
import { type AccessKey, requestsToday } from '../../domain/access-key.ts';
import type { Column } from '../lists/table.ts';
import { cellWidth } from '../ui/clean.ts';
import { dateTime, dayTime, group } from '../ui/format.ts';
import { span } from '../ui/line.ts';

/** Writes a list in one cell: whole, or its first entry and how many more there are. */
function listed(entries: readonly string[] | null, none: string, width: number) {
  if (entries === null) return span(none, 'muted');
  const whole = entries.join(' ');
  const more = entries.length > 1 ? ` +${entries.length - 1}` : '';
  const first = entries[0] ?? '';
  if (cellWidth(whole) <= width) return span(whole);
  return cellWidth(first + more) <= width ? span(first + more) : span(`${entries.length} listed`);
}

/** The columns of the table. `now`: the desk's wall clock, which decides what "today" is. */
export function keyColumns(now: number): readonly Column<AccessKey>[] {
  return [
    { title: 'label', width: 14, grow: 2, priority: 1, cell: (key) => span(key.label) },
    { title: 'id', width: 8, priority: 11, cell: (key) => span(key.id.slice(0, 8), 'muted') },
    {
      title: 'tier',
      width: 5,
      priority: 2,
      cell: (key) => span(key.tier, key.tier === 'read' ? 'ok' : 'warn'),
    },
    {
      title: 'accounts',
      width: 11,
      grow: 1,
      priority: 7,
      cell: (key, width) => listed(key.allowedExchanges, 'all', width),
    },
    {
      title: 'addresses',
      width: 10,
      grow: 1,
      priority: 6,
      cell: (key, width) => listed(key.ipList, 'any', width),
    },
    {
      title: 'today',
      width: 6,
      align: 'right',
      priority: 5,
      cell: (key) => span(group(String(requestsToday(key, now)))),
    },
    {
      title: 'total',
      width: 10,
      align: 'right',
      priority: 10,
      cell: (key) => span(group(String(key.counts.total)), 'muted'),
    },
    {
      title: 'last use',
      width: 11,
      priority: 4,
      cell: (key) =>
        key.lastUsedAt === null ? span('never', 'muted') : span(dayTime(key.lastUsedAt).slice(0, 11)),
    },
    { title: 'from', width: 15, grow: 1, priority: 8, cell: (key) => span(key.lastUsedFrom ?? '–', 'muted') },
    { title: 'created', width: 16, priority: 9, cell: (key) => span(dateTime(key.createdAt), 'muted') },
    {
      title: 'state',
      width: 7,
      priority: 3,
      cell: (key) => (key.revokedAt === null ? span('active', 'ok') : span('revoked', 'danger')),
    },
  ];
}
