/** The innermost dialog, over whatever screen is in view. */
import type { ReactNode } from 'react';
import { useUi } from '../app/context.ts';
import { topDialog } from '../state/ui.ts';
import type { Room } from '../ui/room.ts';

export function DialogView({ width, height }: Room): ReactNode {
  const dialog = useUi(topDialog);
  const forms = useUi((ui) => ui.parts.forms);
  if (!dialog) return null;
  const { View } = forms[dialog.kind];
  return <View dialog={dialog} room={{ width, height }} />;
}
