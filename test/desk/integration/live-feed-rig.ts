/**
 * A whole desk with `--feed binance` over the emulator: no sockets, a virtual clock, restarts on one store.
 */
import { onTestFinished } from 'vitest';
import { openFacades } from '../../../src/desk/facades.ts';
import { compileDeskOptions } from '../../../src/desk/options.ts';
import { NO_SSH } from '../../../src/desk/ssh/open-ssh.ts';
import { openTrading } from '../../../src/desk/trading.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { binanceKind } from '../../../src/venues/binance/kind.ts';
import { BinanceEmulator } from '../../emulators/binance/emulator.ts';
import { EmulatorNet } from '../../emulators/binance/emulator-net.ts';
import type { EmulatorSettings } from '../../emulators/binance/settings.ts';
import { randomOf } from '../../emulators/binance/support.ts';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { temporaryFolder } from './support.ts';

/** The exchange and a desk's folder, which outlive the desk. */
export function world(settings: EmulatorSettings = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 25, 12), { autoTurns: true });
  const emulator = new BinanceEmulator({ clock, random: randomOf(1), settings });
  const net = new EmulatorNet({ emulator, clock, dice: new Dice(1, 'feed') });
  return { emulator, clock, net, kind: binanceKind(net), store: openSqliteStore(':memory:') };
}

export type World = ReturnType<typeof world>;

export async function feedDesk(
  { emulator, clock, net, kind, store }: World,
  options: { readonly feed?: string; readonly speed?: number; readonly hold?: boolean } = {},
) {
  const compiled = compileDeskOptions({ dataDir: temporaryFolder(), port: 0, feed: 'binance', ...options });
  const logged: string[] = [];
  const trading = openTrading({
    options: compiled,
    ports: { kinds: [kind] },
    clock,
    random: randomOf(clock.wall()),
    store,
    targets: new Map(),
    logFile: ({ text }) => logged.push(text),
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  let isStarted = false;
  const starting = trading.start().then(() => {
    isStarted = true;
  });
  for (let tries = 0; tries < 60 && !isStarted; tries++) {
    await clock.settle();
    if (!isStarted) await clock.advance(500);
  }
  await starting;
  const faces = await openFacades({
    ssh: NO_SSH,
    options: compiled,
    clock,
    store,
    trading,
    stop: () => {},
  });
  trading.run();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await trading.halt();
    await faces.close();
    await trading.close('the test is over');
  };
  onTestFinished(close);
  const { core } = trading;
  return {
    trading,
    core,
    faces,
    close,
    logged,
    clock,
    net,
    emulator,
    pass: (ms: number) => clock.advance(ms),
    print: (symbol: string, price: string, qty = '1') => emulator.print('spot', symbol, price, qty),
    orders: () => [...core.engine.memory.orders.values()],
    place: (order: object) => faces.call('orders.place', { exchange: 'paper-spot', ...order } as never),
    answered: async <T>(answer: Promise<T>): Promise<T> => {
      for (let tries = 0; tries < 5; tries++) await clock.advance(1_000);
      return answer;
    },
  };
}
