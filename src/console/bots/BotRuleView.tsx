/** The form of a stop rule for a running bot: the rule is added, changed or deleted while the bot trades. */
import type { ReactNode } from 'react';
import { useDesk } from '../app/context.ts';
import { DialogFrame, type DialogRow } from '../dialogs/DialogFrame.tsx';
import { symbolOf } from '../trading/bots.ts';
import { priceOf } from '../trading/prices.ts';
import { exact, MISSING, percent, percentChange } from '../ui/format.ts';
import { keyed, type Line, type Span, span, wrapWords } from '../ui/line.ts';
import type { Room } from '../ui/room.ts';
import { tidy } from './bot-detail.ts';
import type { BotRuleField, BotRuleForm } from './bot-forms.ts';
import { ruleFields, ruleWords, VALUE_WORDS } from './bot-rules.ts';

const NAME = 11;
const VALUE = 24;

const COMMAND_WORDS = {
  add_stoploss: 'add a rule',
  update_stoploss: 'change a rule',
  delete_stoploss: 'delete a rule',
} as const;

const LABELS: Record<BotRuleField, string> = {
  command: 'do',
  rule: 'rule',
  strategy: 'strategy',
  trigger: 'looked at',
  value: 'value',
  percent: 'percent',
  stopPrice: 'stop price',
  order: 'order',
  complete: 'sells',
  closed: 'candles',
  disabled: 'disabled',
  review: '',
};

export function BotRuleView({ dialog, room }: { dialog: BotRuleForm; room: Room }): ReactNode {
  const bot = useDesk((state) => state.bots[dialog.id]);
  const last = useDesk((state) => (bot ? priceOf(state, bot.exchange, symbolOf(bot))?.last : undefined));
  const width = Math.min(room.width - 4, 76);
  const inner = width - 4;
  const fields = ruleFields(dialog);
  const rows: DialogRow[] = fields
    .filter((id) => id !== 'review')
    .map((id) => (isText(id) ? textRow(id, dialog) : [label(id, dialog), ...choiceOf(id, dialog)]));
  rows.push([span('─'.repeat(inner), 'border')], ...groundLines(dialog, last));
  if (dialog.refusal !== null)
    for (const text of wrapWords(dialog.refusal, inner).slice(0, 3)) rows.push([span(text, 'danger')]);
  const here = dialog.focus === 'review';
  rows.push([
    span(here ? '▸ ' : '  ', 'focus'),
    span(' Review ', here ? 'focus' : 'muted', { inverse: here }),
    keyed('form.review', here ? '  enter shows the confirmation' : '  ctrl-r reviews', 'muted'),
  ]);
  return <DialogFrame title="Stop rules" rows={rows} width={width} room={room} tone="focus" keep={1} />;
}

type TextField = 'value' | 'percent' | 'stopPrice';

function isText(id: BotRuleField): id is TextField {
  return id === 'value' || id === 'percent' || id === 'stopPrice';
}

function label(id: BotRuleField, { focus }: BotRuleForm): Span {
  return span(`${focus === id ? '▸' : ' '} ${LABELS[id].padEnd(NAME)} `, focus === id ? 'focus' : 'muted');
}

function textRow(id: TextField, form: BotRuleForm): DialogRow {
  const hint = {
    value: VALUE_WORDS[form.strategy],
    percent: 'between line and stop',
    stopPrice: VALUE_WORDS.fixed,
  };
  return {
    before: [label(id, form)],
    field: { id: `bot.${id}`, value: form[id], width: VALUE, focus: form.focus === id },
    after: [span(`  ${hint[id]}`, 'muted')],
  };
}

/** The current choice of a field and its meaning. */
function choiceOf(id: BotRuleField, form: BotRuleForm): Line {
  const [value, words] = choiceWords(id, form);
  const here = form.focus === id;
  const shown: Line = here
    ? [span('◂ ', 'key'), span(value, 'text', { bold: true }), span(' ▸', 'key')]
    : [span(value)];
  return [...shown, span(words === '' ? '' : `  ${words}`, 'muted')];
}

function choiceWords(id: BotRuleField, form: BotRuleForm): readonly [string, string] {
  switch (id) {
    case 'command':
      return [COMMAND_WORDS[form.command], form.command];
    case 'rule': {
      const stops = form.detail?.live?.stops ?? [];
      const stop = stops[form.rule];
      if (!stop) return [form.detail ? 'the run has none' : 'asking …', ''];
      return [`${form.rule + 1} of ${stops.length}`, ruleWords(stop)];
    }
    case 'strategy':
      return [form.strategy, ''];
    case 'trigger':
      return form.trigger === 'kline'
        ? ['kline', 'the desk looks at candles and prices']
        : ['exchange', 'a real stop order rests there'];
    case 'order':
      return [form.order, form.order === 'MARKET' ? 'at the price of that moment' : ''];
    case 'complete':
      return form.complete ? ['all', 'the whole position'] : ['newest lot', 'the rest goes on'];
    case 'closed':
      return form.closed ? ['closed', 'at the close of a candle only'] : ['each price', 'on every tick'];
    case 'disabled':
      return form.disabled ? ['yes', 'kept and shown only'] : ['no', ''];
    default:
      return ['', ''];
  }
}

/** The price, the entry and the existing rules, against which a stop is chosen. */
function groundLines({ detail, command }: BotRuleForm, last: string | undefined): Line[] {
  const live = detail?.live;
  const entry = live?.averageEntry ?? null;
  const first: Line = [
    span('last ', 'muted'),
    span(exact(last)),
    span('  entry ', 'muted'),
    span(entry === null ? MISSING : exact(tidy(entry))),
    span('  ', 'muted'),
    span(percent(percentChange(entry, last)), 'muted'),
    span(`  ${live?.stops.length ?? 0} rules`, 'muted'),
  ];
  if (command !== 'add_stoploss' || !live) return [first];
  const rules = live.stops.slice(0, 3).map((stop): Line => [span(`  ${ruleWords(stop)}`, 'muted')]);
  return [first, ...rules];
}
