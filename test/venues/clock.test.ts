/**
 * The report of each real exchange's account when the exchange's clock cannot be measured any more: it would
 * go unnoticed otherwise.
 */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { Connection, MarketKind } from '../../src/domain/connection.ts';
import { binanceKind } from '../../src/venues/binance/kind.ts';
import { bybitKind } from '../../src/venues/bybit/kind.ts';
import { Addresses } from '../../src/venues/kit/addresses.ts';
import type { Net, WireAnswer, WireRequest } from '../../src/venues/kit/net.ts';
import { okxKind } from '../../src/venues/okx/kind.ts';
import type { VenueSink } from '../../src/venues/venue.ts';
import { accountsOf, addressesOf, type VenueKind } from '../../src/venues/venue-kind.ts';
import { TEST_KEY as BINANCE_KEY } from '../emulators/binance/keys.ts';
import * as binance from '../emulators/binance/support.ts';
import { TEST_KEY as BYBIT_KEY } from '../emulators/bybit/keys.ts';
import * as bybit from '../emulators/bybit/support.ts';
import { EmulatorNet } from '../emulators/kit/emulator-net.ts';
import type { VenueEmulator } from '../emulators/kit/wire.ts';
import { TEST_KEY as OKX_KEY } from '../emulators/okx/keys.ts';
import * as okx from '../emulators/okx/support.ts';
import { Dice } from '../simulation/dice.ts';

/** A clock is measured every 30 minutes; while a measurement is due, it is tried every 10 s. */
const UNTIL_IT_IS_DUE_MS = 31 * 60_000;
const UNTIL_IT_IS_ASKED_MS = 60_000;

interface Exchange {
  readonly kindOver: (net: Net) => VenueKind;
  readonly make: () => {
    readonly emulator: VenueEmulator;
    readonly clock: Clock & { advance(ms: number): Promise<void> };
  };
  readonly key: Readonly<Partial<Record<'apiKey' | 'secret' | 'passphrase', string>>>;
  readonly markets: readonly MarketKind[];
}

const EXCHANGES: Readonly<Record<string, Exchange>> = {
  binance: {
    kindOver: binanceKind,
    make: binance.testEmulator,
    key: BINANCE_KEY,
    markets: ['spot', 'futures'],
  },
  bybit: { kindOver: bybitKind, make: bybit.testEmulator, key: BYBIT_KEY, markets: ['spot', 'futures'] },
  okx: { kindOver: okxKind, make: okx.testEmulator, key: OKX_KEY, markets: ['spot', 'swap'] },
};

/** Requests for the exchange's time are lost, or answered with an impossible time. */
class TimelessNet extends EmulatorNet {
  time: 'told' | 'lost' | 'absurd' = 'told';

  override async request(request: WireRequest): Promise<WireAnswer> {
    const isTime = /\/time$/.test(request.path.split('?')[0] ?? '');
    if (isTime && this.time === 'lost') return { kind: 'lost', cause: 'it was cut' };
    const answer = await super.request(request);
    if (!isTime || this.time === 'told' || answer.kind !== 'answer') return answer;
    // Whatever the field's name: every number long enough to be a time becomes 0.
    return { ...answer, body: answer.body.replace(/\d{10,}/g, '0') };
  }
}

async function opened({ kindOver, make, key }: Exchange, market: MarketKind) {
  const { emulator, clock } = make();
  const net = new TimelessNet({ emulator, clock, dice: new Dice(1, 'clock') });
  const kind = kindOver(net);
  const connection: Connection = {
    name: 'mine',
    venue: kind.name,
    markets: [market],
    environment: 'live',
    endpoints: {},
  };
  const found = addressesOf(kind, connection);
  if ('problem' in found) throw new Error(found.problem);
  const reports: string[] = [];
  const ignore = () => {};
  const sink: VenueSink = {
    order: ignore,
    fill: ignore,
    balances: ignore,
    positions: ignore,
    stream: ignore,
  };
  const [venue] = kind.open({
    connection,
    addresses: found.addresses,
    accounts: accountsOf(kind, connection),
    clock,
    secrets: { get: (field) => Buffer.from(key[field] ?? '') },
    random: binance.randomOf(7),
    ways: new Addresses(clock),
    report: (text) => reports.push(text),
  });
  if (!venue) throw new Error('there is no account');
  let isOpen = false;
  const opening = venue.open(sink).then(() => {
    isOpen = true;
  });
  for (let waited = 0; waited < 5_000 && !isOpen; waited += 5) await clock.advance(5);
  if (!isOpen) throw new Error('it did not open');
  await opening;
  const said = () => reports.filter((text) => text.includes('clock'));
  return { net, clock, venue, said, id: `mine-${market}` };
}

for (const [name, exchange] of Object.entries(EXCHANGES))
  describe.each([...exchange.markets])(`${name} %s`, (market) => {
    it.each(['lost', 'absurd'] as const)(
      'a clock whose questions are %s is said once, and again when it is well',
      async (how) => {
        const { net, clock, venue, said, id } = await opened(exchange, market);
        net.time = how;
        await clock.advance(UNTIL_IT_IS_DUE_MS + 5 * UNTIL_IT_IS_ASKED_MS);
        expect(said()).toHaveLength(1);
        expect(said()[0]).toMatch(
          new RegExp(`^${id}: the clock of the exchange cannot be measured, the last measurement goes on: .`),
        );
        net.time = 'told';
        await clock.advance(UNTIL_IT_IS_ASKED_MS);
        expect(said().slice(1)).toEqual([`${id}: the clock of the exchange is measured again`]);
        // Working clocks are not reported.
        await clock.advance(UNTIL_IT_IS_DUE_MS + UNTIL_IT_IS_ASKED_MS);
        expect(said()).toHaveLength(2);
        await venue.close();
      },
    );
  });

describe('an account that is closed meanwhile', () => {
  it('says nothing of it', async () => {
    const { net, clock, venue, said } = await opened(EXCHANGES.binance as Exchange, 'spot');
    net.time = 'lost';
    await venue.close();
    await clock.advance(UNTIL_IT_IS_DUE_MS + UNTIL_IT_IS_ASKED_MS);
    expect(said()).toEqual([]);
  });
});
