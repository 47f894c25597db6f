/** Events of the desk, newest at the bottom; follows until scrolled back. Enter opens a line whole. */
import type { ReactNode } from 'react';
import type { LogLine } from '../../domain/rows.ts';
import { useDesk, useUi } from '../components/context.ts';
import { type Line, rule, span } from '../components/line.ts';
import { Row } from '../components/Row.tsx';
import { timeOfDay } from '../format.ts';
import { logIndex } from '../model/lists.ts';
import { windowStart } from '../model/order-list.ts';

export function logLine({ at, level, source, text }: LogLine, selected = false): Line {
  const tone = level === 'error' ? 'danger' : level === 'warn' ? 'warn' : 'muted';
  return [
    selected ? span('▸', 'focus') : span(' '),
    span(`${timeOfDay(at)}  `, 'muted'),
    span(level.padEnd(5), tone),
    span(`  ${source.padEnd(8)}  `, 'muted'),
    span(text, level === 'info' ? 'text' : tone),
  ];
}

export function LogScreen({ width, height }: { width: number; height: number }): ReactNode {
  const log = useDesk((state) => state.log);
  const line = useUi((ui) => ui.log.line);
  const at = logIndex(log, line);
  const room = height - 1;
  const start = line === null ? Math.max(0, log.length - room) : windowStart(at, log.length, room);
  const newer = log.length - 1 - at;
  const info: Line =
    line === null ? [span('following', 'ok')] : [span(`${newer} newer below · G follows`, 'warn')];
  return (
    <>
      <Row line={rule('Log', info, width)} width={width} />
      {log.length === 0 && <Row line={[]} width={width} />}
      {log.length === 0 && <Row line={[span('  nothing has happened yet', 'muted')]} width={width} />}
      {log.slice(start, start + room).map((entry, index) => {
        const here = start + index === at;
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        return <Row key={index} line={logLine(entry, here)} width={width} selected={here} />;
      })}
    </>
  );
}
