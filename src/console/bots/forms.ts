/** The dialogs of the Bots screen except the editor: a bot as text, a stop, a stop rule, a tag, a type. */

import type { Session } from '../app/session.ts';
import { CHECK_DELAY_MS, type FormKind, REVIEW } from '../forms/form.ts';
import { replace } from '../forms/text-area.ts';
import { BotFormView } from './BotFormView.tsx';
import { BotRuleView } from './BotRuleView.tsx';
import { BotStopView } from './BotStopView.tsx';
import { BotTagView } from './BotTagView.tsx';
import { BotTypeView } from './BotTypeView.tsx';
import type {
  BotForm,
  BotRuleField,
  BotRuleForm,
  BotStopForm,
  BotTagForm,
  BotTypeForm,
} from './bot-forms.ts';
import { laidOut } from './bot-print.ts';
import { ruleFields } from './bot-rules.ts';
import { checkBot, chooseInRule, chooseInStop, reviewRule, reviewStop, saveTag } from './form-commands.ts';
import { chooseType, readBotFile, reviewBot } from './new-bot.ts';

function checkSoon(session: Session): void {
  session.later('bot', CHECK_DELAY_MS, () => void checkBot(session));
}

export const BOT_FORM: FormKind<BotForm> = {
  kind: 'bot-form',
  View: BotFormView,
  confirmed: true,
  scopes({ focus }) {
    if (focus === 'json') return ['area', 'new-bot', 'form'];
    return focus === 'file' ? ['new-bot', 'form'] : ['choice', 'new-bot', 'form'];
  },
  fields: () => ['type', 'file', 'json', REVIEW],
  enter(session, { focus, file }) {
    if (focus !== 'file' || file.trim() === '') return false;
    void readBotFile(session);
    return true;
  },
  text: ({ focus, file }) => (focus === 'file' ? { id: 'bot.file', value: file } : null),
  withText: (dialog, text) => ({ ...dialog, file: text, refusal: null }),
  area: ({ focus, area }) => (focus === 'json' ? area : null),
  withArea: (dialog, area) => ({
    ...dialog,
    area,
    ...(area.text === dialog.area.text ? {} : { refusal: null, leaving: false }),
  }),
  // JSON that is pasted into the file's path is meant for the text.
  withPaste(dialog, text) {
    if (!/^\s*[{[]/.test(text)) return null;
    const area = replace(dialog.area, laidOut(text));
    return { ...dialog, area, focus: 'json', refusal: null, leaving: false };
  },
  choose: (session, _, by) => chooseType(session, by),
  review: (session) => void reviewBot(session),
  changed: checkSoon,
};

export const BOT_STOP: FormKind<BotStopForm> = {
  kind: 'bot-stop',
  View: BotStopView,
  confirmed: true,
  fields: () => ['cleanup', 'sell', 'force', REVIEW],
  choose: chooseInStop,
  review: reviewStop,
  changed: checkSoon,
};

/** Tells whether a field is typed; all others are chosen. */
function isTyped(field: BotRuleField): field is 'value' | 'percent' | 'stopPrice' {
  return field === 'value' || field === 'percent' || field === 'stopPrice';
}

export const BOT_RULE: FormKind<BotRuleForm> = {
  kind: 'bot-rule',
  View: BotRuleView,
  confirmed: true,
  fields: ruleFields,
  text: (dialog) =>
    isTyped(dialog.focus) ? { id: `bot.${dialog.focus}`, value: dialog[dialog.focus] } : null,
  withText: (dialog, text) => ({ ...dialog, [dialog.focus]: text, refusal: null }),
  choose: chooseInRule,
  review: reviewRule,
  changed: checkSoon,
};

export const BOT_TAG: FormKind<BotTagForm> = {
  kind: 'bot-tag',
  View: BotTagView,
  confirmed: true,
  fields: () => ['value', REVIEW],
  text: ({ focus, value }) => (focus === 'value' ? { id: 'bot.tag', value } : null),
  withText: (dialog, value) => ({ ...dialog, value, refusal: null }),
  review: (session) => void saveTag(session),
};

export const BOT_TYPE: FormKind<BotTypeForm> = {
  kind: 'bot-type',
  View: BotTypeView,
  scopes: () => ['bot-type'],
};
