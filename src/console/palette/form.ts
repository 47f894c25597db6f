/** The palette as a dialog. */

import type { FormKind } from '../forms/form.ts';
import { matchPalette } from './commands.ts';
import { PaletteView } from './PaletteView.tsx';
import type { PaletteDialog } from './palette.ts';

export const PALETTE_DIALOG: FormKind<PaletteDialog> = {
  kind: 'palette',
  View: PaletteView,
  scopes: () => ['palette'],
  text: ({ text }) => ({ id: 'palette', value: text }),
  withText: (dialog, text) => ({ ...dialog, text, index: 0 }),
  changed: matchPalette,
  // A theme that was only previewed ends with the palette.
  closed: ({ theme }) => ({ theme }),
};
