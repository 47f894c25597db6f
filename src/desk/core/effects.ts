/**
 * Carries out each effect of the engine once its rows are stored: calls to exchanges, answers to requests,
 * marks for the consoles, events for the API's subscribers, lines of the log. One switch; never called before
 * the commit.
 */
import type { Answer, Effect } from '../../engine/step.ts';
import type { ApiEvents } from '../api/api-events.ts';
import type { ChangeMark } from '../running.ts';
import type { VenueLink } from './venue-link.ts';

/** Where effects go. */
export interface EffectTargets {
  readonly events: ApiEvents;
  link(exchange: string): VenueLink | undefined;
  /** An order of the symbol is about to leave. */
  submitting(exchange: string, symbol: string): void;
  settle(token: number, answer: Answer): void;
  mark(mark: ChangeMark): void;
  /** Whether its account shows how much of its guards is used. */
  isGuarded(exchange: string): boolean;
  report(level: 'error' | 'warn' | 'info', source: string, text: string, orderId?: string): void;
  botGone(gone: Extract<Effect, { kind: 'bot-gone' }>): void;
  alert(alert: Extract<Effect, { kind: 'bot-alert' }>): void;
}

export function performEffect(to: EffectTargets, effect: Effect): void {
  switch (effect.kind) {
    case 'answer':
      to.settle(effect.token, effect.answer);
      break;
    case 'submit':
      to.submitting(effect.exchange, effect.order.symbol);
      to.link(effect.exchange)?.requests.submit(effect.order, effect.terms);
      break;
    case 'withdraw':
      to.link(effect.exchange)?.requests.withdraw(effect.orderId);
      break;
    case 'cancel':
      to.link(effect.exchange)?.requests.cancel(effect);
      break;
    case 'amend':
      to.link(effect.exchange)?.requests.amend(effect);
      break;
    case 'cancel-all':
      to.link(effect.exchange)?.requests.cancelAll(effect.symbol, effect.orders);
      break;
    case 'query':
      to.link(effect.exchange)?.requests.query(effect);
      break;
    case 'setting':
      to.link(effect.exchange)?.requests.setting(effect.id, effect.setting);
      break;
    case 'others-event':
      to.mark({ kind: 'accounts' });
      break;
    case 'position-event':
      markFigures(to, effect.exchange);
      break;
    case 'order-event':
      to.mark({ kind: 'order', id: effect.order.id });
      // What protects a position, and the margin that orders need, may have changed.
      if (effect.order.isContract) markFigures(to, effect.order.exchange);
      if (to.isGuarded(effect.order.exchange)) to.mark({ kind: 'accounts' });
      break;
    case 'instruments':
      for (const symbol of effect.symbols) to.mark({ kind: 'instrument', exchange: effect.exchange, symbol });
      break;
    case 'ends':
      to.mark({ kind: 'instrument', exchange: effect.exchange, symbol: effect.symbol });
      break;
    case 'forgotten':
      to.mark({ kind: 'order', id: effect.orderId });
      break;
    case 'balance-event':
      markFigures(to, effect.exchange);
      to.mark({ kind: 'equity' });
      break;
    case 'bot-event':
      to.events.publish({
        channel: 'botStatus',
        user: effect.user,
        event: effect.event,
        exchange: effect.bot.exchange,
        bot: { ...effect.bot },
      });
      to.mark({ kind: 'bot', id: effect.bot.id });
      break;
    case 'bot-gone':
      to.botGone(effect);
      to.mark({ kind: 'bot', id: effect.botId });
      break;
    case 'bot-notice': {
      const { botId, level, text } = effect.notice;
      to.report(level === 1 ? 'warn' : 'info', 'bot', `${botId}: ${text}`);
      break;
    }
    case 'bot-alert':
      to.alert(effect);
      to.mark({ kind: 'bot', id: effect.botId });
      break;
    case 'log':
      to.report(effect.level, effect.source ?? 'order', effect.text, effect.orderId);
      break;
  }
  to.events.released(effect);
}

/** Marks balances and positions of an account: on futures each depends on the other. */
function markFigures(to: EffectTargets, exchange: string): void {
  to.mark({ kind: 'positions', exchange });
  to.mark({ kind: 'portfolio', exchange });
}
