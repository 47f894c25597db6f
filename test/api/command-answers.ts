/** A desk's answers to each command when all goes well, in the shapes of the API. */
import type { BotCommand, PublicBot } from '../../src/domain/bot.ts';
import { assertNever } from '../../src/domain/errors.ts';
import type { Setting } from '../../src/domain/position.ts';
import type { OrderCommand } from '../../src/engine/step.ts';
import type { CreateOrder, Order } from '../../src/schemas/order.ts';

const AT = 1_760_000_000_000;

export function orderFrom(request: CreateOrder, fields: Partial<Order> = {}): Order {
  return {
    id: 'fk-1',
    exchange: request.exchange,
    symbol: request.symbol,
    side: request.side,
    type: request.type,
    status: 'OPENED',
    positionSide: request.positionSide ?? 'BOTH',
    ...(request.price === undefined ? {} : { price: request.price }),
    stopPrice: request.stopPrice ?? null,
    fillPrice: null,
    origQty: request.quantity ?? '0',
    executedQty: '0',
    reduceOnly: request.reduceOnly ?? false,
    closePosition: request.closePosition ?? false,
    trailing: null,
    isContract: request.exchange.endsWith('futures'),
    isWorking: true,
    creator: 'API',
    creatorId: 'abcd1234',
    metadata: '',
    specific: { timeInForce: 'GTC' },
    orderTime: AT,
    ...fields,
  };
}

const RESTING: Omit<CreateOrder, 'exchange'> = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '50000',
};

/** `data` of the answer; null for a command that is refused. */
export function dataOf(command: OrderCommand): unknown {
  switch (command.type) {
    case 'place':
      return orderFrom(command.request);
    case 'cancel': {
      const { exchange, id } = command;
      return orderFrom({ ...RESTING, exchange }, { id, status: 'CANCELLED', isWorking: false });
    }
    case 'split': {
      const { exchange, prices } = command;
      return prices.map((price, i) => orderFrom({ ...RESTING, exchange, price }, { id: `fk-${i + 2}` }));
    }
    case 'amend':
      return orderFrom({ ...RESTING, exchange: command.exchange }, { id: command.id });
    case 'setting':
      return settingData(command.setting);
    case 'guards':
    case 'lift':
    case 'refuse':
      return null;
    default:
      return botData(command);
  }
}

export function botFrom(fields: Partial<PublicBot> = {}): PublicBot {
  const exchange = fields.exchange ?? 'binance-spot';
  return {
    id: 'b1',
    type: 'SQUEEZE',
    exchange,
    symbol: { base: 'BTC', quote: 'USDT' },
    status: 'NEW',
    settings: { exchange, symbol: { base: 'BTC', quote: 'USDT' } },
    ...fields,
  };
}

function botData(command: BotCommand): unknown {
  switch (command.type) {
    case 'bot.create':
    case 'bot.manage':
      return botFrom({ type: command.bot.type, settings: command.bot.settings });
    case 'bot.patch':
      return { bot: botFrom({ id: command.id }), old: botFrom({ id: command.id }) };
    case 'bot.tag':
      return botFrom({ id: command.id, tag: command.tag });
    case 'bot.delete':
      return { id: command.id };
    case 'bot.start':
      return { id: command.id, status: 'STARTED', runId: 'r1', startedAt: AT };
    case 'bot.stop': {
      const { id, runId } = command;
      return { id, status: 'STOPPED', runId, stoppedAt: AT, reason: 'operator' };
    }
    case 'bot.message':
      return null;
    case 'bot.batchStart':
      return command.ids.map((id, i) => ({ id, success: true, runId: `r${i}`, bot: botFrom({ id }) }));
    case 'bot.batchDelete':
      return command.ids.map((id) => ({ id, success: true }));
    case 'bot.batchStop':
      return command.runs.map(([id, runId]) => ({ id, success: true, runId }));
    default:
      return assertNever(command);
  }
}

function settingData(setting: Setting): unknown {
  switch (setting.kind) {
    case 'leverage':
      return null;
    case 'marginType':
      return { symbol: setting.symbol, marginType: setting.marginType };
    case 'marginMode':
      return { mode: setting.mode };
    case 'hedgeMode':
      return { dualSidePosition: setting.on };
    case 'dust': {
      const converted = setting.assets.map((asset) => ({ asset, amount: '1', received: '0.002', fee: '0' }));
      return { converted, toAsset: setting.toAsset ?? 'BNB', received: '0.004' };
    }
    default:
      return assertNever(setting);
  }
}
