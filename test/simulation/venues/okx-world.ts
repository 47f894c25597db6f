/** OKX for the simulation: its adapter over the emulator beside this folder, spot and swaps of one account, whose wallet both share. */
import { type Dec, dec, mul, ONE, str, ZERO } from '../../../src/domain/decimal.ts';
import { algoName } from '../../../src/venues/kit/algo-names.ts';
import { idOfWire } from '../../../src/venues/okx/client-ids.ts';
import { okxKind } from '../../../src/venues/okx/kind.ts';
import { EmulatorNet } from '../../emulators/kit/emulator-net.ts';
import { type Account, leverOf, type Position, type PosSide, sizeOf } from '../../emulators/okx/account.ts';
import type { AlgoOrder } from '../../emulators/okx/algo.ts';
import { OkxEmulator } from '../../emulators/okx/emulator.ts';
import { INSTRUMENTS, type InstrumentSpec, unitOf } from '../../emulators/okx/instruments.ts';
import { signOf, TEST_KEY } from '../../emulators/okx/keys.ts';
import { isOpen, type OkxOrder } from '../../emulators/okx/order.ts';
import { randomOf } from '../../emulators/okx/support.ts';
import type { Dice } from '../dice.ts';
import type { SimSymbol } from '../market.ts';
import { addTo } from '../rough/rough-exchange.ts';
import { type Money, movedBy, tradesOf } from './money-log.ts';
import type {
  AccountKind,
  Act,
  Truth,
  TruthOrder,
  TruthPosition,
  VenueExchange,
  VenueGiven,
  VenueWorld,
} from './venue-world.ts';

const ACCOUNT = 'main';
/** Letters and digits alone are client ids there. */
const STRANGER = 'web';
const SIDES = { net: 'BOTH', long: 'LONG', short: 'SHORT' } as const satisfies Record<PosSide, string>;

export const OKX_WORLD: VenueWorld = {
  name: 'okx',
  markets: ['spot', 'swap'],
  credentials: { apiKey: TEST_KEY.apiKey, secret: TEST_KEY.secret, passphrase: TEST_KEY.passphrase },
  hearsOnly: [],
  cutsExits: false,
  sharesWallet: true,
  banMs: 0,
  tellsLeverage: false,
  open: (given) => new OkxExchange(given),
};

class OkxExchange implements VenueExchange {
  readonly net: EmulatorNet;
  readonly #emulator: OkxEmulator;
  readonly #symbols: readonly SimSymbol[];
  readonly #log: Money[] = [];
  #strangers = 0;

  constructor({ clock, dice, symbols, settings, struck, taken }: VenueGiven) {
    this.#symbols = symbols;
    const lagMs = Math.min(settings.hiddenMs, 800);
    this.#emulator = new OkxEmulator({
      clock,
      random: randomOf(dice('venue ids').int(0, 1_000_000)),
      settings: {
        instruments: symbols.flatMap((one) => [spotOf(one), swapOf(one)]),
        // One wallet for both: what margins positions is what spot trades with.
        balances: { USDT: str(dec(settings.futuresWallet) + dec('20000')), BTC: '0.3', ETH: '5' },
        posMode: settings.hedge ? 'long_short_mode' : 'net_mode',
        clockAheadMs: settings.clockAheadMs,
        hiddenMs: settings.hiddenMs,
        algoLagMs: settings.triggeringMs,
        ...{ cancelLagMs: lagMs, amendLagMs: lagMs },
        // Where clocks differ it also says things twice, with other times.
        repeatEvery: settings.clockAheadMs > 0 ? 7 : 0,
        cashTimes: settings.clockAheadMs < 0,
      },
      log: (row) => {
        const market = row.market === 'swap' ? 'futures' : row.market;
        this.#log.push({ ...row, market } as unknown as Money);
        const own = takenId(row);
        if (own !== null) taken(market === 'spot' ? 'spot' : 'futures', own, String(row.symbol));
      },
    });
    this.net = new EmulatorNet({ emulator: this.#emulator, clock, dice: dice('venue net'), struck });
  }

  kind(net: Parameters<typeof okxKind>[0]) {
    return okxKind(net);
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
    this.#emulator.print('spot', symbol, price, volume, isSale);
    const { spec, step } = this.#swap(symbol);
    const contracts = Math.max(Number(volume) / Number(spec.ctVal), Number(str(step)));
    this.#emulator.print('swap', symbol, price, contracts.toFixed(spec.step.length - 2), isSale);
  }

  act(act: Act, dice: Dice): boolean {
    const one = dice.pick(this.#symbols);
    const isSpot = dice.chance(0.5);
    const { spec } = isSpot ? this.#spot(one.symbol) : this.#swap(one.symbol);
    switch (act) {
      case 'stranger trades':
        return this.#trade(dice, one, isSpot);
      case 'stranger cancels ours':
        return this.#cancelOurs(dice, isSpot);
      case 'transfer':
        return this.#transfer(dice);
      case 'filters change':
        this.#emulator.change(
          spec.symbol,
          dice.chance(0.5)
            ? { tick: dice.pick(['0.01', '0.02', '0.05']) }
            : { minSz: str(dec(spec.step) * BigInt(dice.pick([1, 5, 20]))) },
        );
        return true;
      case 'symbol halts':
        this.#emulator.change(spec.symbol, { state: dice.chance(0.5) ? 'suspend' : 'live' });
        return true;
      case 'exchange shuts its sockets':
        this.#emulator.shutdown();
        return true;
      case 'price jumps': {
        const { last } = this.#swap(one.symbol);
        const price = (Number(str(last)) * (1 + dice.pick([-1, 1]) * dice.between(0.01, 0.03))).toFixed(2);
        this.print(one.symbol, price, '0.5');
        return true;
      }
      case 'reduced by the exchange': {
        const held = [...this.#account.positions.values()].filter(({ amount }) => amount !== ZERO);
        if (held.length === 0) return false;
        const { instId, mgnMode, posSide, amount } = dice.pick(held);
        const { step } = this.#emulator.market.of(instId);
        const contracts = dice.chance(0.4) ? sizeOf(amount) : (sizeOf(amount) / 2n / step) * step;
        if (contracts < step) return false;
        this.#emulator.acts.adl(ACCOUNT, instId, mgnMode, posSide, contracts);
        return true;
      }
      case 'leverage changed elsewhere': {
        const lever = String(dice.pick([3, 7, 20]));
        const { spec: swap } = this.#swap(one.symbol);
        return this.#asked('/api/v5/account/set-leverage', { instId: swap.symbol, lever, mgnMode: 'cross' });
      }
    }
  }

  beat(everyMs: number): void {
    this.#emulator.beatMs = everyMs;
  }

  heal(): void {
    for (const { spec } of this.#emulator.market.symbols.values())
      this.#emulator.change(spec.symbol, { state: 'live' });
  }

  truth(kind: AccountKind): Truth {
    const account = this.#account;
    const isSpot = kind === 'spot';
    const type = isSpot ? 'SPOT' : 'SWAP';
    const leverage = isSpot
      ? []
      : this.#symbols.map(({ symbol }) => {
          const lever = leverOf(account, this.#swap(symbol).spec.symbol, 'cross', 'net');
          return [symbol, Number(str(lever))] as const;
        });
    return {
      orders: [
        ...account.orders.all
          .filter(({ instType, algoId }) => instType === type && algoId === '')
          .map((order) => this.#order(order)),
        ...account.algos.all
          .filter(({ instType }) => instType === type)
          .map((algo) => this.#conditional(account, algo)),
      ],
      trades: tradesOf(this.#log, kind),
      wallets: new Map([...account.wallet].map(([ccy, whole]) => [ccy, { whole }])),
      moved: this.#moved(),
      positions: isSpot ? [] : [...account.positions.values()].map((one) => this.#position(one)),
      hedge: !isSpot && account.posMode === 'long_short_mode',
      leverage: new Map(leverage),
    };
  }

  get #account(): Account {
    return this.#emulator.exchange.account(ACCOUNT);
  }

  #spot(symbol: string) {
    return this.#emulator.market.of(spotName(symbol));
  }

  #swap(symbol: string) {
    return this.#emulator.market.of(swapName(symbol));
  }

  /** Both accounts have one wallet. */
  #moved(): Map<string, Dec> {
    const sums = new Map<string, Dec>();
    for (const row of this.#log) for (const [asset, amount] of movedBy(row)) addTo(sums, asset, amount);
    return sums;
  }

  /** Base units of one of its size. */
  #unit(instId: string): Dec {
    const { spec } = this.#emulator.market.of(instId);
    return spec.instType === 'SWAP' ? unitOf(spec) : ONE;
  }

  #order(order: OkxOrder): TruthOrder {
    const { instId, ordId, clOrdId, side, state, qty, filled, px } = order;
    const unit = this.#unit(instId);
    return {
      ...{ symbol: symbolOf(instId), clientId: idOfWire(clOrdId), venueIds: [ordId] },
      side: side === 'buy' ? 'BUY' : 'SELL',
      ...{ qty: mul(qty, unit), executed: mul(filled, unit), price: px, waits: false },
      state: isOpen(order) ? 'open' : state === 'filled' ? 'filled' : 'ended',
      byOthers: isOthers(clOrdId),
      ...(clOrdId === '' ? { nameless: true as const } : {}),
    };
  }

  /** With what its trigger has made: one order to whoever has placed it. */
  #conditional(account: Account, algo: AlgoOrder): TruthOrder {
    const { instId, algoId, algoClOrdId, side, sz, ordId, state } = algo;
    const own = { clientId: idOfWire(algoClOrdId), byOthers: isOthers(algoClOrdId) };
    const child = ordId === '' ? undefined : account.orders.byId(ordId);
    if (child) {
      return { ...this.#order(child), ...own, venueIds: [algoName(algoId), ordId] };
    }
    const isLive = state === 'live';
    return {
      ...{ symbol: symbolOf(instId), side: side === 'buy' ? 'BUY' : 'SELL', executed: ZERO, price: null },
      ...{ ...own, venueIds: [algoName(algoId)] },
      ...{ qty: mul(sz ?? ZERO, this.#unit(instId)), state: isLive ? 'open' : 'ended', waits: isLive },
    };
  }

  #position({ instId, posSide, amount }: Position): TruthPosition {
    return { symbol: symbolOf(instId), side: SIDES[posSide], amount: mul(amount, this.#unit(instId)) };
  }

  #trade(dice: Dice, { symbol, quantityDigits }: SimSymbol, isSpot: boolean): boolean {
    const account = this.#account;
    const type = isSpot ? 'SPOT' : 'SWAP';
    const own = account.orders
      .open()
      .filter(({ instType, clOrdId }) => instType === type && clOrdId.startsWith(STRANGER));
    if (own.length > 0 && dice.chance(0.3)) {
      const { instId, ordId } = dice.pick(own);
      return this.#asked('/api/v5/trade/cancel-order', { instId, ordId });
    }
    const { spec, last } = isSpot ? this.#spot(symbol) : this.#swap(symbol);
    const price = Number(str(last));
    const isBuy = dice.chance(0.5);
    const base = dice.between(110, 900) / price;
    const px = (price * (1 + (isBuy ? -1 : 1) * dice.between(0, 0.004))).toFixed(1);
    const isLimit = dice.chance(0.6);
    return this.#asked('/api/v5/trade/order', {
      ...{ instId: spec.symbol, tdMode: isSpot ? 'cash' : 'cross', side: isBuy ? 'buy' : 'sell' },
      clOrdId: `${STRANGER}${++this.#strangers}`,
      sz: isSpot ? base.toFixed(quantityDigits) : (base / Number(spec.ctVal)).toFixed(spec.step.length - 2),
      ...(isLimit ? { ordType: 'limit', px } : { ordType: 'market' }),
      ...(isSpot && !isLimit ? { tgtCcy: 'base_ccy' } : {}),
      ...(!isSpot && account.posMode === 'long_short_mode' ? { posSide: dice.pick(['long', 'short']) } : {}),
    });
  }

  #cancelOurs(dice: Dice, isSpot: boolean): boolean {
    const account = this.#account;
    const type = isSpot ? 'SPOT' : 'SWAP';
    const waiting = account.algos
      .live()
      .filter(({ instType, algoClOrdId }) => instType === type && !isOthers(algoClOrdId));
    if (waiting.length > 0 && dice.chance(0.5)) {
      const { instId, algoId } = dice.pick(waiting);
      return this.#asked('/api/v5/trade/cancel-algos', [{ instId, algoId }]);
    }
    const open = account.orders
      .open()
      .filter(({ instType, clOrdId, algoId }) => instType === type && (algoId !== '' || !isOthers(clOrdId)));
    if (open.length === 0) return false;
    const { instId, ordId } = dice.pick(open);
    return this.#asked('/api/v5/trade/cancel-order', { instId, ordId });
  }

  #transfer(dice: Dice): boolean {
    const ccy = dice.pick(['USDT', 'BTC', 'ETH']);
    const amount =
      (ccy === 'USDT' ? dice.between(1, 200) : dice.between(0.001, 0.01)) * dice.pick([1, 1, -1]);
    const change = dec(amount.toFixed(6));
    const { exchange } = this.#emulator;
    if (exchange.margin.available(this.#account, ccy) + change < ZERO) return false;
    exchange.transfer(ACCOUNT, ccy, change);
    return true;
  }

  /** As another program with the same key asks it; false: it was refused. */
  #asked(path: string, params: object): boolean {
    const body = JSON.stringify(params);
    const timestamp = new Date(this.#emulator.now()).toISOString();
    const answer = this.#emulator.request({
      ...{ method: 'POST', path, body },
      headers: {
        'ok-access-key': TEST_KEY.apiKey,
        'ok-access-passphrase': TEST_KEY.passphrase,
        'ok-access-timestamp': timestamp,
        'ok-access-sign': signOf(TEST_KEY.secret, `${timestamp}POST${path}${body}`),
        'content-type': 'application/json',
      },
    });
    return answer.status === 200 && answer.body.startsWith('{') && JSON.parse(answer.body).code === '0';
  }
}

/** Of a row that says that an order of ours has come to its books: our id. Of what a trigger makes the exchange is the maker. */
function takenId(row: Record<string, unknown>): string | null {
  const isNew = row.kind === 'order' && row.execution === 'NEW' && row.algoClientId === '';
  const id = String(isNew ? row.clientOrderId : row.kind === 'algo' ? row.clientAlgoId : '');
  return isOthers(id) ? null : idOfWire(id);
}

/** What the exchange makes itself has no id of a client. */
function isOthers(clientId: string): boolean {
  return clientId === '' || clientId.startsWith(STRANGER);
}

function spotName(symbol: string): string {
  return `${symbol.slice(0, -4)}-USDT`;
}

function swapName(symbol: string): string {
  return `${spotName(symbol)}-SWAP`;
}

function symbolOf(instId: string): string {
  const [base = '', quote = ''] = instId.split('-');
  return base + quote;
}

function likeOf(instId: string): InstrumentSpec {
  const like = INSTRUMENTS.find(({ symbol }) => symbol === instId);
  if (!like) throw new Error(`the emulator has no ${instId}`);
  return like;
}

function spotOf({ symbol, start, quantityDigits }: SimSymbol): InstrumentSpec {
  const step = (10 ** -quantityDigits).toFixed(quantityDigits);
  return { ...likeOf(spotName(symbol)), price: String(start), tick: '0.01', step, minSz: step };
}

/** A thousandth of the base is the least, whatever a contract is. */
function swapOf({ symbol, start }: SimSymbol): InstrumentSpec {
  const like = likeOf(swapName(symbol));
  const step = like.ctVal === '0.1' ? '0.01' : '0.1';
  return { ...like, price: String(start), tick: '0.01', step, minSz: step, maxLever: 100 };
}
