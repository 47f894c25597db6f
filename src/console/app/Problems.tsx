/** A row on the Overview while part of the configuration is ignored: one problem, and the way to the rest. */
import type { ReactNode } from 'react';
import { lineWidth, span, spread } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { useConsole } from './context.ts';

export function Problems({ width }: { width: number }): ReactNode {
  const { session } = useConsole();
  const [first = '', ...more] = session.problems;
  const count = more.length > 0 ? `  ${more.length} more` : '';
  const right = [span(count, 'muted'), span('  :problems ', 'key')];
  const left = [span('! ', 'warn', { bold: true }), span(first, 'warn')];
  return <Row line={spread(left, right, Math.max(width, lineWidth(right)))} width={width} />;
}
