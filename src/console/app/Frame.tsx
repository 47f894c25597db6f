/** The frame around every screen: header, tabs, message line, and the footer with the active bindings. */
import type { ReactNode } from 'react';
import { useShallow } from 'zustand/shallow';
import type { Binding } from '../input/binding.ts';
import { activeScopes, footerBindings } from '../input/scopes.ts';
import { shownKey } from '../input/shown-key.ts';
import { type ScreenId, type ScreenName, screensOf } from '../state/ui.ts';
import { orderFacts } from '../trading/orders.ts';
import { type Line, lineWidth, type Span, span, spread } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { useConsole, useUi, useWholeDesk } from './context.ts';
import { headerLine } from './header.ts';

export function Header({ width }: { width: number }): ReactNode {
  const minute = useUi((ui) => ui.minute);
  const state = useWholeDesk((desk) => desk);
  const only = useUi((ui) => ui.only);
  return <Row line={headerLine(state, minute, width, only)} width={width} />;
}

export function Tabs({ width }: { width: number }): ReactNode {
  const screen = useUi((ui) => ui.screen);
  const parts = useUi((ui) => ui.parts);
  const screens = screensOf({ parts });
  const badges = useWholeDesk(
    useShallow((state) => screens.map(({ id }) => parts.places[id].badge?.(state) ?? 0)),
  );
  return <Row line={tabLine(screens, screen, badges, width)} width={width} />;
}

/** The tabs; titles are cut short, then left out, if there is no room. Every tab stays in its place. */
export function tabLine(
  screens: readonly ScreenName[],
  screen: ScreenId,
  badges: readonly number[],
  width: number,
): Line {
  for (const letters of [20, 5, 4, 3, 0]) {
    const line: Span[] = [span(' ')];
    for (const [at, { id, digit, title }] of screens.entries()) {
      const badge = badges[at] ?? 0;
      const here = id === screen;
      const name = title.slice(0, letters);
      line.push(
        span(here && name !== '' ? ` ${digit} ${name} ` : ` ${digit} `, here ? 'focus' : 'key', {
          inverse: here,
        }),
        ...(here || name === '' ? [] : [span(`${name} `, 'muted')]),
        ...(badge > 0 ? [span(`!${badge}`, 'warn', { bold: true })] : []),
        span(' '),
      );
    }
    if (letters === 0 || lineWidth(line) <= width + 1) return line;
  }
  return [];
}

export function Message({ width }: { width: number }): ReactNode {
  const message = useUi((ui) => ui.message);
  return <Row line={message ? [span(' '), span(message.text, message.tone)] : []} width={width} />;
}

function hint({ keys, label }: Binding): Line {
  return [span(shownKey(keys[0] ?? ''), 'key'), span(` ${label}`, 'muted'), span('   ')];
}

/** As many hints as fit; the hint for help always fits. */
export function hintLine(bindings: readonly Binding[], width: number): Line {
  const line: Span[] = [span(' ')];
  const help = bindings.find((binding) => binding.command === 'help.open');
  const end = help ? hint(help) : [];
  for (const binding of bindings) {
    if (binding === help) continue;
    const next = hint(binding);
    if (lineWidth(line) + lineWidth(next) + lineWidth(end) > width) break;
    line.push(...next);
  }
  return [...line, ...end];
}

export function Footer({ width }: { width: number }): ReactNode {
  const { session } = useConsole();
  const scopes = useUi(useShallow((ui) => activeScopes(ui, 'open')));
  const unresolved = useWholeDesk((state) => orderFacts(state.orders).unresolved.length);
  const right: Line =
    unresolved > 0 ? [span(`! ${unresolved} unresolved`, 'danger', { bold: true }), span(' ')] : [];
  const room = width - lineWidth(right) - 1;
  const bindings = footerBindings(session.bindings, scopes);
  return <Row line={spread(hintLine(bindings, room), right, width)} width={width} />;
}
