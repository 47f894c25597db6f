/** Positions on futures accounts: the list, closing and protecting them, settings of accounts and symbols. */
import type { Feature } from '../app/feature.ts';
import { deskState } from '../app/session.ts';
import { listCommands, markCommands, openDetail } from '../lists/list-commands.ts';
import { followMarket } from '../trading/follow-market.ts';
import { openPositions } from '../trading/positions.ts';
import {
  askPosition,
  closePosition,
  pairPosition,
  recheckPosition,
  reversePosition,
  showsPosition,
} from './commands.ts';
import { POSITION_FORM } from './forms.ts';
import { PositionsScreen } from './PositionsScreen.tsx';
import { POSITION_ACTIONS } from './position-actions.ts';
import { positionDetailLines } from './position-detail.ts';
import { FIRST_POSITIONS, POSITION_SORTS, selectedPosition, shownPositions } from './position-list.ts';

export const POSITIONS = {
  state: { positions: FIRST_POSITIONS },
  forms: { 'position-form': POSITION_FORM },
  actions: POSITION_ACTIONS,
  commands: {
    ...listCommands('positions'),
    ...markCommands('positions'),
    'position.close': closePosition,
    'position.close-limit': (s) => askPosition(s, 'limit'),
    'position.stop': (s) => askPosition(s, 'stop'),
    'position.part': (s) => askPosition(s, 'part'),
    'position.trail': (s) => askPosition(s, 'trail'),
    'position.exits': pairPosition,
    'position.reverse': reversePosition,
    'position.leverage': (s) => askPosition(s, 'leverage'),
    'position.margin-type': (s) => askPosition(s, 'marginType'),
    'position.hedge-mode': (s) => askPosition(s, 'hedgeMode'),
    'position.margin-mode': (s) => askPosition(s, 'marginMode'),
  },
  places: {
    positions: {
      id: 'positions',
      digit: '5',
      title: 'Positions',
      View: PositionsScreen,
      list: {
        sorts: POSITION_SORTS,
        rows: (state, { positions }) => shownPositions(state, positions),
        marks: (state, id) => openPositions(state).some((one) => one.id === id),
      },
      market: (state, { positions }) => selectedPosition(state, positions),
      open: (session) => void openDetail(session, 'positions'),
      lastOffset(session) {
        const state = deskState(session);
        const { positions, columns } = session.ui.getState();
        const position = state ? selectedPosition(state, positions) : null;
        if (!state || !position) return 0;
        const brackets = positions.brackets[`${position.exchange} ${position.symbol}`];
        return positionDetailLines(position, state, brackets, session.wall(), columns).length - 1;
      },
    },
  },
  start: (session) => followMarket(session, 'position-market', showsPosition, (s) => void recheckPosition(s)),
} satisfies Feature;
