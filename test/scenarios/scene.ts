/**
 * Scenarios of a few lines, for tests: events and expectations as short texts, played like those of the files
 * on the tick market and on a whole desk. Times are seconds after the start. Fees are 0 unless given.
 */
import { expect } from 'vitest';
import { playScenario } from './play.ts';
import type { ExpectedOrder, Scenario, ScenarioEvent, ScenarioInstrument } from './scenario.ts';

/** Start of a full hour, and of a full day. */
export const START = Date.UTC(2025, 1, 3);
export const MINUTE = 60_000;
const HOUR = 3_600_000;

export interface Scene {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly futures?: boolean;
  readonly hedge?: boolean;
  readonly rules?: Partial<ScenarioInstrument>;
  readonly balances?: Readonly<Record<string, string>>;
  readonly position?: Scenario['position'];
  readonly history?: Scenario['history'];
  readonly participation?: string;
  /** Last price before the start. */
  readonly known?: string;
  /**
   * `60 99.5` is a price, `60 99.5 x7` a price with a volume, `60` lets time pass,
   * `60 open: SELL LIMIT 101 1; BUY STOP_MARKET @98 1` are the open orders; also `60 open: none`,
   * `60 stop cancelBuyOrders stop_and_sell`, `60 add_stoploss {"strategy": ...}`.
   */
  readonly events: readonly string[];
  /** `60 BUY 1 at 99.5 maker`, in order. */
  readonly fills?: readonly string[];
  /** The open orders at the end, in the form of the events. */
  readonly open?: string;
  readonly alerts?: readonly string[];
  readonly status?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly total?: Readonly<Record<string, string>>;
  readonly held?: Scenario['expect']['position'];
  readonly stats?: Scenario['expect']['stats'];
}

/** Plays it; fails the test with every difference, also when the scene expects nothing. */
export async function plays(type: string, scene: Scene): Promise<void> {
  const scenario = scenarioOf(scene);
  const looks = scenario.events.some((event) => 'expectOpen' in event);
  if (!looks && Object.keys(scenario.expect).length === 0) throw new Error('the scene expects nothing');
  expect(await playScenario(type, scenario)).toEqual([]);
}

/** Fails the test unless the start is refused with exactly this text. */
export async function refusesToStart(type: string, scene: Scene, ...parts: string[]): Promise<void> {
  const scenario = scenarioOf(scene);
  expect(await playScenario(type, { ...scenario, expect: { startError: parts } })).toEqual([]);
}

/** A line with the same price at all times. */
export function level(price: number | string): Record<string, unknown> {
  return { [START]: price, [START + HOUR]: price };
}

/** A line with one price at the start and another one `seconds` later. */
export function line(from: number | string, to: number | string, seconds = 3_600): Record<string, unknown> {
  return { [START]: from, [START + seconds * 1_000]: to };
}

/** The time this many seconds after the start. */
export function at(seconds: number): number {
  return START + seconds * 1_000;
}

export function scenarioOf(scene: Scene): Scenario {
  const { futures = false, events, fills, open, alerts, total } = scene;
  const expectations = {
    ...(fills && { fills: fills.map(fillOf) }),
    ...(open === undefined ? {} : { open: ordersOf(open) }),
    ...(alerts && { alerts: alerts.map(alertOf) }),
    ...(total && {
      balances: Object.fromEntries(Object.entries(total).map(([asset, sum]) => [asset, { total: sum }])),
    }),
    ...(scene.held === undefined ? {} : { position: scene.held }),
    ...(scene.stats && { stats: scene.stats }),
    ...(scene.status && { status: scene.status }),
    ...(scene.state && { state: scene.state }),
    ...(scene.reason && { reason: scene.reason }),
  };
  const own = { exchange: futures ? 'paper-futures' : 'paper-spot', ...scene.settings };
  return {
    name: 'scene',
    about: '',
    instrument: {
      symbol: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      kind: futures ? 'futures' : 'spot',
      tickSize: '0.01',
      stepSize: '0.001',
      minQty: '0.001',
      minNotional: '5',
      makerRate: '0',
      takerRate: '0',
      ...scene.rules,
    },
    balances: scene.balances ?? { USDT: '10000', BTC: '0' },
    ...(scene.position && { position: scene.position }),
    settings: JSON.parse(JSON.stringify(own)),
    ...(scene.options && { options: scene.options }),
    ...(scene.history && { history: scene.history }),
    ...(scene.participation === undefined ? {} : { participation: scene.participation }),
    ...(scene.known === undefined ? {} : { known: scene.known }),
    ...(scene.hedge === undefined ? {} : { hedge: scene.hedge }),
    start: START,
    events: events.map(eventOf),
    expect: expectations,
  };
}

function eventOf(text: string): ScenarioEvent {
  const [seconds = '', first, ...rest] = text.split(' ');
  const time = at(Number(seconds));
  if (first === undefined) return { at: time, advance: true };
  if (first === 'open:') return { at: time, expectOpen: ordersOf(rest.join(' ')) };
  if (first === 'stop') {
    const [cleanup, action] = rest;
    return { at: time, stop: { ...(cleanup && { cleanup }), ...(action && { action }) } };
  }
  if (/^\d/.test(first)) {
    const [volume] = rest;
    return { at: time, tick: first, ...(volume && { volume: volume.slice(1) }) };
  }
  return { at: time, command: { message: first, params: JSON.parse(rest.join(' ')) } };
}

function ordersOf(text: string): ExpectedOrder[] {
  if (text === 'none') return [];
  return text.split('; ').map((one) => {
    const words = one.split(' ');
    const [side = '', type = ''] = words;
    const stop = words.find((word) => word.startsWith('@'));
    const numbers = words.slice(2).filter((word) => !word.startsWith('@'));
    const qty = numbers.at(-1) ?? '';
    return {
      side,
      type,
      ...(numbers.length > 1 && { price: numbers[0] as string }),
      ...(stop && { stopPrice: stop.slice(1) }),
      qty,
    };
  });
}

function fillOf(text: string) {
  const [seconds = '', side = '', qty = '', , price = '', kind] = text.split(' ');
  return { at: at(Number(seconds)), side, qty, price, maker: kind === 'maker' };
}

function alertOf(text: string) {
  const [seconds = '', symbol = '', condition = ''] = text.split(' ');
  return { at: at(Number(seconds)), symbol, condition };
}
