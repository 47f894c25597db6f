/**
 * Bybit for the simulation: its adapter over the emulator of `test/emulators`, spot and linear contracts of
 * one unified account.
 */
import { createHmac } from 'node:crypto';
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import { isHedged, leverageOf, type Position, sizeOf } from '../../emulators/bybit/account.ts';
import { BybitEmulator } from '../../emulators/bybit/emulator.ts';
import { TEST_KEY } from '../../emulators/bybit/keys.ts';
import { isOpen, type Order } from '../../emulators/bybit/order.ts';
import { randomOf } from '../../emulators/bybit/support.ts';
import type { SymbolSpec } from '../../emulators/bybit/symbols.ts';
import type { Category } from '../../emulators/bybit/wire.ts';
import type { NetFaults } from '../../emulators/kit/faults.ts';
import type { Dice } from '../dice.ts';
import type { SimSymbol } from '../market.ts';
import {
  EmulatedExchange,
  type HeldPosition,
  type Resting,
  type StrangersOrder,
  type SymbolChange,
} from './emulated-exchange.ts';
import { tradesOf } from './money-log.ts';
import type { AccountKind, Truth, TruthOrder, VenueGiven, VenueWorld } from './venue-world.ts';

const STRANGER = 'web_';
const RECV_WINDOW = '5000';
const LEAST_VALUES = ['5', '20', '100'] as const;
const CONTRACT = dec('0.001');

export const BYBIT_WORLD: VenueWorld = {
  name: 'bybit',
  markets: ['spot', 'futures'],
  credentials: { apiKey: TEST_KEY.apiKey, secret: TEST_KEY.secret },
  hearsOnly: [],
  cutsExits: true,
  sharesWallet: true,
  banMs: 600_000,
  tellsLeverage: false,
  open: (given) => new BybitExchange(given),
};

class BybitExchange extends EmulatedExchange<BybitEmulator> {
  constructor(given: VenueGiven) {
    super(given, STRANGER, (note) => emulatorOf(given, note));
  }

  kind(net: Parameters<typeof bybitKind>[0]) {
    return bybitKind(net);
  }

  /** A late rejection of an acknowledged order is as likely as an immediate failure. */
  override faults(plan: NetFaults): void {
    super.faults({ ...plan, lateReject: plan.failed ?? 0 });
  }

  truth(kind: AccountKind): Truth {
    const { account } = this;
    const { margin } = this.emulator.exchange;
    const locked = margin.lockedAll(account);
    const wallets = [...account.coins].map(
      ([coin, whole]) => [coin, { whole, free: whole - (locked.get(coin) ?? ZERO) }] as const,
    );
    const isSpot = kind === 'spot';
    return {
      orders: account.orders[isSpot ? 'spot' : 'linear'].all.map(orderOf),
      trades: tradesOf(this.log, kind),
      wallets: new Map(wallets),
      moved: this.moved(),
      positions: isSpot ? [] : [...account.positions.values()].map(positionOf),
      hedge: !isSpot && this.#hedge,
      leverage: new Map(
        isSpot
          ? []
          : this.symbols.map(({ symbol }) => [symbol, Number(leverageOf(account, symbol, 'Buy'))] as const),
      ),
    };
  }

  get account() {
    return this.emulator.account();
  }

  /**
   * Whether the account is in hedge mode; null: the contracts differ, since a change of the mode silently
   * skips those with positions or orders.
   */
  get #hedge(): boolean | null {
    const modes = this.symbols.map(({ symbol }) => isHedged(this.account, this.#linear(symbol)));
    return modes.every((mode) => mode === modes[0]) ? (modes[0] ?? false) : null;
  }

  #linear(symbol: string) {
    return this.emulator.linearMarket.of(symbol);
  }

  protected marketOf(symbol: string, isSpot: boolean) {
    return (isSpot ? this.emulator.spotMarket : this.emulator.linearMarket).of(symbol);
  }

  protected printed(symbol: string, price: string, volume: string, isSale: boolean): void {
    this.emulator.printSpot(symbol, price, volume, isSale);
    this.emulator.printLinear(symbol, price, Math.max(Number(volume), 0.001).toFixed(3), isSale);
  }

  protected change(symbol: string, isSpot: boolean, change: SymbolChange): void {
    const market = isSpot ? this.emulator.spotMarket : this.emulator.linearMarket;
    if ('least' in change) market.change(symbol, { minNotional: LEAST_VALUES[change.least] });
    else if ('tick' in change) market.change(symbol, change);
    else market.change(symbol, { status: change.trades ? 'Trading' : 'Delivering' });
  }

  protected resting(isSpot: boolean): Resting[] {
    const category = isSpot ? 'spot' : 'linear';
    return this.emulator.exchange.openOrders(this.account, category).map((order) => {
      const { symbol, orderId, orderLinkId: clientId, orderFilter } = order;
      const isOurs = !isOthers(clientId);
      const named = { category, symbol, orderId, ...(isSpot && isOurs ? { orderFilter } : {}) };
      return { clientId, isOurs, cancel: () => this.#asked('/v5/order/cancel', named) };
    });
  }

  protected place(order: StrangersOrder, dice: Dice): boolean {
    const { isSpot, isBuy, quantity, limit, clientId: orderLinkId } = order;
    const { symbol, quantityDigits } = order.symbol;
    const isHedge = !isSpot && isHedged(this.account, this.#linear(symbol));
    return this.#asked('/v5/order/create', {
      category: isSpot ? 'spot' : 'linear',
      symbol,
      side: isBuy ? 'Buy' : 'Sell',
      orderLinkId,
      qty: quantity.toFixed(isSpot ? quantityDigits : 3),
      ...(limit === null
        ? { orderType: 'Market' }
        : { orderType: 'Limit', timeInForce: 'GTC', price: limit }),
      ...(isSpot && limit === null ? { marketUnit: 'baseCoin' } : {}),
      ...(isHedge ? { positionIdx: dice.pick([1, 2]) } : {}),
    });
  }

  protected held(): HeldPosition[] {
    const { account } = this;
    const held = [...account.positions.values()].filter(({ amount }) => amount !== ZERO);
    return held.map(({ symbol, idx, amount }) => ({
      size: sizeOf(amount),
      unit: CONTRACT,
      reduce: (qty) => this.emulator.acts.adl(account, symbol, idx, qty),
    }));
  }

  protected leverageIs(symbol: string, leverage: string): boolean {
    const asked = { category: 'linear', symbol, buyLeverage: leverage, sellLeverage: leverage };
    return this.#asked('/v5/position/set-leverage', asked);
  }

  protected spendable(coin: string): Dec {
    return this.emulator.exchange.margin.spendable(this.account, coin);
  }

  protected transfer(coin: string, change: Dec): void {
    this.emulator.transfer(coin, str(change));
  }

  /** Sends a request as another program with the same key does; false: it was refused. */
  #asked(path: string, params: Readonly<Record<string, unknown>>): boolean {
    const body = JSON.stringify(params);
    const timestamp = String(this.emulator.now());
    const payload = `${timestamp}${TEST_KEY.apiKey}${RECV_WINDOW}${body}`;
    const answer = this.emulator.request({
      method: 'POST',
      path,
      body,
      headers: {
        'x-bapi-api-key': TEST_KEY.apiKey,
        'x-bapi-timestamp': timestamp,
        'x-bapi-recv-window': RECV_WINDOW,
        'x-bapi-sign': createHmac('sha256', TEST_KEY.secret).update(payload).digest('hex'),
      },
    });
    return answer.status === 200 && answer.body.startsWith('{') && JSON.parse(answer.body).retCode === 0;
  }
}

function emulatorOf(given: VenueGiven, note: (row: object) => void): BybitEmulator {
  const { clock, dice, symbols, settings, taken } = given;
  return new BybitEmulator({
    clock,
    random: randomOf(dice('venue ids').int(0, 1_000_000)),
    settings: {
      spotSymbols: symbols.map((one) => specOf(one, 'spot')),
      linearSymbols: symbols.map((one) => specOf(one, 'linear')),
      // Spot and contracts share one wallet: the margin of positions and the balance for spot.
      balances: { USDT: str(dec(settings.futuresWallet) + dec('20000')), BTC: '0.3', ETH: '5' },
      clockAheadMs: settings.clockAheadMs,
      hiddenMs: settings.hiddenMs,
      lagMs: settings.hiddenMs,
      matchMs: [0, settings.triggeringMs],
      hedge: settings.hedge,
      namesTheEnd: settings.hiddenMs === 0,
      otherSpelling: settings.clockAheadMs > 0,
    },
    log: (row) => {
      note(row);
      const id = String(row.clientOrderId);
      if (row.kind !== 'order' || row.execution !== 'NEW' || isOthers(id)) return;
      taken(row.market === 'spot' ? 'spot' : 'futures', id, String(row.symbol));
    },
  });
}

/** Orders that the exchange makes itself have no client id. */
function isOthers(orderLinkId: string): boolean {
  return orderLinkId === '' || orderLinkId.startsWith(STRANGER);
}

/** A conditional order keeps its id when it is triggered. */
function orderOf(order: Order): TruthOrder {
  const { symbol, orderId, orderLinkId, side, status, qty, executed, price, orderType } = order;
  const atRest = isOpen(order);
  return {
    symbol,
    clientId: orderLinkId,
    side: side === 'Buy' ? 'BUY' : 'SELL',
    venueIds: [orderId],
    qty,
    executed,
    price: orderType === 'Market' ? null : price,
    state: atRest ? 'open' : status === 'Filled' ? 'filled' : 'ended',
    waits: status === 'Untriggered',
    byOthers: isOthers(orderLinkId),
    ...(orderLinkId === '' ? { nameless: true as const } : {}),
  };
}

const SIDES = ['BOTH', 'LONG', 'SHORT'] as const;

function positionOf({ symbol, idx, amount }: Position) {
  return { symbol, side: SIDES[idx], amount };
}

function specOf({ symbol, start, quantityDigits }: SimSymbol, category: Category): SymbolSpec {
  const step = (10 ** -(category === 'spot' ? quantityDigits : 3)).toFixed(
    category === 'spot' ? quantityDigits : 3,
  );
  return {
    symbol,
    base: symbol.slice(0, -4),
    quote: 'USDT',
    price: String(start),
    tick: '0.01',
    step,
    minQty: step,
    maxQty: '9000',
    maxMarketQty: '2000',
    minNotional: '5',
    priceLimitRatio: '0.05',
    ...(category === 'spot'
      ? { quoteStep: '0.0000001' }
      : { contractType: 'LinearPerpetual', maxLeverage: '125.00', settle: 'USDT' }),
  };
}
