/** Help on the screen in view, and what of the configuration is ignored. */
import type { Feature } from '../app/feature.ts';
import { openHelp, scrollHelp, showProblems } from '../commands/help.ts';
import { HelpView } from '../dialogs/HelpView.tsx';
import type { FormKind } from '../forms/form.ts';
import type { HelpDialog } from '../model/help.ts';
import { halfPage } from '../state/ui.ts';

const HELP_DIALOG: FormKind<HelpDialog> = { kind: 'help', View: HelpView, scopes: () => ['help'] };

export const HELP = {
  forms: { help: HELP_DIALOG },
  commands: {
    'problems.show': showProblems,
    'help.open': openHelp,
    'help.down': (s) => scrollHelp(s, 1),
    'help.up': (s) => scrollHelp(s, -1),
    'help.page-down': (s) => scrollHelp(s, halfPage(s.ui.getState())),
    'help.page-up': (s) => scrollHelp(s, -halfPage(s.ui.getState())),
  },
} satisfies Feature;
