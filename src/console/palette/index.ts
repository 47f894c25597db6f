/** The command palette. */
import type { Feature } from '../app/feature.ts';
import { movePalette, openPalette, runPalette } from './commands.ts';
import { PALETTE_DIALOG } from './form.ts';

export const PALETTE = {
  forms: { palette: PALETTE_DIALOG },
  commands: {
    'palette.open': openPalette,
    'palette.down': (s) => movePalette(s, 1),
    'palette.up': (s) => movePalette(s, -1),
    'palette.run': runPalette,
  },
} satisfies Feature;
