/** The Bots feature: the list, the pages of a bot, the dialogs that start, stop and change it, the editor. */
import type { Feature } from '../app/feature.ts';
import { deskState } from '../app/session.ts';
import { listCommands, markCommands } from '../lists/list-commands.ts';
import { inDetail } from '../lists/list-views.ts';
import { halfPage } from '../state/ui.ts';
import { symbolOf } from '../trading/bots.ts';
import { BotsScreen } from './BotsScreen.tsx';
import { performBot } from './bot-actions.ts';
import { BOT_SORTS } from './bot-forms.ts';
import { selectedBot, shownBots } from './bot-list.ts';
import { FIRST_BOTS } from './bots-view.ts';
import {
  copyBotId,
  deleteBots,
  openRules,
  patchBots,
  showBot,
  showNoticeBot,
  startBots,
  stopBots,
  tagBot,
} from './commands.ts';
import { moveCrosshair, nextBotPage, scrollBot } from './detail-commands.ts';
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
} from './editor/commands.ts';
import { BOT_EDITOR } from './editor/form.ts';
import { editJson } from './editor/json-commands.ts';
import { BOT_FORM, BOT_RULE, BOT_STOP, BOT_TAG, BOT_TYPE } from './forms.ts';
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

export const BOTS = {
  state: { bots: FIRST_BOTS },
  forms: {
    'bot-form': BOT_FORM,
    'bot-stop': BOT_STOP,
    'bot-rule': BOT_RULE,
    'bot-tag': BOT_TAG,
    'bot-type': BOT_TYPE,
    'bot-editor': BOT_EDITOR,
  },
  actions: {
    'bot-create': performBot,
    'bot-patch': performBot,
    'bots-start': performBot,
    'bots-stop': performBot,
    'bots-delete': performBot,
    'bot-message': performBot,
  },
  commands: {
    ...listCommands('bots'),
    ...markCommands('bots'),
    'chart.left': (s) => moveCrosshair(s, -1),
    'chart.right': (s) => moveCrosshair(s, 1),
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
    'editor.scroll-page': (s) => scrollEditor(s, halfPage(s.ui.getState())),
    'editor.scroll-page-up': (s) => scrollEditor(s, -halfPage(s.ui.getState())),
    'bot.start': startBots,
    'bot.stop': stopBots,
    'bot.delete': deleteBots,
    'bot.tag': tagBot,
    'bot.rule': openRules,
    'bot.page': nextBotPage,
    'bot.copy-id': copyBotId,
    'new-bot.leave': leaveBotForm,
    'area.line': newLine,
    'area.left': (s) => moveInText(s, 'left'),
    'area.right': (s) => moveInText(s, 'right'),
    'area.start': (s) => moveInText(s, 'start'),
    'area.end': (s) => moveInText(s, 'end'),
    'area.up': (s) => moveLines(s, -1),
    'area.down': (s) => moveLines(s, 1),
    'area.page-up': (s) => moveLines(s, -halfPage(s.ui.getState())),
    'area.page-down': (s) => moveLines(s, halfPage(s.ui.getState())),
    'area.erase': eraseBack,
    'area.delete': eraseForward,
    'area.undo': undoText,
    'area.clear': clearText,
    'area.problem': nextProblem,
    'notice.bot': showNoticeBot,
  },
  places: {
    bots: {
      id: 'bots',
      digit: '3',
      title: 'Bots',
      View: BotsScreen,
      list: {
        sorts: BOT_SORTS,
        rows: (state, { bots }) => shownBots(state, bots),
        marks: ({ bots }, id) => bots[id] !== undefined,
      },
      market(state, { bots }) {
        const bot = selectedBot(state, bots);
        return bot && { exchange: bot.exchange, symbol: symbolOf(bot) };
      },
      detailScopes: ({ bots }) => (bots.page === 'now' ? ['chart'] : []),
      moved: (session) => patchBots(session, { cursor: null }),
      open(session) {
        const state = deskState(session);
        const { bots } = session.ui.getState();
        const bot = state ? selectedBot(state, bots) : null;
        if (bot && bots.pane === 'list') showBot(session, bot.id);
      },
      back(session) {
        const { bots } = session.ui.getState();
        if (inDetail(bots) && bots.cursor !== null) patchBots(session, { cursor: null });
        else return false;
        return true;
      },
      scroll: scrollBot,
    },
  },
} satisfies Feature;
