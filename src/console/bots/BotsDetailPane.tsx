/** The pages of one bot's details: now, runs, notices, settings. Loaded again after each change. */
import { type ReactNode, useEffect } from 'react';
import { useConsole, useDesk, useUi } from '../app/context.ts';
import { DetailPane } from '../lists/DetailPane.tsx';
import type { Size } from '../lists/ListAndDetail.tsx';
import { givenName, ordersOf, shortId } from '../trading/bots.ts';
import { botPageLines, pageTabs } from './bot-history.ts';
import { selectedBot } from './bot-list.ts';
import { followBot } from './detail-commands.ts';

export function BotsDetailPane({ width, height }: Size): ReactNode {
  const { session } = useConsole();
  const state = useDesk((desk) => desk);
  const view = useUi((ui) => ui.bots);
  useUi((ui) => ui.minute);
  const bot = selectedBot(state, view);
  const open = bot ? ordersOf(state.orders, bot.id).length : 0;
  useEffect(() => {
    if (bot) followBot(session, bot, open);
  }, [session, bot, open]);
  const focused = view.pane === 'detail';
  const room = { focused, width, height };
  if (!bot) return <DetailPane title="Bot" lines={[]} offset={0} {...room} />;
  const detail = view.detail?.bot.id === bot.id ? view.detail : null;
  const { chart, cursor } = view;
  const world = { state, detail, chart, cursor, wall: session.wall(), width, height };
  return (
    <DetailPane
      title={`${givenName(bot) || bot.type} ${shortId(bot.id)}`}
      tabs={pageTabs(view.page, detail, state.clock)}
      lines={botPageLines(view.page, bot, world)}
      offset={view.detailOffset}
      hint={focused ? 'j' : 'tab, j'}
      {...room}
    />
  );
}
