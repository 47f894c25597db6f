/** A stop rule as its form has it, and as the runtime commands take it (specification, Bots rule 6). Pure. */
import type { RunOutline } from '../../desk/console/protocol.ts';
import { exact, read } from '../ui/format.ts';
import { tidy } from './bot-detail.ts';
import type { BotRuleField, BotRuleForm, RuleStrategy } from './bot-forms.ts';
import { RULE_ORDERS, RULE_STRATEGIES } from './bot-forms.ts';

export type OutlineStop = RunOutline['stops'][number];

const DAY_MS = 86_400_000;
const LINES: ReadonlySet<RuleStrategy> = new Set(['price', 'trend_percent_price']);

/** The words beside the value, which say what the value means. */
export const VALUE_WORDS: Record<RuleStrategy, string> = {
  price_percent_buy: 'percent below the average entry',
  fixed: 'the price at which it sells',
  trailing: 'percent below the highest price since entry',
  breakeven: 'armed this many percent above the entry, then at break-even',
  price: 'a price, or a line: TIME:PRICE TIME:PRICE (Unix ms)',
  trend_percent_price: 'a line: TIME:PRICE TIME:PRICE (Unix ms), or one price',
  timeout_buy: 'ms that the oldest lot may be open',
};

/** The fields that apply. */
export function ruleFields(form: Pick<BotRuleForm, 'command' | 'strategy'>): readonly BotRuleField[] {
  if (form.command === 'delete_stoploss') return ['command', 'rule', 'review'];
  const value: BotRuleField[] =
    form.strategy === 'fixed'
      ? ['stopPrice']
      : form.strategy === 'trend_percent_price'
        ? ['value', 'percent']
        : ['value'];
  const changed: BotRuleField[] = form.command === 'update_stoploss' ? ['rule'] : ['strategy', 'trigger'];
  // The runtime finds a rule by strategy, trigger and value: an update changes the rest, and the value if the
  // rule is the only one of its kind.
  return ['command', ...changed, ...value, 'order', 'complete', 'closed', 'disabled', 'review'];
}

/** The form's fields with the values of an existing rule. */
export function fromRule(stop: OutlineStop | undefined): Partial<BotRuleForm> {
  if (!stop) return {};
  const { rule } = stop;
  const trigger = fieldsOf(rule.trigger);
  const order = fieldsOf(rule.order);
  const strategy = RULE_STRATEGIES.find((name) => name === rule.strategy);
  return {
    ...(strategy ? { strategy } : {}),
    trigger: trigger.type === 'exchange' ? 'exchange' : 'kline',
    value: valueText(trigger.value),
    percent: plain(trigger.percent),
    stopPrice: plain(order.stopPrice) || (strategy === 'fixed' ? plain(trigger.value) : ''),
    order: RULE_ORDERS.find((type) => type === order.type) ?? 'MARKET',
    complete: rule.complete === true,
    closed: trigger.closed === true,
    disabled: rule.disabled === true,
  };
}

/** Returns what prevents sending the form; null if nothing does. The desk checks the rest. */
export function ruleProblem(form: BotRuleForm, stops: readonly OutlineStop[]): string | null {
  if (form.command !== 'add_stoploss' && !stops[form.rule]) return 'the run has no stop rules';
  if (form.command === 'delete_stoploss') return null;
  if (form.strategy === 'fixed') return read(form.stopPrice.trim()) === null ? 'write a price' : null;
  if (form.value.trim() === '') return `write ${VALUE_WORDS[form.strategy]}`;
  if (LINES.has(form.strategy)) return lineOf(form.value, 0) ? null : 'a price, or TIME:PRICE TIME:PRICE';
  return read(form.value.trim()) === null ? 'write a number' : null;
}

/** Builds the command's parameters. `now`: market time, for a line that is given as one price. */
export function ruleParams(
  form: BotRuleForm,
  stops: readonly OutlineStop[],
  now: number,
): Readonly<Record<string, unknown>> {
  const old = stops[form.rule]?.rule;
  if (form.command === 'delete_stoploss')
    return { order: { type: 'MARKET' }, ...old, trigger: { ...fieldsOf(old?.trigger) } };
  const { strategy, trigger, order, complete, disabled, closed } = form;
  const before = form.command === 'update_stoploss' ? old : undefined;
  const value =
    strategy === 'fixed' ? undefined : LINES.has(strategy) ? lineOf(form.value, now) : form.value.trim();
  const percent = strategy === 'trend_percent_price' ? form.percent.trim() : '';
  const known = fieldsOf(before?.trigger);
  return {
    ...before,
    strategy,
    trigger: {
      ...known,
      type: trigger,
      // An unchanged value is sent as it was given: the runtime finds the rule by it.
      ...(value === undefined || valueText(known.value) === form.value.trim() ? {} : { value }),
      ...(percent === '' ? {} : { percent }),
      closed,
    },
    order: {
      ...fieldsOf(before?.order),
      type: order,
      ...(strategy === 'fixed' ? { stopPrice: form.stopPrice.trim() } : {}),
    },
    complete,
    disabled,
  };
}

/** Writes a rule in one line, for a choice. */
export function ruleWords({ strategy, trigger, level, rule }: OutlineStop): string {
  const value = valueText(fieldsOf(rule.trigger).value);
  return `${strategy} ${trigger}${value ? ` ${value}` : ''}${level === null ? '' : `, at ${exact(tidy(level))}`}`;
}

/** Reads `100` or `1700000000000:100 1700003600000:110` as a price line; null if it is neither. */
function lineOf(text: string, now: number): Record<string, string> | null {
  const parts = text.trim().split(/[\s,]+/);
  const [only = ''] = parts;
  if (parts.length === 1 && !only.includes(':'))
    return read(only) === null ? null : { [String(now)]: only, [String(now + DAY_MS)]: only };
  const points = parts.map((part) => /^(\d+):(.+)$/.exec(part));
  if (points.length !== 2 || points.some((point) => !point || read(point[2]) === null)) return null;
  return Object.fromEntries(points.map((point) => [point?.[1] ?? '', point?.[2] ?? '']));
}

/** Writes a trigger's value as it is typed: a number, or points of a line. */
export function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return plain(value);
  return Object.entries(value)
    .map(([time, price]) => `${time}:${plain(price)}`)
    .join(' ');
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
