/**
 * The clients of a world: they place, cancel, split, read, repeat requests under the same key and give up
 * waiting. They know only their answers.
 */
import type { Actor } from '../../src/domain/actor.ts';
import { toNumber } from '../../src/domain/decimal.ts';
import { marketOf } from '../../src/domain/exchange.ts';
import { signedAmount } from '../../src/engine/positions.ts';
import type { OrderCommand } from '../../src/engine/step.ts';
import type { Order } from '../../src/schemas/order.ts';
import type { SimAccount } from './accounts.ts';
import { judgeChange, randomChange } from './amends.ts';
import type { Dice } from './dice.ts';
import { type FuturesView, randomFuturesOrder, randomSetting, wantsSetting } from './futures-requests.ts';
import { type Body, type Call, isKept, stateOf } from './history.ts';
import { type SeedPlan, tasteOf } from './plan.ts';
import { randomOrder, splitPrices } from './requests.ts';
import type { SimClock } from './sim-clock.ts';
import type { SimDesk } from './sim-desk.ts';

export const USER = 'owner';
/** API keys of the clients. The last one is revoked in some seeds. */
export const KEY_IDS = ['key-a', 'key-b'] as const;

const HOUR_MS = 3_600_000;
const ACTIONS = { place: 50, repeat: 16, cancel: 20, split: 7, read: 6, misuse: 1 } as const;

export interface ClientsOptions {
  readonly plan: SeedPlan;
  readonly dice: Dice;
  /** Draws for amendments of open orders. */
  readonly amendDice: Dice;
  readonly clock: SimClock;
  readonly accounts: readonly SimAccount[];
  readonly desk: () => SimDesk | null;
  readonly violate: (invariant: number, text: string) => void;
  readonly trace: (line: string) => void;
  /** Whether the order's row is committed. */
  readonly isStored: (orderId: string) => boolean;
  /** Reports that a replacement order may stand for this order from now on. */
  readonly changes: (orderId: string) => void;
}

interface KnownOrder {
  readonly id: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly answeredAt: number;
}

export class Clients {
  readonly calls: Call[] = [];
  /** Acknowledged orders. */
  readonly known: KnownOrder[] = [];
  /** The first answer of each group that repeats must return. */
  readonly kept = new Map<string, Call>();
  #active = false;
  revokedKey: string | null = null;
  /** True time at which the revocation was stored. */
  #revokedAt = Number.POSITIVE_INFINITY;
  readonly #o: ClientsOptions;
  readonly #open = new Set<Call>();
  readonly #byGroup = new Map<string, Call[]>();

  constructor(options: ClientsOptions) {
    this.#o = options;
  }

  start(): void {
    this.#active = true;
    for (let client = 0; client < this.#o.plan.clients; client++) this.#arm(client);
  }

  stop(): void {
    this.#active = false;
  }

  /** Ends all open requests: the process has died, and nobody gets an answer any more. */
  crashed(): void {
    for (const call of this.#open) call.state = 'unknown';
    this.#open.clear();
  }

  /** Revokes a key as a console does; the clients know it once that is stored. */
  revoke(keyId: string): void {
    const desk = this.#o.desk();
    if (!desk?.ready) return;
    const revoked = desk.core.keys.revoke(keyId, this.#o.clock.wall);
    if (!revoked.ok) return;
    desk.core.turn.store(revoked.data.rows, true);
    desk.core.turn
      .read(() => null)
      .then(
        () => {
          if (!desk.life.alive) return;
          this.revokedKey = keyId;
          this.#revokedAt = this.#o.clock.now;
        },
        () => {},
      );
  }

  /** Repeats once the request of every key that is still within its hour. */
  repeatAll(most: number): void {
    const groups = [...this.#byGroup.values()].filter((calls) => this.#repeatable(calls));
    for (const calls of groups.slice(-most)) this.#repeat(calls);
  }

  /** Requests to the present desk that are still unanswered. */
  unanswered(): readonly Call[] {
    return [...this.#open];
  }

  /** Cancels everything, as a console does. */
  cancelAll(): void {
    const all = this.known.slice(-80);
    for (const [n, { exchange, id }] of all.entries()) {
      const rest = all.slice(n + 1).filter((order) => order.exchange === exchange);
      const isFirst = !all.slice(0, n).some((order) => order.exchange === exchange);
      const brought = isFirst ? { with: rest.map((order) => order.id) } : {};
      this.send(0, KEY_IDS[0], { type: 'cancel', exchange, id, ...brought }, null);
    }
  }

  #arm(client: number): void {
    const { dice, clock, plan } = this.#o;
    clock.after(plan.thinkMs * dice.between(0.2, 2), () => {
      if (!this.#active) return;
      this.#act(client);
      if (this.#o.amendDice.chance(this.#o.plan.amends)) this.#change(client);
      this.#arm(client);
    });
  }

  #act(client: number): void {
    const { dice } = this.#o;
    const desk = this.#o.desk();
    if (!desk?.ready) return;
    const keyId = KEY_IDS[client % KEY_IDS.length] as string;
    switch (dice.weighted(ACTIONS)) {
      case 'place': {
        const { account } = dice.pick(this.#o.accounts);
        const exchange = account.id;
        const futures = tasteOf(this.#o.plan, exchange);
        if (account.kind === 'futures' && futures) {
          const view = viewOf(desk, exchange);
          const command: OrderCommand = wantsSetting(dice, futures, view)
            ? { type: 'setting', exchange, setting: randomSetting(dice, futures, view.hedge) }
            : { type: 'place', request: randomFuturesOrder(dice, futures, view) };
          this.send(client, keyId, command, this.maybeKey());
          return;
        }
        const market = marketOf(account);
        const request = randomOrder(
          dice,
          exchange,
          (symbol) => desk.lastPrice(symbol, market) ?? 1_000,
          desk.marketTime,
        );
        this.send(client, keyId, { type: 'place', request }, this.maybeKey());
        return;
      }
      case 'repeat': {
        const groups = [...this.#byGroup.values()].slice(-12).filter((calls) => this.#repeatable(calls));
        if (groups.length > 0) this.#repeat(dice.pick(groups));
        return;
      }
      case 'cancel': {
        const order = this.#someOrder();
        if (order)
          this.send(
            client,
            keyId,
            { type: 'cancel', exchange: order.exchange, id: order.id },
            this.maybeKey(),
          );
        return;
      }
      case 'split': {
        const order = this.#someOrder();
        const account =
          order && this.#o.accounts.find(({ account }) => account.id === order.exchange)?.account;
        const last = account && desk.lastPrice(order.symbol, marketOf(account));
        if (!order || !last) return;
        const prices = splitPrices(dice, order.symbol, order.side, last);
        this.send(
          client,
          keyId,
          { type: 'split', exchange: order.exchange, id: order.id, prices },
          this.maybeKey(),
        );
        return;
      }
      case 'read':
        this.#read(desk);
        return;
      case 'misuse': {
        const calls = [...this.#byGroup.values()].filter((list) => this.#repeatable(list)).at(-1);
        if (calls?.[0]) this.#misuse(client, keyId, calls[0]);
        return;
      }
    }
  }

  /** Amends an order without a key, as a console does. */
  #change(client: number): void {
    const { amendDice: dice, accounts } = this.#o;
    const desk = this.#o.desk();
    const order = this.known.at(-dice.int(1, 8));
    if (!desk?.ready || !order) return;
    const account = accounts.find(({ account: { id } }) => id === order.exchange)?.account;
    const last = account && desk.lastPrice(order.symbol, marketOf(account));
    if (!last) return;
    const { exchange, id } = order;
    const to = randomChange(dice, order, last, desk.marketTime);
    this.#o.changes(id);
    this.send(client, KEY_IDS[0], { type: 'amend', exchange, id, ...to }, null);
  }

  /** Returns a new idempotency key for the next request, if that takes one. */
  maybeKey(): string | null {
    return this.#o.dice.chance(0.85) ? `k${this.calls.length}` : null;
  }

  #someOrder(): KnownOrder | null {
    const recent = this.#o.dice.chance(0.9) ? this.known.slice(-8) : this.known;
    return recent.length > 0 ? this.#o.dice.pick(recent) : null;
  }

  /** Calls that are surely within the hour of their key, or surely after it. */
  #repeatable(calls: readonly Call[]): boolean {
    const { now } = this.#o.clock;
    return now - (calls[0]?.at ?? 0) < HOUR_MS - 120_000;
  }

  #repeat(calls: readonly Call[]): void {
    const first = calls[0] as Call;
    this.send(first.client, first.keyId, first.command, first.group);
  }

  /** Sends another request under a used key: 409 and no effect. */
  #misuse(client: number, keyId: string, of: Call): void {
    const id = this.known.at(-1)?.id ?? 'nothing';
    const command: OrderCommand = { type: 'cancel', exchange: 'nowhere', id };
    this.send(client, keyId, command, of.group, 'another');
  }

  /** `group`: idempotency key, null for none; `print`: a fingerprint that is not the command's own. */
  send(client: number, keyId: string, command: OrderCommand, group: string | null, print?: string): void {
    const desk = this.#o.desk();
    if (!desk?.ready || !desk.life.alive) return;
    const { clock, trace } = this.#o;
    const call: Call = {
      n: this.calls.length,
      client,
      keyId,
      command,
      group,
      fingerprint: print ?? JSON.stringify(command),
      at: clock.now,
      entropy: '',
      state: 'open',
      status: 0,
      body: '',
      replayed: false,
      answeredAt: 0,
    };
    this.calls.push(call);
    this.#open.add(call);
    if (group !== null && print === undefined) {
      const calls = this.#byGroup.get(group);
      if (calls) calls.push(call);
      else this.#byGroup.set(group, [call]);
    }
    trace(`call ${call.n} ${group ?? '-'} ${call.fingerprint}`);
    const actor: Actor = { kind: 'key', user: USER, keyId, tier: 'trade', allowedExchanges: null };
    const context = {
      requestId: `request-${call.n}`,
      ...(group === null ? {} : { idempotency: { key: group, fingerprint: call.fingerprint } }),
    };
    desk.lastId = '';
    const answered = desk.api.command(actor, command, context);
    call.entropy = desk.lastId;
    clock.after(this.#o.plan.patienceMs, () => this.#giveUp(call), desk.life);
    void answered.then((answer) => {
      if (!desk.life.alive) return;
      const late = call.state === 'unknown';
      call.state = stateOf(answer);
      call.status = answer.status;
      call.body = answer.body;
      call.replayed = answer.replayed;
      call.answeredAt = clock.now;
      this.#open.delete(call);
      trace(
        `answer ${call.n}${late ? ' late' : ''} ${answer.status}${answer.replayed ? ' replayed' : ''} ${answer.body}`,
      );
      this.#judge(call, print !== undefined);
    });
  }

  #giveUp(call: Call): void {
    if (call.state !== 'open') return;
    call.state = 'unknown';
    this.#o.trace(`gave up ${call.n}`);
  }

  /** Checks everything that one answer alone allows to check. */
  #judge(call: Call, misuse: boolean): void {
    const { violate } = this.#o;
    if (call.keyId === this.revokedKey && call.status < 300 && call.at > this.#revokedAt) {
      violate(10, `request ${call.n} was answered ${call.status} after its key had been revoked`);
    }
    if (misuse) {
      if (call.state === 'ok')
        violate(9, `request ${call.n} used another request's key and was answered 200`);
      return;
    }
    judgeChange(call, violate);
    if (this.#isCloseRefused(call)) violate(14, `request ${call.n} sells, and was refused: ${call.body}`);
    if (call.group !== null && isKept(call)) {
      const first = this.kept.get(call.group);
      if (!first) this.kept.set(call.group, call);
      else if (first.body !== call.body || first.status !== call.status) {
        violate(
          9,
          `key ${call.group}: request ${first.n} got ${first.status} ${first.body}, request ${call.n} got ${call.status} ${call.body}`,
        );
      }
    }
    const makesOrders = ['place', 'cancel', 'split', 'amend'].includes(call.command.type);
    if (call.state !== 'ok' || !makesOrders) return;
    const { data } = JSON.parse(call.body) as Body;
    const orders = (Array.isArray(data) ? data : [data]) as Order[];
    for (const order of orders) {
      if (!this.#o.isStored(order.id))
        violate(1, `request ${call.n} was acknowledged with ${order.id}, which is not stored`);
      if (call.command.type === 'cancel' || this.known.some((k) => k.id === order.id)) continue;
      const { id, exchange, symbol, side } = order;
      this.known.push({ id, exchange, symbol, side, answeredAt: call.answeredAt });
    }
  }

  /**
   * Whether a guard may have refused this close. On spot a sale closes: of all guards only the price band may
   * refuse it.
   */
  #isCloseRefused({ command, state, body }: Call): boolean {
    if (state !== 'refused' || command.type !== 'place' || command.request.side !== 'SELL') return false;
    const { exchange } = command.request;
    const isSpot = this.#o.accounts.some(({ account }) => account.id === exchange && account.kind === 'spot');
    return isSpot && /(?:max\w+|symbols|dailyLossLimit) of [\w-]+ (?:allows|is)/.test(body);
  }

  /** Reads an acknowledged order: its client can read it from the acknowledgement on. */
  #read(desk: SimDesk): void {
    const since = this.#o.clock.now - 50 * 60_000;
    const expected = this.known.slice(-10).filter((order) => order.answeredAt > since);
    desk.api.orders(USER, { status: 'recent' }).then(
      (orders) => {
        if (!desk.life.alive) return;
        const ids = new Set(orders.map((order) => order.id));
        this.#o.trace(`read ${ids.size}`);
        for (const { id } of expected)
          if (!ids.has(id)) this.#o.violate(1, `${id} was acknowledged and is not in GET /orders`);
      },
      () => {},
    );
  }
}

function viewOf(desk: SimDesk, exchange: string): FuturesView {
  const {
    wallet: { balances },
    futures,
    account,
  } = desk.core.engine.memory.account(exchange);
  const wallet = balances.get('USDT');
  return {
    exchange,
    hedge: futures?.hedge ?? false,
    wallet: wallet ? toNumber(wallet.free) : 0,
    leverage: (symbol) => futures?.leverage.of(symbol)?.leverage ?? 20,
    positions: [...(futures?.positions.values() ?? [])].map((position) => ({
      symbol: position.symbol,
      amount: toNumber(signedAmount(position)),
    })),
    last: (symbol) => desk.lastPrice(symbol, marketOf(account)) ?? 1_000,
    marketTime: desk.marketTime,
  };
}
