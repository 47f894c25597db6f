/**
 * No signed change is carried out twice: whatever is sent again, wherever the desk dies in between and
 * however its clock is set. Uses the product's API and desk; each request orders at a price of its own, so
 * that the orders show how often it was carried out.
 */
import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../../src/api/start-api.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { Bench, order, Signer } from '../api/support.ts';
import { readStored } from '../storage/checks.ts';
import { overlay } from '../storage/faulty-ports.ts';
import { EXCHANGE, Rig, SYMBOL } from '../storage/rig.ts';
import { attacked } from '../support/attacks.ts';
import { ROOMY_LIMITS } from '../support/roomy-limits.ts';

const TARGET = '/api/v2/orders';
/** The order of the group in which Ed25519 signs (L). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/**
 * More turns of the event loop than a response takes; after them the desk is taken to have died without one.
 */
const TURNS_MAX = 20_000;

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly timestamp: number;
}

/** A desk with its API, killed and started again on one database. */
class Lives implements AsyncDisposable {
  readonly rig: Rig;
  readonly signers = [new Signer(), new Signer(Buffer.alloc(32, 7))] as const;
  readonly sent: Sent[] = [];
  /** The next commit kills the desk, before or after it is written; null: it does not. */
  death: 'before the commit' | 'after the commit' | null = null;
  readonly #db = openDatabase(':memory:');
  #api: RunningApi | null = null;
  #of: Rig['life'] = null;

  constructor() {
    this.rig = new Rig({ db: this.#db, exchange: 'embedded', storePort: (store) => this.#mortal(store) });
  }

  async open(): Promise<this> {
    await this.#up();
    await this.rig.tick('100');
    for (const { keyId } of this.signers) {
      await this.rig.ask('a key', ({ console }) =>
        console('keys.register', { label: keyId.slice(0, 4), tier: 'trade', publicKey: keyId }),
      );
    }
    return this;
  }

  /** Signs an order at a price that no other has. `skewMs`: the signer's clock error. */
  sign(who: number, skewMs: number, method = 'POST'): Sent {
    const price = `${50 + this.sent.length / 100}`;
    const order = { exchange: EXCHANGE, symbol: SYMBOL, side: 'BUY', type: 'LIMIT', price, quantity: '0.1' };
    const body = method === 'GET' ? '' : JSON.stringify(order);
    const signer = this.signers[who % 2] as Signer;
    const headers = signer.headers(method, TARGET, body, this.rig.clock.wall() + skewMs);
    const sent = { method, target: TARGET, headers, body, timestamp: Number(headers['X-SVC-TIMESTAMP']) };
    this.sent.push(sent);
    return sent;
  }

  /** Sends the request; returns its status, null when the desk died meanwhile. */
  async send({ method, target, headers, body }: Sent): Promise<number | null> {
    await this.#up();
    const { life } = this.rig;
    const { port } = this.#api as RunningApi;
    const req = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path: target,
      agent: false,
      headers: { ...headers, ...(body === '' ? {} : { 'Content-Type': 'application/json' }) },
    });
    let status: number | null | undefined;
    void answerOf(req.end(body)).then((code) => {
      status = code;
    });
    for (let turns = 0; status === undefined && this.rig.life === life && turns < TURNS_MAX; turns++)
      await this.rig.pass(0);
    req.destroy();
    return status ?? null;
  }

  async kill(): Promise<void> {
    this.rig.crash();
    await this.#up();
  }

  /** Prices at which more than one order exists. */
  twice(): string[] {
    const prices = [...readStored(this.#db).orders.values()].map(({ price }) => price ?? '');
    return prices.filter((price, i) => prices.indexOf(price) !== i);
  }

  orders(): number {
    return readStored(this.#db).orders.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.rig.crash();
    await this.#api?.close();
    this.#db.close();
  }

  async #up(): Promise<void> {
    await this.rig.up();
    const { life } = this.rig;
    if (this.#of === life || life === null) return;
    await this.#api?.close();
    this.#of = life;
    this.#api = await startApi(life.api, {
      host: '127.0.0.1',
      port: 0,
      limits: { closeGraceMs: 0 },
      serviceLimits: ROOMY_LIMITS,
      clock: this.rig.clock,
    });
  }

  #mortal(store: Store): Store {
    return overlay(store, {
      commit: (rows) => {
        const { death } = this;
        this.death = null;
        if (death === 'before the commit') {
          this.rig.crash();
          return;
        }
        store.commit(rows);
        if (death === 'after the commit') this.rig.crash();
      },
    });
  }
}

async function answerOf(req: ClientRequest): Promise<number | null> {
  try {
    const [response] = (await once(req, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? null;
  } catch {
    return null;
  }
}

type Deed =
  | { readonly kind: 'sign'; readonly who: number; readonly skewMs: number; readonly method: 'POST' | 'GET' }
  | { readonly kind: 'again'; readonly pick: number }
  | { readonly kind: 'kill' }
  | { readonly kind: 'die'; readonly death: 'before the commit' | 'after the commit' }
  | { readonly kind: 'pass' | 'set'; readonly ms: number };

const skewMs = fc.oneof(fc.integer({ min: -5_000, max: 5_000 }), fc.constantFrom(-5_000, 0, 4_900, 5_000));
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('sign' as const),
      who: fc.nat(1),
      skewMs,
      method: fc.constantFrom('POST' as const, 'POST' as const, 'GET' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('again' as const), pick: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('die' as const),
      death: fc.constantFrom('before the commit' as const, 'after the commit' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(12_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      ms: fc.oneof(
        fc.integer({ min: -40_000, max: 20_000 }),
        fc.constantFrom(-9_999, -10_000, -10_001, -3_600_000),
      ),
    }),
  },
);

async function carryOut(lives: Lives, deed: Deed): Promise<void> {
  const { rig, sent } = lives;
  switch (deed.kind) {
    case 'sign':
      await lives.send(lives.sign(deed.who, deed.skewMs, deed.method));
      break;
    case 'again':
      if (sent.length > 0) await lives.send(sent[deed.pick % sent.length] as Sent);
      break;
    case 'kill':
      await lives.kill();
      break;
    case 'die':
      lives.death = deed.death;
      break;
    case 'pass':
      await rig.pass(deed.ms);
      break;
    case 'set':
      rig.clock.jump(deed.ms);
      break;
  }
}

/** The same signature with its number s replaced by s + L. */
function plusOrder(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  let carry = 0;
  for (let i = 0; i < 32; i++) {
    const sum = (bytes[32 + i] ?? 0) + Number((ORDER >> BigInt(8 * i)) & 255n) + carry;
    bytes[32 + i] = sum & 255;
    carry = sum >> 8;
  }
  return bytes.toString('base64url');
}

describe('within a process', () => {
  it('a signature is good for one request of its key, method and target, in one spelling', async () => {
    await using bench = await Bench.start();
    const other = new Signer(Buffer.alloc(32, 7));
    bench.desk.addKey(other.keyId);
    const body = order();
    const headers = bench.signer.headers('POST', TARGET, body, bench.desk.now());
    const send = async (change: Record<string, string> = {}, method = 'POST', target = TARGET) => {
      const response = await fetch(`http://127.0.0.1:${bench.api.port}${target}`, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json', ...change },
        ...(method === 'GET' ? {} : { body }),
      });
      return response.status;
    };
    const sign = headers['X-SVC-SIGN'] ?? '';
    const statuses = [
      await send({ 'X-SVC-SIGN': plusOrder(sign) }),
      await send({ 'X-SVC-KEY': other.keyId }),
      await send({}, 'DELETE'),
      await send({}, 'GET'),
      await send({}, 'POST', `${TARGET}?`),
    ];
    expect(bench.desk.commands).toHaveLength(0);
    const atOnce = await Promise.all(Array.from({ length: 30 }, () => send()));
    expect(atOnce.filter((status) => status === 200)).toHaveLength(1);
    const refused = [...statuses, ...atOnce, await send()].filter((status) => status === 401);
    expect(bench.desk.commands).toHaveLength(1);
    attacked('replay in one process', 35, refused.length);
  });
});

describe('a signed change', () => {
  it('is carried out at most once over any requests, deaths and clock changes', {
    timeout: 120_000,
  }, async () => {
    let tries = 0;
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 30 }), async (deeds) => {
        await using lives = await new Lives().open();
        for (const one of deeds) await carryOut(lives, one);
        lives.death = null;
        // Each request is sent once more, at a time when its timestamp is valid.
        for (const sent of lives.sent) {
          lives.rig.clock.jump(sent.timestamp - lives.rig.clock.wall());
          await lives.send(sent);
        }
        expect(lives.twice()).toEqual([]);
        tries += lives.sent.length;
        accepted += lives.orders();
      }),
      { numRuns: 60 },
    );
    // The test would prove nothing on a desk that accepts no orders.
    expect(accepted).toBeGreaterThan(tries / 4);
    attacked('replay over restarts and steps of the clock', tries, tries);
  });

  it('signed ahead of the clock is not taken again by a desk that was killed and started anew', async () => {
    await using lives = await new Lives().open();
    const sent = lives.sign(0, 4_900);
    expect(await lives.send(sent)).toBe(200);
    expect(await lives.send(sent)).toBe(401);
    await lives.kill();
    expect(await lives.send(sent)).toBe(401);
    expect(lives.orders()).toBe(1);
    // Another key, and later this one, are served at once.
    expect(await lives.send(lives.sign(1, 0))).toBe(200);
    await lives.rig.pass(5_000);
    expect(await lives.send(lives.sign(0, 0))).toBe(200);
  });

  it.each([-2_000, -9_000, -10_500, -30_000])(
    'is not taken again after the clock is set by %i ms',
    async (ms) => {
      await using lives = await new Lives().open();
      await lives.rig.pass(10_000);
      const sent = lives.sign(0, 0);
      expect(await lives.send(sent)).toBe(200);
      lives.rig.clock.jump(ms);
      await lives.send(lives.sign(1, 0));
      for (let waited = 0; waited < 36_000; waited += 1_200) {
        expect(await lives.send(sent)).toBe(401);
        await lives.rig.pass(1_200);
      }
      expect(await lives.send(lives.sign(0, 0))).toBe(200);
      expect(lives.twice()).toEqual([]);
    },
  );

  it('that was refused stays refused when the desk is killed', async () => {
    await using lives = await new Lives().open();
    const body = JSON.stringify({
      exchange: EXCHANGE,
      symbol: SYMBOL,
      side: 'SELL',
      type: 'LIMIT',
      price: '150',
      quantity: '5',
    });
    const headers = lives.signers[0].headers('POST', TARGET, body, lives.rig.clock.wall() + 4_000);
    const sent = {
      method: 'POST',
      target: TARGET,
      headers,
      body,
      timestamp: Number(headers['X-SVC-TIMESTAMP']),
    };
    expect(await lives.send(sent)).toBeGreaterThanOrEqual(400);
    await lives.kill();
    // From now on the request could be carried out.
    await lives.rig.answered(
      lives.rig.begin('buy', {
        type: 'place',
        request: { exchange: EXCHANGE, symbol: SYMBOL, side: 'BUY', type: 'MARKET', quantity: '6' },
      }),
    );
    expect(await lives.send(sent)).toBe(401);
  });
});
