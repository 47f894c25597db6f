/** Command ids to what they do. Every id of the binding table has exactly one entry; the compiler checks it. */
import type { CommandId } from '../keys/bindings.ts';
import type { Session } from '../session.ts';
import { closeDialog } from '../session.ts';
import { confirmYes } from './confirm.ts';
import { choose, clearField, moveField, reviewForm } from './forms.ts';
import { copyKeyId, openKeyForm, revokeKey } from './keys.ts';
import {
  back,
  move,
  nextPane,
  open,
  scrollDetail,
  scrollNotice,
  showOrder,
  showScreen,
  showUnresolved,
} from './navigation.ts';
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
  'screen.positions': (s) => showScreen(s, 'positions'),
  'screen.keys': (s) => showScreen(s, 'keys'),
  'screen.log': (s) => showScreen(s, 'log'),
  'screen.redraw': (s) => s.redraw(),
  'pane.next': nextPane,
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
  'palette.down': (s) => movePalette(s, 1),
  'palette.up': (s) => movePalette(s, -1),
  'palette.run': (s) => runPalette(s, runCommand),
};

export function runCommand(session: Session, command: CommandId): void {
  COMMANDS[command](session);
}
