/** The innermost dialog, above the screen in view; a ticket is beside the screen where that makes room. */
import { Box } from 'ink';
import type { ReactNode } from 'react';
import { useUi } from '../app/context.ts';
import { placeOf, topDialog } from '../state/ui.ts';
import type { Room } from '../ui/room.ts';

export function DialogView({ width, height }: Room): ReactNode {
  const dialog = useUi(topDialog);
  const forms = useUi((ui) => ui.parts.forms);
  const dock = useUi((ui) =>
    topDialog(ui)?.kind === 'ticket' ? (ui.parts.places[placeOf(ui)].dock?.(ui) ?? 0) : 0,
  );
  if (!dialog) return null;
  const { View } = forms[dialog.kind];
  if (dock > 0)
    return (
      <Box position="absolute" marginLeft={width - dock} width={dock} height={height}>
        <View dialog={dialog} room={{ width: dock, height }} />
      </Box>
    );
  return <View dialog={dialog} room={{ width, height }} />;
}
