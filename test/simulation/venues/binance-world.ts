/** Binance for the simulation: its adapter over the emulator beside this folder, spot and USD-M futures of one connection. */
import { createHmac } from 'node:crypto';
import { type Dec, dec, str, ZERO } from '../../../src/domain/decimal.ts';
import { binanceKind } from '../../../src/venues/binance/kind.ts';
import { algoName } from '../../../src/venues/kit/algo-names.ts';
import { BinanceEmulator } from '../../emulators/binance/emulator.ts';
import { EmulatorNet } from '../../emulators/binance/emulator-net.ts';
import { isOpenStatus, settingOf, sizeOf } from '../../emulators/binance/futures/account.ts';
import { type AlgoOrder, type FuturesOrder, isOpenAlgo } from '../../emulators/binance/futures/order.ts';
import { TEST_KEY } from '../../emulators/binance/keys.ts';
import { isOpen, type SpotOrder } from '../../emulators/binance/spot/order.ts';
import { randomOf } from '../../emulators/binance/support.ts';
import type { SymbolSpec } from '../../emulators/binance/symbols.ts';
import { Refusal } from '../../emulators/binance/wire.ts';
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

const ACCOUNT = 'main';
const STRANGER = 'web_';
/** Ids of orders that the exchange makes itself. */
const ITS_OWN = /^(?:autoclose-|adl_autoclose)/;

export const BINANCE_WORLD: VenueWorld = {
  name: 'binance',
  markets: ['spot', 'futures'],
  credentials: { apiKey: TEST_KEY.apiKey, secret: TEST_KEY.secret },
  hearsOnly: ['spot'],
  cutsExits: false,
  sharesWallet: false,
  banMs: 0,
  tellsLeverage: true,
  open: (given) => new BinanceExchange(given),
};

class BinanceExchange implements VenueExchange {
  readonly net: EmulatorNet;
  readonly #emulator: BinanceEmulator;
  readonly #symbols: readonly SimSymbol[];
  readonly #log: Money[] = [];
  readonly #algos = new Set<string>();
  #strangers = 0;

  constructor({ clock, dice, symbols, settings, struck, taken }: VenueGiven) {
    this.#symbols = symbols;
    this.#emulator = new BinanceEmulator({
      clock,
      random: randomOf(dice('venue ids').int(0, 1_000_000)),
      settings: {
        spotSymbols: symbols.map((one) => specOf(one, 'spot')),
        futuresSymbols: symbols.map((one) => specOf(one, 'futures')),
        spotBalances: { USDT: '100000', BTC: '1.5', ETH: '25', BNB: '5' },
        futuresBalances: { USDT: settings.futuresWallet, BNB: '0' },
        clockAheadMs: settings.clockAheadMs,
        hiddenMs: settings.hiddenMs,
        triggeringMs: settings.triggeringMs,
        hedge: settings.hedge,
      },
      log: (row) => {
        if (MONEY.has(String(row.kind))) this.#log.push(row as unknown as Money);
        const isNew = row.execution === 'NEW' || (row.kind === 'algo' && row.status === 'NEW');
        const id = String(row.clientOrderId ?? row.clientAlgoId);
        if (!isNew || this.#isOthers(id) || (row.kind === 'order' && this.#algos.has(id))) return;
        if (row.kind === 'algo') this.#algos.add(id);
        taken(row.market === 'spot' ? 'spot' : 'futures', id, String(row.symbol));
      },
    });
    // A handshake during a ban is refused: the socket is not there.
    const connect = this.#emulator.connect.bind(this.#emulator);
    this.#emulator.connect = (...given) => {
      try {
        return connect(...given);
      } catch (error) {
        if (error instanceof Refusal) return null;
        throw error;
      }
    };
    this.net = new EmulatorNet({ emulator: this.#emulator, clock, dice: dice('venue net'), struck });
  }

  kind(net: Parameters<typeof binanceKind>[0]) {
    return binanceKind(net);
  }

  faults(plan: EmulatorNet['faults']): void {
    this.net.faults = plan;
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
    this.#emulator.printFutures(symbol, price, Math.max(Number(volume), 0.001).toFixed(3), isSale);
  }

  act(act: Act, dice: Dice): boolean {
    const { symbol, quantityDigits } = dice.pick(this.#symbols);
    const isSpot = dice.chance(0.5);
    switch (act) {
      case 'stranger trades':
        return this.#trade(dice, symbol, isSpot, quantityDigits);
      case 'stranger cancels ours':
        return this.#cancelOurs(dice, isSpot);
      case 'transfer':
        return this.#transfer(dice, isSpot);
      case 'filters change': {
        const market = isSpot ? this.#emulator.spotMarket : this.#emulator.futuresMarket;
        market.change(
          symbol,
          dice.chance(0.5)
            ? { tick: dice.pick(['0.01', '0.02', '0.05']) }
            : { minNotional: dice.pick(['5', '20', '100']) },
        );
        return true;
      }
      case 'symbol halts': {
        const market = isSpot ? this.#emulator.spotMarket : this.#emulator.futuresMarket;
        market.change(symbol, { status: dice.chance(0.5) ? (isSpot ? 'HALT' : 'SETTLING') : 'TRADING' });
        return true;
      }
      case 'exchange shuts its sockets':
        this.#emulator.shutdown();
        return true;
      case 'price jumps': {
        const { last } = this.#emulator.futuresMarket.of(symbol);
        const price = (Number(str(last)) * (1 + dice.pick([-1, 1]) * dice.between(0.01, 0.03))).toFixed(2);
        this.print(symbol, price, '0.5');
        return true;
      }
      case 'reduced by the exchange': {
        const account = this.#emulator.futures.account(ACCOUNT);
        const held = [...account.positions.values()].filter(({ amount }) => amount !== ZERO);
        if (held.length === 0) return false;
        const { symbol: of, side, amount } = dice.pick(held);
        const unit = dec('0.001');
        const qty = dice.chance(0.4) ? sizeOf(amount) : (sizeOf(amount) / 2n / unit) * unit;
        if (qty < unit) return false;
        this.#emulator.acts.adl(account, of, side, qty);
        return true;
      }
      case 'leverage changed elsewhere':
        return this.#asked('POST', '/fapi/v1/leverage', { symbol, leverage: String(dice.pick([3, 7, 20])) });
    }
  }

  beat(everyMs: number): void {
    this.#emulator.beatMs = everyMs;
  }

  heal(): void {
    for (const { market } of this.#emulator.markets())
      for (const symbol of market.symbols.keys()) market.change(symbol, { status: 'TRADING' });
  }

  truth(kind: AccountKind): Truth {
    const common = { trades: tradesOf(this.#log, kind), moved: this.#moved(kind) };
    return kind === 'spot' ? { ...common, ...this.#spot() } : { ...common, ...this.#futures() };
  }

  /** Opening, fills, transfers and income of the raw log; nothing of what the accounts say. */
  #moved(kind: AccountKind): Map<string, Dec> {
    const sums = new Map<string, Dec>();
    for (const row of this.#log)
      if (row.market === kind) for (const [asset, amount] of movedBy(row)) addTo(sums, asset, amount);
    return sums;
  }

  #spot(): Omit<Truth, 'trades' | 'moved'> {
    const account = this.#emulator.spot.account(ACCOUNT);
    const wallets = [...account.wallets].map(
      ([asset, { free, locked }]) => [asset, { whole: free + locked, free }] as const,
    );
    return {
      orders: account.orders.all.map((order) => this.#spotOrder(order)),
      wallets: new Map(wallets),
      ...{ positions: [], hedge: false, leverage: new Map() },
    };
  }

  #spotOrder(order: SpotOrder): TruthOrder {
    const { symbol, orderId, clientOrderId, side, status, qty, executed, price, isWorking } = order;
    return {
      ...{ symbol, clientId: clientOrderId, side, qty, executed, venueIds: [String(orderId)] },
      price: price === ZERO ? null : price,
      state: isOpen(order) ? 'open' : status === 'FILLED' ? 'filled' : 'ended',
      waits: isOpen(order) && !isWorking,
      byOthers: this.#isOthers(clientOrderId),
    };
  }

  #futures(): Omit<Truth, 'trades' | 'moved'> {
    const account = this.#emulator.futures.account(ACCOUNT);
    const wallets = [...account.wallets].map(([asset, whole]) => [asset, { whole }] as const);
    return {
      orders: [
        ...account.orders.all.filter(({ algo }) => algo === null).map((order) => this.#futuresOrder(order)),
        ...account.algos.all.map((algo) => this.#algoOrder(algo)),
      ],
      wallets: new Map(wallets),
      positions: [...account.positions.values()].map(({ symbol, side, amount }) => ({
        symbol,
        side,
        amount,
      })),
      hedge: account.hedge,
      leverage: new Map(this.#symbols.map(({ symbol }) => [symbol, settingOf(account, symbol).leverage])),
    };
  }

  #futuresOrder(order: FuturesOrder): TruthOrder {
    const { symbol, orderId, clientOrderId, side, status, qty, executed, price, type } = order;
    const isAtRest = isOpenStatus(status);
    return {
      ...{ symbol, clientId: clientOrderId, side, qty, executed, venueIds: [String(orderId)], waits: false },
      price: type === 'MARKET' ? null : price,
      state: isAtRest ? 'open' : status === 'FILLED' ? 'filled' : 'ended',
      byOthers: this.#isOthers(clientOrderId),
      ...(clientOrderId === 'adl_autoclose' ? { nameless: true as const } : {}),
    };
  }

  /** With what its trigger has made: one order to whoever has placed it. */
  #algoOrder(algo: AlgoOrder): TruthOrder {
    const { symbol, algoId, clientAlgoId, side, child, qty } = algo;
    const own = { symbol, side, clientId: clientAlgoId, byOthers: this.#isOthers(clientAlgoId) };
    if (child) {
      const made = this.#futuresOrder(child);
      return { ...made, ...own, venueIds: [algoName(String(algoId)), ...made.venueIds] };
    }
    const state = isOpenAlgo(algo) ? 'open' : 'ended';
    return {
      ...{ ...own, qty, state, executed: ZERO, waits: state === 'open' },
      ...{ venueIds: [algoName(String(algoId))], price: null },
    };
  }

  #isOthers(clientId: string): boolean {
    return clientId.startsWith(STRANGER) || ITS_OWN.test(clientId);
  }

  #trade(dice: Dice, symbol: string, isSpot: boolean, digits: number): boolean {
    const path = isSpot ? '/api/v3/order' : '/fapi/v1/order';
    const { spot, futures } = this.#emulator;
    const mine = isSpot
      ? spot.openOrders(spot.account(ACCOUNT))
      : futures.openOrders(futures.account(ACCOUNT));
    const own = mine.filter(({ clientOrderId }) => clientOrderId.startsWith(STRANGER));
    if (own.length > 0 && dice.chance(0.3)) {
      const { symbol: of, orderId } = dice.pick<{ readonly symbol: string; readonly orderId: number }>(own);
      return this.#asked('DELETE', path, { symbol: of, orderId: String(orderId) });
    }
    const side = dice.pick(['BUY', 'SELL'] as const);
    const price = Number(
      str((isSpot ? this.#emulator.spotMarket : this.#emulator.futuresMarket).of(symbol).mid),
    );
    const quantity = (dice.between(110, 900) / price).toFixed(isSpot ? digits : 3);
    const { hedge } = futures.account(ACCOUNT);
    const limit = (price * (1 + (side === 'BUY' ? -1 : 1) * dice.between(0, 0.004))).toFixed(1);
    const isLimit = dice.chance(0.6);
    return this.#asked('POST', path, {
      ...{ symbol, side, quantity, newClientOrderId: `${STRANGER}${++this.#strangers}` },
      ...(isLimit ? { type: 'LIMIT', timeInForce: 'GTC', price: limit } : { type: 'MARKET' }),
      ...(isSpot || !hedge ? {} : { positionSide: dice.pick(['LONG', 'SHORT']) }),
    });
  }

  #cancelOurs(dice: Dice, isSpot: boolean): boolean {
    const ours = <T extends { readonly clientOrderId: string }>(open: readonly T[]) =>
      open.filter(({ clientOrderId }) => !this.#isOthers(clientOrderId));
    const { spot, futures, algos } = this.#emulator;
    if (isSpot) {
      const open = ours(spot.openOrders(spot.account(ACCOUNT)));
      if (open.length === 0) return false;
      const { symbol, orderId } = dice.pick(open);
      return this.#asked('DELETE', '/api/v3/order', { symbol, orderId: String(orderId) });
    }
    const waiting = algos.open(futures.account(ACCOUNT));
    if (waiting.length > 0 && dice.chance(0.5))
      return this.#asked('DELETE', '/fapi/v1/algoOrder', { algoId: String(dice.pick(waiting).algoId) });
    const open = ours(futures.openOrders(futures.account(ACCOUNT)));
    if (open.length === 0) return false;
    const { symbol, orderId } = dice.pick(open);
    return this.#asked('DELETE', '/fapi/v1/order', { symbol, orderId: String(orderId) });
  }

  #transfer(dice: Dice, isSpot: boolean): boolean {
    const asset = isSpot ? dice.pick(['USDT', 'BTC', 'ETH']) : 'USDT';
    const amount =
      (asset === 'USDT' ? dice.between(1, 200) : dice.between(0.001, 0.01)) * dice.pick([1, 1, -1]);
    const { spot, futures } = this.#emulator;
    const change = dec(amount.toFixed(6));
    const has = isSpot
      ? (spot.account(ACCOUNT).wallets.get(asset)?.free ?? ZERO)
      : futures.margin.available(futures.account(ACCOUNT), asset);
    if (has + change < ZERO) return false;
    if (isSpot) spot.transfer(ACCOUNT, asset, change);
    else futures.transfer(ACCOUNT, asset, change);
    return true;
  }

  /** As another program with the same key asks it; false: it was refused. */
  #asked(method: string, path: string, params: Readonly<Record<string, string>>): boolean {
    const text = Object.entries({ ...params, timestamp: String(this.#emulator.now()) })
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const signature = createHmac('sha256', TEST_KEY.secret).update(text).digest('hex');
    const answer = this.#emulator.request({
      ...{ method, path: `${path}?${text}&signature=${signature}` },
      headers: { 'x-mbx-apikey': TEST_KEY.apiKey },
    });
    return answer.status === 200;
  }
}

const MONEY: ReadonlySet<string> = new Set(['start', 'transfer', 'income', 'fill']);

function specOf({ symbol, start, quantityDigits }: SimSymbol, kind: AccountKind): SymbolSpec {
  const isSpot = kind === 'spot';
  return {
    ...{ symbol, base: symbol.slice(0, -4), quote: 'USDT', price: String(start), tick: '0.01' },
    step: (10 ** -(isSpot ? quantityDigits : 3)).toFixed(isSpot ? quantityDigits : 3),
    ...{ maxQty: '9000', marketMaxQty: '2000', minNotional: isSpot ? '5' : '50' },
    // One of them takes stops without a limit.
    ...(isSpot ? { stopMarket: symbol.startsWith('ETH') } : { contractType: 'PERPETUAL', maxLeverage: 125 }),
  };
}
