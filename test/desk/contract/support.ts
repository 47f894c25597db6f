/**
 * A whole desk with both paper accounts behind its API, for tests that check the specification by real
 * requests. The market does not move until a test moves it; every answer is checked against the OpenAPI
 * document.
 */
import { expect } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { DeskPorts } from '../../../src/desk/open-desk.ts';
import type { DeskOptions } from '../../../src/desk/running.ts';
import { ROOMY_LIMITS } from '../../support/roomy-limits.ts';
import { clientOf, flat, openTestDesk, type TestDesk, writeCandles } from '../integration/support.ts';

export const SPOT = 'paper-spot';
export const FUTURES = 'paper-futures';

/** The prices of BTCUSDT, ten minutes at each. */
const WAY = ['60000', '59000', '61000', '60000', '58000', '62000'] as const;

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any;
}

export interface ContractDesk extends TestDesk {
  readonly client: Client;
  /** Sends a signed request as given; `path` begins at /v2. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** Sends a request that must succeed; returns its data. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  data(method: string, path: string, body?: unknown): Promise<any>;
  /** Plays the market until BTCUSDT is at this price. */
  moveTo(price: (typeof WAY)[number]): Promise<void>;
}

/** Options of the desk. Limits are generous unless others are given. */
export interface ContractOptions extends Partial<Omit<DeskOptions, 'dataDir'>> {
  readonly ports?: DeskPorts;
  readonly dataDir?: string;
}

export async function openContractDesk(options: ContractOptions = {}): Promise<ContractDesk> {
  const feed = writeCandles({
    BTCUSDT: WAY.flatMap((price) => flat(price, 10)),
    BNBUSDT: flat('600', 60),
    ETHUSDT: flat('3000', 60),
  });
  const t = await openTestDesk({ feed, hold: true, limits: ROOMY_LIMITS, ...options });
  const step = () => t.call('feed.control', { action: 'step' });
  while (Object.keys(t.desk.state().prices).length < 3) await step();
  const client = await clientOf(t);
  const ask: ContractDesk['ask'] = async (method, path, body, headers = {}) => {
    const { 'x-idempotency-key': idempotencyKey, ...rest } = headers;
    const answer = await client.raw(method, path, {
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      headers: rest,
    });
    return { ...answer, json: answer.text === '' ? null : JSON.parse(answer.text) };
  };
  return {
    ...t,
    client,
    ask,
    async data(method, path, body) {
      const answer = await ask(method, path, body);
      expect(answer.status, answer.text).toBe(200);
      return answer.json.data;
    },
    async moveTo(price) {
      for (let steps = 0; t.desk.state().prices['paper BTCUSDT']?.last !== price; steps++) {
        if (steps > 1_000) throw new Error(`BTCUSDT does not come to ${price} any more`);
        await step();
      }
      await t.clock.settle();
    },
  };
}

/** A limit order far below the market on spot. */
export const RESTING = {
  exchange: SPOT,
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  quantity: '0.01',
} as const;

export const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
