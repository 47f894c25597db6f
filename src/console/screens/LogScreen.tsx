/** Events of the desk, newest at the bottom; follows until scrolled back. */
import type { ReactNode } from 'react';
import type { LogLine } from '../../domain/rows.ts';
import { useDesk, useUi } from '../components/context.ts';
import { type Line, rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { timeOfDay } from '../format.ts';

export function logLine({ at, level, source, text }: LogLine): Line {
  const tone = level === 'error' ? 'danger' : level === 'warn' ? 'warn' : 'muted';
  return [
    span(` ${timeOfDay(at)}  `, 'muted'),
    span(level.padEnd(5), tone),
    span(`  ${source.padEnd(8)}  `, 'muted'),
    span(text, level === 'info' ? 'text' : tone),
  ];
}

export function LogScreen({ width, height }: { width: number; height: number }): ReactNode {
  const log = useDesk((state) => state.log);
  const back = useUi((ui) => ui.log.back);
  const end = Math.max(0, log.length - back);
  const shown = log.slice(Math.max(0, end - (height - 1)), end);
  const info: Line =
    back === 0 ? [span('following', 'ok')] : [span(`${back} newer below · G follows`, 'warn')];
  return (
    <>
      <Row line={rule('Log', info, width)} width={width} />
      {log.length === 0 ? (
        <Rows lines={[[], [span('  nothing has happened yet', 'muted')]]} width={width} height={height - 1} />
      ) : (
        <Rows lines={shown.map(logLine)} width={width} height={height - 1} />
      )}
    </>
  );
}
