/** Help on the screen in view, and the list of configuration entries that are ignored. */
import type { Feature } from '../app/feature.ts';
import type { FormKind } from '../forms/form.ts';
import { halfPage } from '../state/ui.ts';
import { openHelp, scrollHelp, showProblems } from './commands.ts';
import { HelpView } from './HelpView.tsx';
import type { HelpDialog } from './help-lines.ts';

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
