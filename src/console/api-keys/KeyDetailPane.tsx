/** The details of one key: rights, limits, use, and a worked example of signing. */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useUi, useWholeDesk } from '../app/context.ts';
import { DetailPane } from '../lists/DetailPane.tsx';
import type { Size } from '../lists/ListAndDetail.tsx';
import { loadExample } from './commands.ts';
import { keyDetailLines } from './key-detail.ts';
import { selectedKey } from './key-list.ts';

export function KeyDetailPane({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const keys = useWholeDesk((state) => state.keys);
  const view = useUi((ui) => ui.keys);
  // Ages change with the minute.
  useUi((ui) => ui.minute);
  const key = selectedKey({ keys }, view);
  const id = key?.id;
  useEffect(() => {
    if (id !== undefined) void loadExample(session, id);
  }, [session, id]);
  const focused = view.pane === 'detail';
  const room = { focused, width, height };
  if (!key) return <DetailPane title="Key" lines={[]} offset={0} {...room} />;
  const example = view.example?.id === key.id ? view.example : null;
  const lines = keyDetailLines(key, example, session.wall(), width);
  return <DetailPane title={`Key ${key.label}`} lines={lines} offset={view.detailOffset} {...room} />;
}
