/**
 * Events of the desk, newest at the bottom; follows new lines until scrolled back. Enter shows a line in
 * full.
 */
import type { ReactNode } from 'react';
import { useDesk, useUi, useWholeDesk } from '../app/context.ts';
import { timeNote } from '../app/header.ts';
import { windowStart } from '../lists/cursor.ts';
import { FilterRow } from '../lists/FilterRow.tsx';
import { keyed, rule, span } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { logIndex, logInfo, logLine, shownLog } from './log-view.ts';

export function LogScreen({ width, height }: { width: number; height: number }): ReactNode {
  const log = useDesk((state) => state.log);
  const live = useDesk((state) => state.clock.live);
  const orders = useWholeDesk((state) => state.orders);
  const view = useUi((ui) => ui.log);
  const rows = shownLog({ log }, view);
  const at = logIndex(rows, view.line);
  const searchRow = view.searching || view.search !== '' ? 1 : 0;
  const room = Math.max(0, height - 1 - searchRow);
  const start = view.line === null ? Math.max(0, rows.length - room) : windowStart(at, rows.length, room);
  return (
    <>
      <Row
        line={rule('Log', [...logInfo(view, rows, log.length, orders), ...timeNote({ live }, 'wall')], width)}
        width={width}
      />
      {searchRow > 0 && (
        <FilterRow id="log.search" value={view.search} focus={view.searching} width={width} />
      )}
      {rows.length === 0 && <Row line={[]} width={width} />}
      {rows.length === 0 && (
        <Row
          line={
            log.length === 0
              ? [span('  nothing has happened yet', 'muted')]
              : [
                  span('  no line of this level and source · ', 'muted'),
                  keyed('list.back', 'esc'),
                  span(' shows all', 'muted'),
                ]
          }
          width={width}
        />
      )}
      {rows.slice(start, start + room).map((entry, index) => {
        const here = start + index === at;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
          <Row key={index} line={logLine(entry, here, view.search, orders)} width={width} selected={here} />
        );
      })}
    </>
  );
}
