/**
 * A spot account of Binance over the emulator without sockets, on a virtual clock, with a record of all its
 * reports.
 */

import type { Connection, Environment } from '../../../src/domain/connection.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import { binanceKind } from '../../../src/venues/binance/kind.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { WireAnswer, WireRequest } from '../../../src/venues/kit/net.ts';
import type { Dispatch, Venue } from '../../../src/venues/venue.ts';
import type { Secrets } from '../../../src/venues/venue-kind.ts';
import { accountsOf, addressesOf } from '../../../src/venues/venue-kind.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/binance/emulator-net.ts';
import { TEST_KEY } from '../../emulators/binance/keys.ts';
import type { EmulatorSettings } from '../../emulators/binance/settings.ts';
import { randomOf, testEmulator } from '../../emulators/binance/support.ts';
import { Dice } from '../../simulation/dice.ts';

export function secretsOf(apiKey = TEST_KEY.apiKey, secret = TEST_KEY.secret): Secrets {
  const fields: Record<string, Buffer> = { apiKey: Buffer.from(apiKey), secret: Buffer.from(secret) };
  return {
    get: (field) => {
      const found = fields[field];
      if (!found) throw new Error(`the connection has no ${field}`);
      return found;
    },
  };
}

export interface SpotCaseOptions {
  readonly settings?: EmulatorSettings;
  readonly faults?: NetFaults;
  readonly secrets?: Secrets;
  readonly environment?: Environment;
  /** An existing exchange: this is another process on its account. Left out: a new one. */
  readonly exchange?: ReturnType<typeof testEmulator>;
}

/** Loses one request of some methods, or its answer. */
class LosingNet extends EmulatorNet {
  loses: { readonly what: 'request' | 'answer'; readonly methods: readonly string[] } | null = null;

  override async request(request: WireRequest): Promise<WireAnswer> {
    const { loses } = this;
    if (!loses?.methods.includes(request.method)) return super.request(request);
    this.loses = null;
    if (loses.what === 'answer') await super.request(request);
    return { kind: 'lost', cause: `the ${loses.what} was lost` };
  }
}

export class SpotCase {
  readonly emulator: ReturnType<typeof testEmulator>['emulator'];
  readonly clock: ReturnType<typeof testEmulator>['clock'];
  /** The raw log of the exchange. */
  readonly log: ReturnType<typeof testEmulator>['log'];
  readonly ask: ReturnType<typeof testEmulator>['signed'];
  readonly net: LosingNet;
  readonly #exchange: ReturnType<typeof testEmulator>;
  readonly venue: Venue;
  readonly states: ExchangeOrderState[] = [];
  readonly fills: ExchangeFill[] = [];
  readonly balances: ExchangeBalance[] = [];
  readonly lists: (readonly Instrument[])[] = [];
  readonly stream: string[] = [];
  readonly reports: string[] = [];
  /** Requests that have reached the exchange; `statuses` has its answers. */
  readonly requests: WireRequest[] = [];
  readonly statuses: number[] = [];
  /** How often the adapter reported news of the ledger. */
  moved = 0;
  #ids = 0;

  constructor({
    settings = {},
    faults = {},
    secrets = secretsOf(),
    environment = 'live',
    exchange = testEmulator(settings),
  }: SpotCaseOptions = {}) {
    this.#exchange = exchange;
    const { emulator, clock, log, signed } = exchange;
    this.emulator = emulator;
    this.clock = clock;
    this.log = log;
    this.ask = signed;
    this.net = new LosingNet({
      emulator,
      clock,
      faults,
      dice: new Dice(1, 'net'),
      seen: (request, { status }) => {
        this.requests.push(request);
        this.statuses.push(status);
      },
    });
    const kind = binanceKind(this.net);
    const connection: Connection = {
      name: 'mine',
      venue: 'binance',
      markets: ['spot'],
      environment,
      endpoints: {},
    };
    const found = addressesOf(kind, connection);
    if ('problem' in found) throw new Error(found.problem);
    const [venue] = kind.open({
      connection,
      addresses: found.addresses,
      accounts: accountsOf(kind, connection),
      secrets,
      clock,
      random: randomOf(7),
      ways: new Addresses(clock),
      report: (text) => this.reports.push(text),
    });
    if (!venue) throw new Error('there is no account');
    this.venue = venue;
  }

  /** Opens the account; rejects with the reason if it fails. */
  async open(): Promise<this> {
    const opened = this.venue.open({
      order: (state) => this.states.push(state),
      fill: (fill) => this.fills.push(fill),
      balances: (changed) => this.balances.push(...changed),
      instruments: (list) => this.lists.push(list),
      ledger: () => {
        this.moved += 1;
      },
      stream: (state) => this.stream.push(state),
    });
    await this.result(opened);
    return this;
  }

  /** Another process on the same account. */
  again(): SpotCase {
    return new SpotCase({ exchange: this.#exchange });
  }

  /** Loses the next request of one of the methods, or its answer. */
  lose(what: 'request' | 'answer', methods: readonly string[]): void {
    this.net.loses = { what, methods };
  }

  /** Lets time pass until the promise is settled. */
  async result<T>(promise: Promise<T>, ms = 60_000): Promise<T> {
    let isOver = false;
    const done = promise.finally(() => {
      isOver = true;
    });
    done.catch(() => {});
    for (let at = 0; at < ms && !isOver; at += 10) await this.clock.advance(10);
    return done;
  }

  order(more: Partial<ExchangeOrder>): ExchangeOrder {
    this.#ids += 1;
    return {
      clientId: `bs-test-${this.#ids}`,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      ...more,
    };
  }

  submit(more: Partial<ExchangeOrder>, dispatch?: Dispatch) {
    return this.result(this.venue.submit(this.order(more), dispatch));
  }

  /** Trades as another client. */
  async print(price: string, symbol = 'BTCUSDT'): Promise<void> {
    this.emulator.printSpot(symbol, price);
    await this.clock.advance(50);
  }
}
