/** Bybit for the simulation: its adapter over the emulator beside this folder, spot and linear contracts of one unified account. */
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
import { EmulatorNet } from '../../emulators/kit/emulator-net.ts';
import type { Dice } from '../dice.ts';
import type { SimSymbol } from '../market.ts';
import { addTo } from '../rough/rough-exchange.ts';
import { type Money, movedBy, tradesOf } from './money-log.ts';
import type {
  AccountKind,
  Act,
  Truth,
  TruthOrder,
  VenueExchange,
  VenueGiven,
  VenueWorld,
} from './venue-world.ts';

const STRANGER = 'web_';
const RECV_WINDOW = '5000';

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

class BybitExchange implements VenueExchange {
  readonly net: EmulatorNet;
  readonly #emulator: BybitEmulator;
  readonly #symbols: readonly SimSymbol[];
  readonly #log: Money[] = [];
  #strangers = 0;

  constructor({ clock, dice, symbols, settings, struck, taken }: VenueGiven) {
    this.#symbols = symbols;
    this.#emulator = new BybitEmulator({
      clock,
      random: randomOf(dice('venue ids').int(0, 1_000_000)),
      settings: {
        spotSymbols: symbols.map((one) => specOf(one, 'spot')),
        linearSymbols: symbols.map((one) => specOf(one, 'linear')),
        // One wallet for both: what margins positions is what spot trades with.
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
        this.#log.push(row as unknown as Money);
        const id = String(row.clientOrderId);
        if (row.kind !== 'order' || row.execution !== 'NEW' || isOthers(id)) return;
        taken(row.market === 'spot' ? 'spot' : 'futures', id, String(row.symbol));
      },
    });
    this.net = new EmulatorNet({ emulator: this.#emulator, clock, dice: dice('venue net'), struck });
  }

  kind(net: Parameters<typeof bybitKind>[0]) {
    return bybitKind(net);
  }

  /** What is acknowledged and refused afterwards is as likely as what fails at once. */
  faults(plan: EmulatorNet['faults']): void {
    this.net.faults = { ...plan, lateReject: plan.failed ?? 0 };
  }

  down(isDown: boolean): void {
    this.net.down = isDown;
  }

  cut(): void {
    this.net.cut('read ECONNRESET');
  }

  print(symbol: string, price: string, volume: string): void {
    const isSale = (Number(volume) * 1e5) % 2 < 1;
    this.#emulator.printSpot(symbol, price, volume, isSale);
    this.#emulator.printLinear(symbol, price, Math.max(Number(volume), 0.001).toFixed(3), isSale);
  }

  act(act: Act, dice: Dice): boolean {
    const { symbol, quantityDigits } = dice.pick(this.#symbols);
    const category = dice.chance(0.5) ? 'spot' : 'linear';
    const market = this.#emulator.exchange.market(category);
    switch (act) {
      case 'stranger trades':
        return this.#trade(dice, symbol, category, quantityDigits);
      case 'stranger cancels ours':
        return this.#cancelOurs(dice, category);
      case 'transfer':
        return this.#transfer(dice);
      case 'filters change':
        market.change(
          symbol,
          dice.chance(0.5)
            ? { tick: dice.pick(['0.01', '0.02', '0.05']) }
            : { minNotional: dice.pick(['5', '20', '100']) },
        );
        return true;
      case 'symbol halts':
        market.change(symbol, { status: dice.chance(0.5) ? 'Delivering' : 'Trading' });
        return true;
      case 'exchange shuts its sockets':
        this.#emulator.shutdown();
        return true;
      case 'price jumps': {
        const { last } = this.#emulator.linearMarket.of(symbol);
        const price = (Number(str(last)) * (1 + dice.pick([-1, 1]) * dice.between(0.01, 0.03))).toFixed(2);
        this.print(symbol, price, '0.5');
        return true;
      }
      case 'reduced by the exchange': {
        const { account } = this;
        const held = [...account.positions.values()].filter(({ amount }) => amount !== ZERO);
        if (held.length === 0) return false;
        const { symbol: of, idx, amount } = dice.pick(held);
        const unit = dec('0.001');
        const qty = dice.chance(0.4) ? sizeOf(amount) : (sizeOf(amount) / 2n / unit) * unit;
        if (qty < unit) return false;
        this.#emulator.acts.adl(account, of, idx, qty);
        return true;
      }
      case 'leverage changed elsewhere': {
        const leverage = String(dice.pick([3, 7, 20]));
        const asked = { category: 'linear', symbol, buyLeverage: leverage, sellLeverage: leverage };
        return this.#asked('/v5/position/set-leverage', asked);
      }
    }
  }

  beat(everyMs: number): void {
    this.#emulator.beatMs = everyMs;
  }

  heal(): void {
    for (const { market } of this.#emulator.markets())
      for (const symbol of market.symbols.keys()) market.change(symbol, { status: 'Trading' });
  }

  truth(kind: AccountKind): Truth {
    const { account } = this;
    const { margin } = this.#emulator.exchange;
    const locked = margin.lockedAll(account);
    const wallets = [...account.coins].map(
      ([coin, whole]) => [coin, { whole, free: whole - (locked.get(coin) ?? ZERO) }] as const,
    );
    const isSpot = kind === 'spot';
    return {
      orders: account.orders[isSpot ? 'spot' : 'linear'].all.map(orderOf),
      trades: tradesOf(this.#log, kind),
      wallets: new Map(wallets),
      moved: this.#moved(),
      positions: isSpot ? [] : [...account.positions.values()].map(positionOf),
      hedge: !isSpot && this.#hedge,
      leverage: new Map(
        isSpot
          ? []
          : this.#symbols.map(({ symbol }) => [symbol, Number(leverageOf(account, symbol, 'Buy'))] as const),
      ),
    };
  }

  get account() {
    return this.#emulator.account();
  }

  /** A change of the mode leaves out, silently, what has positions or orders. */
  get #hedge(): boolean | null {
    const modes = this.#symbols.map(({ symbol }) => isHedged(this.account, this.#linear(symbol)));
    return modes.every((mode) => mode === modes[0]) ? (modes[0] ?? false) : null;
  }

  #linear(symbol: string) {
    return this.#emulator.linearMarket.of(symbol);
  }

  /** Both accounts have one wallet. */
  #moved(): Map<string, Dec> {
    const sums = new Map<string, Dec>();
    for (const row of this.#log) for (const [asset, amount] of movedBy(row)) addTo(sums, asset, amount);
    return sums;
  }

  #trade(dice: Dice, symbol: string, category: Category, digits: number): boolean {
    const { account } = this;
    const own = this.#emulator.exchange
      .openOrders(account, category)
      .filter(({ orderLinkId }) => orderLinkId.startsWith(STRANGER));
    if (own.length > 0 && dice.chance(0.3)) {
      const { symbol: of, orderId } = dice.pick(own);
      return this.#asked('/v5/order/cancel', { category, symbol: of, orderId });
    }
    const price = Number(str(this.#emulator.exchange.market(category).of(symbol).last));
    const isBuy = dice.chance(0.5);
    const isSpot = category === 'spot';
    const qty = (dice.between(110, 900) / price).toFixed(isSpot ? digits : 3);
    const limit = (price * (1 + (isBuy ? -1 : 1) * dice.between(0, 0.004))).toFixed(1);
    const isLimit = dice.chance(0.6);
    const isHedge = !isSpot && isHedged(account, this.#linear(symbol));
    return this.#asked('/v5/order/create', {
      ...{ category, symbol, side: isBuy ? 'Buy' : 'Sell', qty },
      orderLinkId: `${STRANGER}${++this.#strangers}`,
      ...(isLimit ? { orderType: 'Limit', timeInForce: 'GTC', price: limit } : { orderType: 'Market' }),
      ...(isSpot && !isLimit ? { marketUnit: 'baseCoin' } : {}),
      ...(isHedge ? { positionIdx: dice.pick([1, 2]) } : {}),
    });
  }

  #cancelOurs(dice: Dice, category: Category): boolean {
    const open = this.#emulator.exchange
      .openOrders(this.account, category)
      .filter(({ orderLinkId }) => !isOthers(orderLinkId));
    if (open.length === 0) return false;
    const { symbol, orderId, orderFilter } = dice.pick(open);
    return this.#asked('/v5/order/cancel', {
      ...{ category, symbol, orderId },
      ...(category === 'spot' ? { orderFilter } : {}),
    });
  }

  #transfer(dice: Dice): boolean {
    const coin = dice.pick(['USDT', 'BTC', 'ETH']);
    const amount =
      (coin === 'USDT' ? dice.between(1, 200) : dice.between(0.001, 0.01)) * dice.pick([1, 1, -1]);
    const text = amount.toFixed(6);
    if (this.#emulator.exchange.margin.spendable(this.account, coin) + dec(text) < ZERO) return false;
    this.#emulator.transfer(coin, text);
    return true;
  }

  /** As another program with the same key asks it; false: it was refused. */
  #asked(path: string, params: Readonly<Record<string, unknown>>): boolean {
    const body = JSON.stringify(params);
    const timestamp = String(this.#emulator.now());
    const payload = `${timestamp}${TEST_KEY.apiKey}${RECV_WINDOW}${body}`;
    const answer = this.#emulator.request({
      ...{ method: 'POST', path, body },
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

/** What the exchange makes itself has no id of a client. */
function isOthers(orderLinkId: string): boolean {
  return orderLinkId === '' || orderLinkId.startsWith(STRANGER);
}

/** A conditional order keeps its number when it is triggered. */
function orderOf(order: Order): TruthOrder {
  const { symbol, orderId, orderLinkId, side, status, qty, executed, price, orderType } = order;
  const atRest = isOpen(order);
  return {
    ...{ symbol, clientId: orderLinkId, side: side === 'Buy' ? 'BUY' : 'SELL', venueIds: [orderId] },
    ...{ qty, executed, price: orderType === 'Market' ? null : price },
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
    ...{ symbol, base: symbol.slice(0, -4), quote: 'USDT', price: String(start), tick: '0.01' },
    ...{
      step,
      minQty: step,
      maxQty: '9000',
      maxMarketQty: '2000',
      minNotional: '5',
      priceLimitRatio: '0.05',
    },
    ...(category === 'spot'
      ? { quoteStep: '0.0000001' }
      : { contractType: 'LinearPerpetual', maxLeverage: '125.00', settle: 'USDT' }),
  };
}
