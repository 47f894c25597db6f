/**
 * The sum of what runs reserve on an account: each run's part is added and removed by itself, and a change
 * is reported once, by its assets.
 */
import { describe, expect, it } from 'vitest';
import type { LiveRun, Reservation } from '../../../src/bots/runtime/live-run.ts';
import { keep, release } from '../../../src/bots/runtime/reservations.ts';
import type { Dec } from '../../../src/domain/decimal.ts';
import { EngineMemory } from '../../../src/engine/memory.ts';
import { StepContext } from '../../../src/engine/step-context.ts';
import { ACCOUNT, BTC, CAPS } from '../../engine/support/market.ts';

const OTHER = { ...ACCOUNT, id: 'other-spot', user: 'somebody' };
type Wanted = Record<string, readonly [shown: bigint, excess: bigint]>;

class Keeper {
  readonly parts: { readonly user: string; readonly exchange: string };
  reservations = new Map<string, Reservation>();
  wanted: Wanted = {};

  constructor(exchange = ACCOUNT.id) {
    this.parts = { exchange, user: 'owner' };
  }

  keeps(): Map<string, Reservation> {
    const entries = Object.entries(this.wanted);
    return new Map(
      entries.map(([asset, [shown, excess]]) => [asset, { shown: shown as Dec, excess: excess as Dec }]),
    );
  }
}

function desk() {
  const memory = new EngineMemory();
  for (const account of [ACCOUNT, OTHER]) memory.addAccount(account, CAPS, [BTC]);
  const reserved = (id = ACCOUNT.id) => Object.fromEntries(memory.account(id).wallet.reserved);
  /** Sets the present reservation; returns the events of balances. */
  const now = (keeper: Keeper, wanted: Wanted) => {
    keeper.wanted = wanted;
    const step = new StepContext(memory, { wall: 0, market: 0, mono: 0 });
    keep(memory, keeper as unknown as LiveRun, step);
    return step.effects;
  };
  return { memory, reserved, now };
}

describe('what two runs keep', () => {
  it('adds up by account and asset, and goes with each', () => {
    const { memory, reserved, now } = desk();
    const [a, b, elsewhere] = [new Keeper(), new Keeper(), new Keeper(OTHER.id)];
    now(a, { USDT: [100n, 60n], BTC: [2n, 1n] });
    now(b, { USDT: [30n, 30n] });
    now(elsewhere, { USDT: [7n, 5n] });
    expect(reserved()).toEqual({ USDT: { shown: 130n, excess: 90n }, BTC: { shown: 2n, excess: 1n } });
    expect(reserved(OTHER.id)).toEqual({ USDT: { shown: 7n, excess: 5n } });
    now(a, { USDT: [90n, 10n] });
    expect(reserved()).toEqual({ USDT: { shown: 120n, excess: 40n } });
    release(memory, b as unknown as LiveRun);
    expect(reserved()).toEqual({ USDT: { shown: 90n, excess: 10n } });
    // Only the first release counts.
    release(memory, b as unknown as LiveRun);
    release(memory, a as unknown as LiveRun);
    expect(reserved()).toEqual({});
    expect(reserved(OTHER.id)).toEqual({ USDT: { shown: 7n, excess: 5n } });
  });

  it('is there as long as one of its two figures is', () => {
    const { reserved, now } = desk();
    const a = new Keeper();
    const b = new Keeper();
    now(a, { USDT: [5n, 3n], BTC: [2n, 3n] });
    now(b, { USDT: [4n, 0n], BTC: [0n, 1n] });
    now(a, {});
    expect(reserved()).toEqual({ USDT: { shown: 4n, excess: 0n }, BTC: { shown: 0n, excess: 1n } });
    now(b, {});
    expect(reserved()).toEqual({});
  });
});

describe('an event of balances', () => {
  it('names the assets of which another amount is shown, and the account and user they are of', () => {
    const { now } = desk();
    const a = new Keeper(OTHER.id);
    const event = { kind: 'balance-event', user: 'somebody', exchange: OTHER.id };
    expect(now(a, { USDT: [100n, 60n], BTC: [2n, 1n] })).toEqual([{ ...event, assets: ['USDT', 'BTC'] }]);
    expect(now(a, { USDT: [100n, 60n], BTC: [3n, 1n] })).toEqual([{ ...event, assets: ['BTC'] }]);
    // One asset is no longer reserved, another one is newly reserved.
    expect(now(a, { BTC: [3n, 1n], ETH: [1n, 1n] })).toEqual([{ ...event, assets: ['USDT', 'ETH'] }]);
  });

  it('is none where nothing that is shown has changed', () => {
    const { now } = desk();
    const a = new Keeper();
    expect(now(a, {})).toEqual([]);
    now(a, { USDT: [100n, 60n] });
    expect(now(a, { USDT: [100n, 60n] })).toEqual([]);
    expect(now(a, { USDT: [100n, 20n] })).toEqual([]);
  });
});
