/** One bot from all sides, page by page: now, its runs, its notices, its settings. Asked for anew whenever it moves. */
import { type ReactNode, useEffect } from 'react';
import { followBot } from '../commands/bot-detail.ts';
import { useConsole, useDesk, useUi } from '../components/context.ts';
import { rule, span } from '../components/line.ts';
import { Row, Rows } from '../components/Row.tsx';
import { botPageLines, pageTabs } from '../model/bot-history.ts';
import { givenName, ordersOf, selectedBot, shortId } from '../model/bot-list.ts';

export function BotsDetailPane({ width, height }: { width: number; height: number }): ReactNode {
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
  if (!bot) {
    return (
      <>
        <Row line={rule('Bot', [], width, focused)} width={width} />
        <Rows lines={[]} width={width} height={height - 1} />
      </>
    );
  }
  const detail = view.detail?.bot.id === bot.id ? view.detail : null;
  const { chart, cursor } = view;
  const world = { state, detail, chart, cursor, wall: session.wall(), width, height };
  const lines = botPageLines(view.page, bot, world);
  const room = height - 2;
  const offset = Math.min(view.detailOffset, Math.max(0, lines.length - room));
  const more = lines.length - room - offset;
  const info = more > 0 ? [span(`${more} more · ${focused ? 'j' : 'tab, j'}`, 'muted')] : [];
  return (
    <>
      <Row
        line={rule(`${givenName(bot) || bot.type} ${shortId(bot.id)}`, info, width, focused)}
        width={width}
      />
      <Row line={pageTabs(view.page, detail)} width={width} />
      <Rows lines={lines.slice(offset)} width={width} height={room} />
    </>
  );
}
