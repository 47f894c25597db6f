/** One key from all sides: rights, limits, use, and a worked example of signing. */
import { type ReactNode, useEffect } from 'react';
import { loadExample } from '../commands/keys.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { keyDetailLines } from '../model/key-detail.ts';
import { selectedKey } from '../model/lists.ts';

export function KeyDetailPane({ width, height }: { width: number; height: number }): ReactNode {
  const { session } = useConsole();
  const keys = useDesk((state) => state.keys);
  const view = useUi((ui) => ui.keys);
  // Ages move with the minute.
  useUi((ui) => ui.minute);
  const key = selectedKey({ keys }, { keys: view });
  const id = key?.id;
  useEffect(() => {
    if (id !== undefined) void loadExample(session, id);
  }, [session, id]);
  const focused = view.pane === 'detail';
  if (!key) {
    return (
      <>
        <Row line={rule('Key', [], width, focused)} width={width} />
        <Rows lines={[]} width={width} height={height - 1} />
      </>
    );
  }
  const example = view.example?.id === key.id ? view.example : null;
  const lines = keyDetailLines(key, example, session.wall(), width);
  const room = height - 1;
  const offset = Math.min(view.detailOffset, Math.max(0, lines.length - room));
  const more = lines.length - room - offset;
  const info = more > 0 ? [span(`${more} more · tab, j`, 'muted')] : [];
  return (
    <>
      <Row line={rule(`Key ${key.label}`, info, width, focused)} width={width} />
      <Rows lines={lines.slice(offset)} width={width} height={room} />
    </>
  );
}
