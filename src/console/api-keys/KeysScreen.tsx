/** API keys: who may sign requests, how far they reach and how they are used; a detail pane behind Enter. */

import type { ReactNode } from 'react';
import { useConsole, useUi, useWholeDesk } from '../app/context.ts';
import { ListAndDetail, type Size } from '../lists/ListAndDetail.tsx';
import { ListTable } from '../lists/ListTable.tsx';
import { isUsualOrder } from '../lists/list-views.ts';
import { listTitle, noMatch, sortMark } from '../lists/table.ts';
import { usePlacedColumns } from '../lists/use-columns.ts';
import { keyed, type Line, span } from '../ui/line.ts';
import { KeyDetailPane } from './KeyDetailPane.tsx';
import { keyColumns } from './key-columns.ts';
import { KEY_SORTS, type KeySort, shownKeys } from './key-list.ts';

export function KeysScreen({ width, height }: Size): ReactNode {
  const wanted = useUi((ui) => ui.keys.detailOpen);
  const open = useWholeDesk((state) => wanted && state.keys.length > 0);
  const rows = Math.ceil(height * 0.65);
  return (
    <ListAndDetail List={List} Detail={KeyDetailPane} open={open} rows={rows} width={width} height={height} />
  );
}

/** The column by which each sort order sorts. */
const SORTED: Record<KeySort, string> = {
  state: 'state',
  label: 'label',
  'last use': 'last use',
  requests: 'total',
};

function List({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const keys = useWholeDesk((state) => state.keys);
  const isOwner = useWholeDesk(({ me }) => me === undefined || me.role === 'owner');
  const view = useUi((ui) => ui.keys);
  // The count of today's requests ends at a minute.
  useUi((ui) => ui.minute);
  const rows = shownKeys({ keys }, view);
  const active = keys.filter((key) => key.revokedAt === null).length;
  const counts = `${active} active, ${keys.length - active} revoked`;
  const mark = sortMark(SORTED[view.sort], view.reverse);
  const first = isUsualOrder(KEY_SORTS, view) ? '' : mark.title;
  return (
    <ListTable
      list="keys"
      title={listTitle('Keys', view.filter)}
      info={[span(view.filter === '' ? counts : `${rows.length} of ${keys.length} shown`, 'muted')]}
      focused={view.detailOpen && view.pane === 'list'}
      placed={usePlacedColumns('keys', keyColumns(session.wall()), width, first)}
      mark={mark}
      rows={rows}
      empty={!isOwner ? NOT_OWNERS : keys.length === 0 ? EMPTY : [[], noMatch('no keys match', view.filter)]}
      width={width}
      height={height}
    />
  );
}

const NOT_OWNERS: readonly Line[] = [
  [],
  [span('  Keys are an owner’s: this terminal is told of none.', 'muted')],
];

const EMPTY: readonly Line[] = [
  [],
  [span('  No keys yet. Programs sign their requests with an Ed25519 key.', 'muted')],
  [],
  [
    keyed('key.generate', '  n'),
    span(' generates one here, ', 'muted'),
    keyed('key.paste', 'p'),
    span(' registers a public key you have.', 'muted'),
  ],
];
