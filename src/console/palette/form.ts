/** The palette as a dialog. */
import { matchPalette } from '../commands/palette.ts';
import { PaletteView } from '../dialogs/PaletteView.tsx';
import type { FormKind } from '../forms/form.ts';
import type { PaletteDialog } from '../model/palette.ts';

export const PALETTE_DIALOG: FormKind<PaletteDialog> = {
  kind: 'palette',
  View: PaletteView,
  scopes: () => ['palette'],
  text: ({ text }) => ({ id: 'palette', value: text }),
  withText: (dialog, text) => ({ ...dialog, text, index: 0 }),
  changed: matchPalette,
  // A theme that was only looked at goes with it.
  closed: ({ theme }) => ({ theme }),
};
