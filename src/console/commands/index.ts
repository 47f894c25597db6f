/** Command ids to what they do. Every id of the binding table has exactly one entry; the compiler checks it. */
import type { CommandId } from '../keys/bindings.ts';
import type { Session } from '../session.ts';
import { bodyRows } from '../state/ui.ts';
import { askAccount, askLift, askOwner, compareNow, resetAccount } from './accounts.ts';
import { markAllSeen, markSeen, muteBell, openMutes, showAlertBot } from './alerts.ts';
import { moveCrosshair, nextBotPage } from './bot-detail.ts';
import {
  chooseInEditor,
  cloneBot,
  editBot,
  editList,
  enterEditor,
  leaveEditor,
  moveEditor,
  moveType,
  newBot,
  nextEditorPane,
  reviewEditor,
  scrollEditor,
  showProblem,
  takeType,
} from './bot-editor.ts';
import { editJson } from './bot-editor-json.ts';
import {
  copyBotId,
  deleteBots,
  markBot,
  markShown,
  openRules,
  startBots,
  stopBots,
  tagBot,
  unmarkBots,
} from './bots.ts';
import { closeUndone, confirmYes } from './confirm.ts';
import { askDisconnect, openConnect, testConnected } from './connect.ts';
import { choose, clearField, moveField, reviewForm } from './forms.ts';
import { openHelp, scrollHelp, showProblems } from './help.ts';
import { openLab, revealKey } from './key-lab.ts';
import { copyKeyId, openKeyForm, revokeKey } from './keys.ts';
import { endFilter, LIST_COMMANDS } from './lists.ts';
import { nextLevel, nextMatch, nextSource, showLogBot, showLogOrder, startSearch } from './log.ts';
import { switchMaintenance } from './maintenance.ts';
import {
  back,
  lastScreen,
  move,
  nextPane,
  open,
  scrollDetail,
  scrollNotice,
  showNoticeBot,
  showOrder,
  showScreen,
  showUnresolved,
  stepScreen,
} from './navigation.ts';
import {
  clearText,
  eraseBack,
  eraseForward,
  leaveBotForm,
  moveInText,
  moveLines,
  newBotJson,
  newLine,
  nextProblem,
  undoText,
} from './new-bot.ts';
import { cancelOrder, cancelShown, copyOrderId, splitOrder, toggleAll, toggleBulk } from './orders.ts';
import { nextPart } from './overview.ts';
import { movePalette, openPalette, runPalette } from './palette.ts';
import { newPanic, openPanic, reviewPanicAgain, scrollPanic } from './panic.ts';
import { exportFile, openDust, toggleSmall } from './portfolio.ts';
import { askPosition, closePosition } from './positions.ts';
import { askQuit, leave, openQuit, quitNow, stepFeed, stopDesk, toggleFeed } from './system.ts';
import { openTicket } from './ticket.ts';
import { copyTradeOrder, reloadTrades, toggleTrades } from './trades.ts';
import { changePassphrase, lockVault, openVault } from './vault.ts';

type Run = (session: Session) => void;

/** Rows of a list that is as high as the screen has room for. */
const pageOf = (session: Session): number => bodyRows(session.ui.getState()) - 2;

const COMMANDS: Record<CommandId, Run> = {
  ...LIST_COMMANDS,

  'screen.overview': (s) => showScreen(s, 'overview'),
  'screen.orders': (s) => showScreen(s, 'orders'),
  'screen.bots': (s) => showScreen(s, 'bots'),
  'screen.portfolio': (s) => showScreen(s, 'portfolio'),
  'screen.accounts': (s) => showScreen(s, 'accounts'),
  'screen.positions': (s) => showScreen(s, 'positions'),
  'screen.keys': (s) => showScreen(s, 'keys'),
  'screen.alerts': (s) => showScreen(s, 'alerts'),
  'screen.log': (s) => showScreen(s, 'log'),
  'screen.back': (s) => stepScreen(s, -1),
  'screen.forward': (s) => stepScreen(s, 1),
  'screen.last': lastScreen,
  'screen.redraw': (s) => s.redraw(),
  'pane.next': nextPane,
  'pane.previous': (s) => nextPart(s, -1),
  'problems.show': showProblems,
  'maintenance.switch': switchMaintenance,
  'vault.open': openVault,
  'vault.lock': lockVault,
  'vault.change': changePassphrase,
  'unresolved.show': showUnresolved,
  'palette.open': openPalette,
  'help.open': openHelp,
  'quit.open': openQuit,
  'desk.stop': askQuit,
  'quit.now': quitNow,
  'quit.detach': (s) => leave(s, 'detach'),
  'quit.stop': stopDesk,
  'quit.leave': (s) => leave(s, 'detach'),
  'quit.give-up': (s) => leave(s, s.hosting ? 'stop' : 'detach'),

  'list.down': (s) => move(s, 1),
  'list.up': (s) => move(s, -1),
  'list.top': (s) => move(s, Number.NEGATIVE_INFINITY),
  'list.bottom': (s) => move(s, Number.POSITIVE_INFINITY),
  'list.full-down': (s) => move(s, pageOf(s)),
  'list.full-up': (s) => move(s, -pageOf(s)),
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

  'chart.left': (s) => moveCrosshair(s, -1),
  'chart.right': (s) => moveCrosshair(s, 1),

  'feed.toggle': toggleFeed,
  'feed.step': stepFeed,

  'ticket.open': openTicket,
  'order.cancel': cancelOrder,
  'order.split': splitOrder,
  'orders.cancel-all': cancelShown,
  'orders.all': toggleAll,
  'orders.trades': toggleTrades,
  'orders.export': (s) => void exportFile(s, 'orders.export'),
  'trades.export': (s) => void exportFile(s, 'trades.export'),
  'trades.reload': reloadTrades,
  'trade.copy-order': copyTradeOrder,
  'order.copy-id': copyOrderId,
  'filter.done': (s) => endFilter(s, true),
  'filter.clear': (s) => endFilter(s, false),

  'bot.new': newBot,
  'bot.new-json': newBotJson,
  'bot.edit': editBot,
  'bot.clone': cloneBot,
  'bot-type.down': (s) => moveType(s, 1),
  'bot-type.up': (s) => moveType(s, -1),
  'bot-type.take': takeType,
  'editor.enter': enterEditor,
  'editor.down': (s) => moveEditor(s, 'down'),
  'editor.up': (s) => moveEditor(s, 'up'),
  'editor.previous': (s) => moveEditor(s, 'previous'),
  'editor.section': (s) => moveEditor(s, 'section'),
  'editor.section-back': (s) => moveEditor(s, 'section-back'),
  'editor.top': (s) => moveEditor(s, 'top'),
  'editor.bottom': (s) => moveEditor(s, 'bottom'),
  'editor.pane': nextEditorPane,
  'editor.add': (s) => editList(s, 'add'),
  'editor.remove': (s) => editList(s, 'remove'),
  'editor.raise': (s) => editList(s, 'raise'),
  'editor.lower': (s) => editList(s, 'lower'),
  'editor.problem': showProblem,
  'editor.json': (s) => void editJson(s),
  'editor.review': reviewEditor,
  'editor.leave': leaveEditor,
  'editor.right': (s) => chooseInEditor(s, 1),
  'editor.left': (s) => chooseInEditor(s, -1),
  'editor.scroll-down': (s) => scrollEditor(s, 1),
  'editor.scroll-up': (s) => scrollEditor(s, -1),
  'editor.scroll-top': (s) => scrollEditor(s, Number.NEGATIVE_INFINITY),
  'editor.scroll-page': (s) => scrollEditor(s, Math.floor(s.ui.getState().rows / 3)),
  'editor.scroll-page-up': (s) => scrollEditor(s, -Math.floor(s.ui.getState().rows / 3)),
  'bot.start': startBots,
  'bot.stop': stopBots,
  'bot.delete': deleteBots,
  'bot.tag': tagBot,
  'bot.rule': openRules,
  'bot.page': nextBotPage,
  'bot.copy-id': copyBotId,
  'bots.mark': markBot,
  'bots.mark-all': markShown,
  'bots.unmark': unmarkBots,
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

  'portfolio.dust': (s) => void openDust(s),
  'portfolio.small': toggleSmall,
  'portfolio.export': (s) => void exportFile(s, 'portfolio.export'),

  'account.connect': (s) => void openConnect(s),
  'account.test': (s) => void testConnected(s),
  'account.disconnect': askDisconnect,
  'account.settings': (s) => askAccount(s, 'settings'),
  'account.balance': (s) => askAccount(s, 'balance'),
  'account.faults': (s) => askAccount(s, 'faults'),
  'account.guards': (s) => askAccount(s, 'guards'),
  'account.compare': (s) => void compareNow(s),
  'account.reset': resetAccount,
  'account.lift': askLift,
  'account.rights': askOwner,
  'feed.speed': (s) => askAccount(s, 'speed'),

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
  'key.lab': openLab,
  'key.reveal': (s) => void revealKey(s),
  'key.copy-id': copyKeyId,

  'alert.seen': markSeen,
  'alerts.seen': markAllSeen,
  'alert.bot': showAlertBot,
  'alerts.mute': muteBell,
  'alerts.mute-some': openMutes,

  'panic.open': openPanic,
  'panic.new': newPanic,
  'panic.again': reviewPanicAgain,
  'panic.down': (s) => scrollPanic(s, 1),
  'panic.up': (s) => scrollPanic(s, -1),
  'panic.top': (s) => scrollPanic(s, Number.NEGATIVE_INFINITY),
  'panic.bottom': (s) => scrollPanic(s, Number.POSITIVE_INFINITY),
  'panic.page-down': (s) => scrollPanic(s, Math.floor(s.ui.getState().rows / 3)),
  'panic.page-up': (s) => scrollPanic(s, -Math.floor(s.ui.getState().rows / 3)),

  'log.follow': (s) => move(s, Number.POSITIVE_INFINITY),
  'log.search': startSearch,
  'log.older': (s) => nextMatch(s, -1),
  'log.newer': (s) => nextMatch(s, 1),
  'log.level': nextLevel,
  'log.source': nextSource,
  'log.order': showLogOrder,
  'log.bot': showLogBot,

  'form.next': (s) => moveField(s, 1),
  'form.previous': (s) => moveField(s, -1),
  'form.enter': (s) => moveField(s, 1, true),
  'form.review': reviewForm,
  'choice.next': (s) => choose(s, 1),
  'choice.previous': (s) => choose(s, -1),
  'field.clear': clearField,
  'dialog.close': closeUndone,
  'confirm.yes': confirmYes,
  'cancel-all.stops': (session) => toggleBulk(session, 'stops'),
  'cancel-all.bots': (session) => toggleBulk(session, 'bots'),
  'notice.down': (s) => scrollNotice(s, 1),
  'notice.up': (s) => scrollNotice(s, -1),
  'help.down': (s) => scrollHelp(s, 1),
  'help.up': (s) => scrollHelp(s, -1),
  'help.page-down': (s) => scrollHelp(s, Math.floor(s.ui.getState().rows / 3)),
  'help.page-up': (s) => scrollHelp(s, -Math.floor(s.ui.getState().rows / 3)),
  'notice.order': showOrder,
  'notice.bot': showNoticeBot,
  'palette.down': (s) => movePalette(s, 1),
  'palette.up': (s) => movePalette(s, -1),
  'palette.run': (s) => runPalette(s, runCommand),
};

export function runCommand(session: Session, command: CommandId): void {
  COMMANDS[command](session);
}
