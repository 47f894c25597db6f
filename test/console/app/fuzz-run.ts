/**
 * Random keys, pastes, sizes and desk events over all screens of a whole console: nothing throws, no frame is
 * larger than the terminal or differs from a full redraw, and nothing changes on the desk without its
 * confirmation. Time is virtual, and keys, sizes, events and answers have separate dice: a seed gives the
 * same run every time, frame for frame.
 */

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { topDialog } from '../../../src/console/state/ui.ts';
import { cellWidth } from '../../../src/console/ui/clean.ts';
import type { DeskDelta, Method, Params, Result } from '../../../src/desk/console/protocol.ts';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { installTimers } from '../../support/virtual-timers.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { SCREENS } from '../support/parts.ts';
import { openRig, type Rig } from '../support/rig.tsx';
import { alert, bot, botDesk } from '../support/some-bots.ts';
import { deskState, someKeys } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';
import { Consent } from './fuzz-consent.ts';
import { nextInput } from './fuzz-keys.ts';

const ROUNDS = 5;
const RESIZES = 100;
/**
 * Extra columns of the terminal that the console is not told of: nothing may be drawn there, nor in the rows
 * of `BELOW`.
 */
const BESIDE = 12;
const BELOW = 6;
const CLEAR = '\x1b[2J';
/** Pauses between two keys: at once, within and after a frame, about the deaf time of a question. */
const PAUSES_MS = [0, 1, 5, 12, 40, 299, 300, 400] as const;
/** Random tokens that the console generates. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Number of inputs of a whole run. */
const KEYS = 5_000;

function someDesk(dice: Dice): FakeDesk {
  const change = { futures: somePositions(), keys: someKeys() };
  const desk = dice.chance(0.8)
    ? botDesk(change)
    : new FakeDesk(deskState(dice.chance(0.5) ? {} : { orders: {} }));
  const call = desk.call.bind(desk);
  // Some answers take a while, and some calls of the desk fail.
  desk.call = async <M extends Method>(method: M, params: Params<M>): Promise<Result<M>> => {
    if (dice.chance(0.05)) throw new Error('the desk failed');
    if (dice.chance(0.3)) await new Promise((resolve) => setTimeout(resolve, dice.int(0, 80)));
    return call(method, params);
  };
  return desk;
}

/** A random event on the desk. */
function news(dice: Dice, desk: FakeDesk): DeskDelta {
  const { orders, bots, prices } = desk.state;
  const some = <T>(record: Readonly<Record<string, T>>) => dice.pick(Object.entries(record));
  switch (dice.weighted({ price: 4, gone: 2, order: 3, bot: 2, alert: 1, log: 1, clock: 1, link: 1 })) {
    case 'price': {
      const [symbol, price] = some(prices);
      return { prices: { [symbol]: { ...price, last: String(dice.between(0.0001, 99_999)) } } };
    }
    case 'gone': {
      const [id] = some({ ...orders, none: order('none') });
      return dice.chance(0.5)
        ? { orders: { [id]: null } }
        : { bots: { [some({ ...bots, none: null })[0]]: null } };
    }
    case 'order': {
      const id = `oc-${dice.id(10)}`;
      const unresolved = {
        since: NOON,
        cause: 'timeout',
        asked: 1,
        nextAskAt: NOON,
        settlesAt: NOON + 9_000,
      };
      return { orders: { [id]: order(id, dice.chance(0.3) ? { status: 'NEW', unresolved } : {}) } };
    }
    case 'bot': {
      const id = `b${dice.id(10)}`;
      const running = { status: 'STARTED' as const, runId: dice.id(8), startedAt: NOON };
      return { bots: { [id]: bot(id, dice.chance(0.5) ? running : {}) } };
    }
    case 'alert':
      return { alerts: [...desk.state.alerts, alert(dice.id(6))].slice(-20) };
    case 'log':
      return { log: [{ at: NOON, level: 'warn', source: 'exchange', text: 'x'.repeat(dice.int(0, 400)) }] };
    case 'clock':
      return { clock: { ...desk.state.clock, held: dice.chance(0.5), live: dice.chance(0.5) } };
    case 'link':
      return {
        accounts: desk.state.accounts.map((entry) => ({ ...entry, link: dice.chance(0.7) ? 'up' : 'down' })),
      };
  }
}

class Fuzz {
  readonly sizes: Dice;
  readonly inputs: string[] = [];
  readonly screens = new Set<string>();
  readonly dialogs = new Set<string>();
  given = 0;
  frames = 0;
  /** A hash of all inputs and outputs. */
  readonly hash = createHash('sha256');
  private readonly keys: Dice;
  private readonly news: Dice;
  private readonly answers: Dice;
  private readonly clock = new VirtualClock(NOON);
  private readonly uninstall: () => void;
  private rig!: Rig;
  private desk!: FakeDesk;
  private consent!: Consent;
  private size: readonly [number, number] = [80, 24];
  /** After a resize, Ink's frame of the old size may stay until all is drawn anew. */
  private torn = false;
  private seen = 0;

  constructor(seed: number) {
    this.keys = new Dice(seed, 'keys');
    this.sizes = new Dice(seed, 'sizes');
    this.news = new Dice(seed, 'news');
    this.answers = new Dice(seed, 'answers');
    this.uninstall = installTimers(this.clock);
  }

  async start(): Promise<void> {
    const { sizes, clock } = this;
    this.size = sizes.pick([
      [80, 24],
      [200, 50],
      [120, 30],
    ] as const);
    this.desk = someDesk(this.answers);
    const [columns, rows] = this.size;
    this.rig = await openRig(this.desk, { columns, rows, ascii: sizes.chance(0.1), clock });
    const consent = new Consent(this.rig);
    this.consent = consent;
    const { call } = this.desk;
    this.desk.call = (method, params) => {
      this.note(`${method} ${JSON.stringify(params)?.replaceAll(UUID, 'uuid')}`);
      consent.called(method, params);
      return call(method, params);
    };
    await this.resize(columns, rows);
  }

  async end(): Promise<void> {
    this.given += this.consent.given;
    await this.rig.close();
  }

  /** Gives the process its own time again. */
  close(): void {
    this.uninstall();
  }

  private note(text: string): void {
    this.hash.update(`${text}\n`);
  }

  /** Compares the incrementally drawn screen with a full redraw. */
  async compare(): Promise<void> {
    let [drawn, anew] = ['', ''];
    // An answer of the desk or a countdown may change the screen in between.
    for (let tries = 0; tries < 4; tries++) {
      await this.rig.settle();
      drawn = this.rig.screenText();
      this.rig.session.redraw();
      await this.rig.settle();
      anew = this.rig.screenText();
      if (drawn === anew) return;
    }
    expect(drawn).toBe(anew);
  }

  async resize(columns: number, rows: number): Promise<void> {
    this.size = [columns, rows];
    this.torn = true;
    this.seen = this.rig.stdout.chunks.length;
    await this.rig.resizeWith(columns, rows, BESIDE, BELOW);
    // Sometimes keys come before everything is drawn anew.
    if (this.sizes.chance(0.8)) this.rig.session.redraw();
    await this.rig.settle();
  }

  async key(): Promise<void> {
    const { keys, rig } = this;
    const pause = keys.pick(PAUSES_MS);
    if (pause > 0) await this.clock.advance(pause);
    if (this.news.chance(0.1)) this.desk.push(news(this.news, this.desk));
    const input = nextInput(keys, rig.session.ui.getState());
    if (input === 'y') await this.drawn();
    const ui = rig.session.ui.getState();
    this.inputs.push(input);
    this.note(JSON.stringify(input));
    this.screens.add(ui.screen);
    this.dialogs.add(topDialog(ui)?.kind ?? 'none');
    this.consent.before(input);
    rig.stdin.write(input);
    await turn();
    await turn();
    await this.look();
  }

  /** Waits until the frame of the question in front is out; it may be being redrawn at this moment. */
  private async drawn(): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      await this.rig.settle();
      const dialog = topDialog(this.rig.session.ui.getState());
      if (dialog?.kind !== 'confirm' || this.rig.screenText().includes(dialog.verb.slice(0, 20))) return;
    }
  }

  /** Checks what the terminal shows now. */
  private async look(): Promise<void> {
    const { rig } = this;
    const exit = rig.exit();
    if (exit) this.consent.exited(exit.action);
    expect(this.consent.broken.join('\n'), 'done without a confirmation').toBe('');
    if (exit) {
      await this.end();
      return this.start();
    }
    const { chunks } = rig.stdout;
    if (chunks.length === this.seen) return;
    if (this.torn && !chunks.slice(this.seen).some((chunk) => chunk.includes(CLEAR))) return;
    if (this.torn) await rig.settle();
    this.torn = false;
    this.seen = chunks.length;
    await rig.written();
    this.frames++;
    const [columns, rows] = this.size;
    const lines = rig.screenLines();
    this.note(lines.join('\n'));
    const wide = lines.findIndex((line) => cellWidth(line) > columns);
    expect(wide < 0 ? '' : `row ${wide} is wider than ${columns}: ${lines[wide]}`).toBe('');
    expect(lines.slice(rows).join('').trim(), `below row ${rows}`).toBe('');
  }
}

/** One turn of the loop: the key is handled and React has drawn. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export interface FuzzOptions {
  /** Number of inputs. @default 5000 */
  readonly keys?: number;
}

/**
 * Runs the fuzz. Returns what two runs of a seed have in common: a hash of every input, every command and
 * every frame. Throws with the seed and the last inputs.
 */
export async function fuzz(seed: number, { keys = KEYS }: FuzzOptions = {}): Promise<string> {
  const run = new Fuzz(seed);
  try {
    await play(run, keys);
    if (keys >= KEYS) hasProved(run);
  } catch (error) {
    const last = run.inputs.slice(-25).map((input) => JSON.stringify(input));
    throw new Error(
      `seed ${seed}, after ${run.inputs.length} inputs, the last ${last.join(' ')}: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  } finally {
    run.close();
  }
  return run.hash.digest('hex');
}

async function play(run: Fuzz, keys: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await run.start();
    try {
      for (let at = 0; at < keys / ROUNDS; at++) {
        await run.key();
        if (at % 100 === 99) await run.compare();
        if (at % Math.floor(KEYS / RESIZES) === 10) await run.resize(...nextSize(run.sizes));
      }
    } finally {
      await run.end();
    }
  }
}

/** Checks that the run reached enough; otherwise the fuzz has shown nothing. */
function hasProved(run: Fuzz): void {
  // The market screen has no digit.
  const all = ['market', ...SCREENS.map(({ id }) => id)];
  expect(all.filter((id) => !run.screens.has(id))).toEqual([]);
  expect(run.dialogs.size).toBeGreaterThan(12);
  expect(run.given).toBeGreaterThan(5);
  expect(run.frames).toBeGreaterThan(KEYS / 10);
}

function nextSize(dice: Dice): readonly [number, number] {
  if (dice.chance(0.6))
    return dice.pick([
      [80, 24],
      [80, 24],
      [81, 25],
      [150, 40],
      [200, 50],
    ] as const);
  return [dice.int(dice.chance(0.8) ? 80 : 1, 240), dice.int(dice.chance(0.8) ? 24 : 1, 70)];
}
