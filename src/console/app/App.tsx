/** The whole console, exactly as high and wide as the terminal. */
import { Box, useApp, useInput, useIsScreenReaderEnabled, usePaste } from 'ink';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { DialogView } from '../dialogs/DialogView.tsx';
import { formOf } from '../forms/form.ts';
import { keyOf } from '../input/overrides.ts';
import { bodyRows, MIN_COLUMNS, MIN_ROWS, SPOKEN_ROWS, tooSmall, type UiState } from '../state/ui.ts';
import { type Line, lineWidth, span } from '../ui/line.ts';
import { Row } from '../ui/Row.tsx';
import { type ConsoleContext, SessionContext, useConsole, useLost, useUi } from './context.ts';
import { Footer, Header, Message, Tabs } from './Frame.tsx';
import { Problems } from './Problems.tsx';

/** Hears keys and pastes, as the focused text input does, too; mounted before it, so it hears them first. */
function Keyboard(): ReactNode {
  const { keys } = useConsole();
  useInput((input, key) => keys.handle(input, key));
  usePaste((text) => keys.paste(text));
  return null;
}

/** Gives the session the function that hands this terminal over to another program. */
function Handover(): ReactNode {
  const { handOver } = useConsole();
  const { suspendTerminal } = useApp();
  useEffect(() => {
    handOver((run) => suspendTerminal(run));
    return () => handOver(null);
  }, [handOver, suspendTerminal]);
  return null;
}

export function App({ context }: { context: ConsoleContext }): ReactNode {
  return (
    <SessionContext value={context}>
      <Keyboard />
      <Handover />
      <Page />
    </SessionContext>
  );
}

function Page(): ReactNode {
  const { session } = useConsole();
  const columns = useUi((ui) => ui.columns);
  const rows = useUi((ui) => ui.rows);
  const small = useUi(tooSmall);
  const lost = useLost();
  const spoken = useIsScreenReaderEnabled();
  const leave = keyOf(session.bindings, 'quit.leave', 'small');
  const covered = useUi(isCovered);
  // A change of the time zone mounts everything anew.
  const zone = useUi((ui) => ui.chosenZone);
  const ready = useSyncExternalStore(session.desk.subscribe, () => session.desk.getState().state !== null);
  return (
    <Box width="100%" height={rows} flexDirection="column" overflow="hidden">
      {lost !== null ? (
        <Lost reason={lost} />
      ) : small ? (
        <Centred
          lines={[
            [span('too small', 'warn')],
            [span(`have ${columns}x${rows}, need ${MIN_COLUMNS}x${MIN_ROWS}`)],
            [span(leave, 'key'), span(' leave, the desk goes on', 'muted')],
          ]}
        />
      ) : ready && covered ? (
        <Covered key={zone} />
      ) : ready ? (
        spoken ? (
          <SpokenConsole key={zone} />
        ) : (
          <Console key={zone} />
        )
      ) : (
        <Opening />
      )}
    </Box>
  );
}

function Opening(): ReactNode {
  const { session } = useConsole();
  const key = keyOf(session.bindings, 'quit.give-up', 'opening');
  return (
    <Centred
      lines={[
        [span('Outcry', 'title', { bold: true })],
        [span('opening the desk', 'muted')],
        [],
        [span(key, 'key'), span(' leave', 'muted')],
      ]}
    />
  );
}

function Lost({ reason }: { reason: string }): ReactNode {
  const { session } = useConsole();
  return (
    <Centred
      lines={[
        [span('The line to the desk is lost', 'danger', { bold: true })],
        [span(reason, 'muted')],
        [],
        [span('Orders at the exchange stay as they are. A desk that still runs goes on.')],
        [span('Come back with '), span(session.program.replace(/ --$/, ''), 'key')],
        [],
        [span(keyOf(session.bindings, 'quit.leave', 'lost'), 'key'), span(' leave', 'muted')],
      ]}
    />
  );
}

function Centred({ lines }: { lines: readonly Line[] }): ReactNode {
  const columns = useUi((ui) => ui.columns);
  const rows = useUi((ui) => ui.rows);
  const above = Math.max(0, Math.floor((rows - lines.length) / 2));
  const shown = lines.slice(0, rows);
  return (
    <Box flexDirection="column" marginTop={above}>
      {shown.map((line, index) => {
        const length = lineWidth(line);
        const blank = span(' '.repeat(Math.max(0, Math.floor((columns - length) / 2))));
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        return <Row key={index} line={[blank, ...line]} width={columns} />;
      })}
    </Box>
  );
}

function isCovered(ui: UiState): boolean {
  const [first] = ui.dialogs;
  return first !== undefined && formOf(ui, first).covers === true;
}

/** A dialog that covers the whole screen, and the dialogs above it. */
function Covered(): ReactNode {
  const columns = useUi((ui) => ui.columns);
  const rows = useUi((ui) => ui.rows);
  return (
    <Box flexDirection="column" height={rows} width={columns} overflow="hidden">
      <DialogView width={columns} height={rows} />
    </Box>
  );
}

/** The view of a place without one; such a place is never a screen. */
function Nothing(): ReactNode {
  return null;
}

/** The console for a screen reader: one part after the other, a dialog in place of the screen below it. */
function SpokenConsole(): ReactNode {
  const { session } = useConsole();
  const columns = useUi((ui) => ui.columns);
  const height = useUi(bodyRows);
  const screen = useUi((ui) => ui.screen);
  const dialog = useUi((ui) => ui.dialogs.length > 0);
  const Screen = useUi((ui) => ui.parts.places[screen].View) ?? Nothing;
  const { digit = '', title } = useUi((ui) => ui.parts.places[screen]);
  const help = keyOf(session.bindings, 'help.open');
  return (
    <>
      <Row line={[span(`Screen reader mode, ${help} lists the keys`)]} width={columns} />
      <Header width={columns} />
      {dialog ? (
        <DialogView width={columns} height={SPOKEN_ROWS} />
      ) : (
        <>
          <Row line={[span(`Screen ${digit}: ${title}`)]} width={columns} />
          {screen === 'overview' && session.problems.length > 0 && <Problems width={columns} />}
          <Screen width={columns} height={height} />
        </>
      )}
      <Message width={columns} />
      <Footer width={columns} />
    </>
  );
}

function Console(): ReactNode {
  const columns = useUi((ui) => ui.columns);
  const height = useUi(bodyRows);
  const screen = useUi((ui) => ui.screen);
  const Screen = useUi((ui) => ui.parts.places[screen].View) ?? Nothing;
  const problems = useConsole().session.problems.length > 0 && screen === 'overview' ? 1 : 0;
  return (
    <>
      <Header width={columns} />
      <Tabs width={columns} />
      <Box flexDirection="column" height={height} width={columns} overflow="hidden">
        {problems > 0 && <Problems width={columns} />}
        <Screen width={columns} height={height - problems} />
        <DialogView width={columns} height={height} />
      </Box>
      <Message width={columns} />
      <Footer width={columns} />
    </>
  );
}
