/** Command ids to what they do. Every id of the binding table has exactly one entry; the compiler checks it. */
import type { CommandId } from '../keys/bindings.ts';
import type { Session } from '../session.ts';
import { closeDialog } from '../session.ts';
import { markAllSeen, markSeen, muteBell, showAlertBot } from './alerts.ts';
import { nextBotPage } from './bot-detail.ts';
import {
  copyBotId,
  deleteBots,
  filterBots,
  markBot,
  markShown,
  nextBotSort,
  openRules,
  reverseBotSort,
  startBots,
  stopBots,
  tagBot,
  unmarkBots,
} from './bots.ts';
import { confirmYes } from './confirm.ts';
import { choose, clearField, moveField, reviewForm } from './forms.ts';
import { copyKeyId, openKeyForm, revokeKey } from './keys.ts';
import { switchMaintenance } from './maintenance.ts';
import {
  back,
  move,
  nextPane,
  open,
  scrollDetail,
  scrollNotice,
  showNoticeBot,
  showOrder,
  showScreen,
  showUnresolved,
} from './navigation.ts';
import {
  clearText,
  cloneBot,
  eraseBack,
  eraseForward,
  leaveBotForm,
  moveInText,
  moveLines,
  newBot,
  newLine,
  nextProblem,
  undoText,
} from './new-bot.ts';
import {
  cancelOrder,
  cancelShown,
  copyOrderId,
  endFilter,
  nextSort,
  reverseSort,
  splitOrder,
  startFilter,
  toggleAll,
} from './orders.ts';
import { movePalette, openHelp, openPalette, runPalette } from './palette.ts';
import { askPosition, closePosition } from './positions.ts';
import { leave, openQuit, quitNow, stepFeed, stopDesk, toggleFeed } from './system.ts';
import { openTicket } from './ticket.ts';

type Run = (session: Session) => void;

const COMMANDS: Record<CommandId, Run> = {
  'screen.overview': (s) => showScreen(s, 'overview'),
  'screen.orders': (s) => showScreen(s, 'orders'),
  'screen.bots': (s) => showScreen(s, 'bots'),
  'screen.positions': (s) => showScreen(s, 'positions'),
  'screen.keys': (s) => showScreen(s, 'keys'),
  'screen.alerts': (s) => showScreen(s, 'alerts'),
  'screen.log': (s) => showScreen(s, 'log'),
  'screen.redraw': (s) => s.redraw(),
  'pane.next': nextPane,
  'maintenance.switch': switchMaintenance,
  'unresolved.show': showUnresolved,
  'palette.open': openPalette,
  'help.open': openHelp,
  'quit.open': openQuit,
  'quit.now': quitNow,
  'quit.detach': (s) => leave(s, 'detach'),
  'quit.stop': stopDesk,
  'quit.leave': (s) => leave(s, 'detach'),

  'list.down': (s) => move(s, 1),
  'list.up': (s) => move(s, -1),
  'list.top': (s) => move(s, Number.NEGATIVE_INFINITY),
  'list.bottom': (s) => move(s, Number.POSITIVE_INFINITY),
  'list.page-down': (s) => move(s, Math.floor(s.ui.getState().rows / 3)),
  'list.page-up': (s) => move(s, -Math.floor(s.ui.getState().rows / 3)),
  'list.open': open,
  'list.back': back,

  'detail.down': (s) => scrollDetail(s, 1),
  'detail.up': (s) => scrollDetail(s, -1),
  'detail.top': (s) => scrollDetail(s, Number.NEGATIVE_INFINITY),
  'detail.bottom': (s) => scrollDetail(s, Number.POSITIVE_INFINITY),
  'detail.page-down': (s) => scrollDetail(s, Math.floor(s.ui.getState().rows / 3)),
  'detail.page-up': (s) => scrollDetail(s, -Math.floor(s.ui.getState().rows / 3)),

  'feed.toggle': toggleFeed,
  'feed.step': stepFeed,

  'ticket.open': openTicket,
  'order.cancel': cancelOrder,
  'order.split': splitOrder,
  'orders.cancel-all': cancelShown,
  'orders.filter': startFilter,
  'orders.sort': nextSort,
  'orders.reverse': reverseSort,
  'orders.all': toggleAll,
  'order.copy-id': copyOrderId,
  'filter.done': (s) => endFilter(s, true),
  'filter.clear': (s) => endFilter(s, false),

  'bot.new': newBot,
  'bot.clone': cloneBot,
  'bot.start': (s) => void startBots(s),
  'bot.stop': stopBots,
  'bot.delete': deleteBots,
  'bot.tag': tagBot,
  'bot.rule': openRules,
  'bot.page': nextBotPage,
  'bot.copy-id': copyBotId,
  'bots.mark': markBot,
  'bots.mark-all': markShown,
  'bots.unmark': unmarkBots,
  'bots.filter': filterBots,
  'bots.sort': nextBotSort,
  'bots.reverse': reverseBotSort,
  'new-bot.leave': leaveBotForm,
  'area.line': newLine,
  'area.left': (s) => moveInText(s, 'left'),
  'area.right': (s) => moveInText(s, 'right'),
  'area.start': (s) => moveInText(s, 'start'),
  'area.end': (s) => moveInText(s, 'end'),
  'area.up': (s) => moveLines(s, -1),
  'area.down': (s) => moveLines(s, 1),
  'area.page-up': (s) => moveLines(s, -Math.floor(s.ui.getState().rows / 3)),
  'area.page-down': (s) => moveLines(s, Math.floor(s.ui.getState().rows / 3)),
  'area.erase': eraseBack,
  'area.delete': eraseForward,
  'area.undo': undoText,
  'area.clear': clearText,
  'area.problem': nextProblem,

  'position.close': closePosition,
  'position.close-limit': (s) => askPosition(s, 'limit'),
  'position.stop': (s) => askPosition(s, 'stop'),
  'position.leverage': (s) => askPosition(s, 'leverage'),
  'position.margin-type': (s) => askPosition(s, 'marginType'),
  'position.hedge-mode': (s) => askPosition(s, 'hedgeMode'),
  'position.margin-mode': (s) => askPosition(s, 'marginMode'),

  'key.generate': (s) => openKeyForm(s, 'generate'),
  'key.paste': (s) => openKeyForm(s, 'paste'),
  'key.revoke': revokeKey,
  'key.copy-id': copyKeyId,

  'alert.seen': markSeen,
  'alerts.seen': markAllSeen,
  'alert.bot': showAlertBot,
  'alerts.mute': muteBell,

  'log.follow': (s) => move(s, Number.POSITIVE_INFINITY),

  'form.next': (s) => moveField(s, 1),
  'form.previous': (s) => moveField(s, -1),
  'form.enter': (s) => moveField(s, 1, true),
  'form.review': reviewForm,
  'choice.next': (s) => choose(s, 1),
  'choice.previous': (s) => choose(s, -1),
  'field.clear': clearField,
  'dialog.close': closeDialog,
  'confirm.yes': confirmYes,
  'notice.down': (s) => scrollNotice(s, 1),
  'notice.up': (s) => scrollNotice(s, -1),
  'notice.order': showOrder,
  'notice.bot': showNoticeBot,
  'palette.down': (s) => movePalette(s, 1),
  'palette.up': (s) => movePalette(s, -1),
  'palette.run': (s) => runPalette(s, runCommand),
};

export function runCommand(session: Session, command: CommandId): void {
  COMMANDS[command](session);
}
