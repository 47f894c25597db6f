/** The whole console: exactly as high and wide as the terminal, whatever happens inside. */
import { Box, useInput, usePaste } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { DialogView } from '../dialogs/DialogView.tsx';
import { AlertsScreen } from '../screens/AlertsScreen.tsx';
import { BotsScreen } from '../screens/BotsScreen.tsx';
import { KeysScreen } from '../screens/KeysScreen.tsx';
import { LogScreen } from '../screens/LogScreen.tsx';
import { OrdersScreen } from '../screens/OrdersScreen.tsx';
import { OverviewScreen } from '../screens/OverviewScreen.tsx';
import { PositionsScreen } from '../screens/PositionsScreen.tsx';
import { bodyRows, MIN_COLUMNS, MIN_ROWS, type ScreenId, tooSmall } from '../state/ui.ts';
import { type ConsoleContext, SessionContext, useConsole, useLost, useUi } from './context.ts';
import { Footer, Header, Message, Tabs } from './Frame.tsx';
import { type Line, span } from './line.ts';
import { Row } from './Row.tsx';

/** The only listeners for keys and pastes besides the focused text input; mounted first, so they hear first. */
function Keyboard(): ReactNode {
  const { keys } = useConsole();
  useInput((input, key) => keys.handle(input, key));
  usePaste((text) => keys.paste(text));
  return null;
}

export function App({ context }: { context: ConsoleContext }): ReactNode {
  return (
    <SessionContext value={context}>
      <Keyboard />
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
            [span('q', 'key'), span(' leave, the desk goes on', 'muted')],
          ]}
        />
      ) : ready ? (
        <Console />
      ) : (
        <Centred lines={[[span('waiting for the desk', 'muted')]]} />
      )}
    </Box>
  );
}

function Lost({ reason }: { reason: string }): ReactNode {
  return (
    <Centred
      lines={[
        [span('The line to the desk is lost', 'danger', { bold: true })],
        [span(reason, 'muted')],
        [],
        [span('Orders at the exchange stay as they are. A desk that still runs goes on.')],
        [span('Come back with '), span('outcry', 'key')],
        [],
        [span('q', 'key'), span(' leave', 'muted')],
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
        const length = line.reduce((sum, { text }) => sum + text.length, 0);
        const blank = span(' '.repeat(Math.max(0, Math.floor((columns - length) / 2))));
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its position
        return <Row key={index} line={[blank, ...line]} width={columns} />;
      })}
    </Box>
  );
}

const SCREEN: Record<ScreenId, (props: { width: number; height: number }) => ReactNode> = {
  overview: OverviewScreen,
  orders: OrdersScreen,
  bots: BotsScreen,
  positions: PositionsScreen,
  keys: KeysScreen,
  alerts: AlertsScreen,
  log: LogScreen,
};

function Console(): ReactNode {
  const columns = useUi((ui) => ui.columns);
  const height = useUi(bodyRows);
  const Screen = SCREEN[useUi((ui) => ui.screen)];
  return (
    <>
      <Header width={columns} />
      <Tabs width={columns} />
      <Box flexDirection="column" height={height} width={columns} overflow="hidden">
        <Screen width={columns} height={height} />
        <DialogView width={columns} height={height} />
      </Box>
      <Message width={columns} />
      <Footer width={columns} />
    </>
  );
}
