/** Panic: stop all bots, cancel all orders, close all positions. */
import type { Feature } from '../app/feature.ts';
import { halfPage } from '../state/ui.ts';
import { newPanic, openPanic, panicAgain, reviewPanicAgain, scrollPanic, startPanic } from './commands.ts';
import { PANIC_FORM, PANIC_RUN } from './forms.ts';

export const PANIC = {
  state: { panic: null },
  forms: { panic: PANIC_FORM, 'panic-run': PANIC_RUN },
  actions: {
    panic: (session, { parts }) => startPanic(session, parts),
    'panic-again': panicAgain,
  },
  commands: {
    'panic.open': openPanic,
    'panic.new': newPanic,
    'panic.again': reviewPanicAgain,
    'panic.down': (s) => scrollPanic(s, 1),
    'panic.up': (s) => scrollPanic(s, -1),
    'panic.top': (s) => scrollPanic(s, Number.NEGATIVE_INFINITY),
    'panic.bottom': (s) => scrollPanic(s, Number.POSITIVE_INFINITY),
    'panic.page-down': (s) => scrollPanic(s, halfPage(s.ui.getState())),
    'panic.page-up': (s) => scrollPanic(s, -halfPage(s.ui.getState())),
  },
} satisfies Feature;
