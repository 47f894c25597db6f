/**
 * Sessions against a model of plain values: whatever a client sends, in any order and at any time, both give
 * the same outcome.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../src/api/ws/client-message.ts';
import { accessKey, CHALLENGE, type Outcome, SessionRig, WsSigner } from './session-rig.ts';

const MESSAGES = 30;
const WINDOW_MS = 1_000;
const SUBSCRIPTIONS = 3;
const ATTEMPTS = 5;

/** The whole state of a session. */
interface Model {
  state: 'new' | 'verifying' | 'in' | 'over';
  failures: number;
  now: number;
  /** The time of each counted message. */
  messages: number[];
  filters: string[];
  keyGone: boolean;
}

type Command = fc.Command<Model, SessionRig>;

/** An outcome as text: `close 4001 AUTH_TIMEOUT`, `error INVALID_JSON`, `pong`. */
function words({ sent, closed }: Outcome): string[] {
  const said = sent.map((message) => (message.op === 'error' ? `error ${message.data.code}` : message.op));
  return closed ? [...said, `close ${closed.code} ${closed.reason}`] : said;
}

function end(model: Model, code: number, reason: string): string[] {
  model.state = 'over';
  return [`error ${reason}`, `close ${code} ${reason}`];
}

function failed(model: Model, code: string): string[] {
  model.state = 'new';
  model.failures++;
  return [`error ${code}`, ...(model.failures === ATTEMPTS ? end(model, 4001, 'TOO_MANY_ATTEMPTS') : [])];
}

/** The model's answer to a message that is within the budget. */
type Answer = (model: Model) => string[];

class Say implements Command {
  readonly #what: string;
  readonly #message: (rig: SessionRig) => unknown;
  readonly #answer: Answer;

  constructor(what: string, message: (rig: SessionRig) => unknown, answer: Answer) {
    this.#what = what;
    this.#message = message;
    this.#answer = answer;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, rig: SessionRig): void {
    const message = this.#message(rig);
    const outcome = typeof message === 'string' ? rig.raw(message) : rig.say(message);
    expect(words(outcome), this.#what).toEqual(this.#expected(model));
    agree(model, rig);
  }

  toString(): string {
    return this.#what;
  }

  #expected(model: Model): string[] {
    if (model.state === 'over') return [];
    const recent = model.messages.filter((at) => model.now - at < WINDOW_MS);
    if (recent.length === MESSAGES) return end(model, 1008, 'RATE_LIMITED');
    model.messages = [...recent, model.now];
    return this.#answer(model);
  }
}

/** An event that is not a message. */
class Happen implements Command {
  readonly #what: string;
  readonly #real: (rig: SessionRig) => Outcome | undefined;
  readonly #expected: Answer;
  readonly #when: (model: Readonly<Model>) => boolean;

  constructor(
    what: string,
    real: (rig: SessionRig) => Outcome | undefined,
    expected: Answer,
    when: (model: Readonly<Model>) => boolean = () => true,
  ) {
    this.#what = what;
    this.#real = real;
    this.#expected = expected;
    this.#when = when;
  }

  check(model: Readonly<Model>): boolean {
    return this.#when(model);
  }

  run(model: Model, rig: SessionRig): void {
    const outcome = this.#real(rig);
    const expected = this.#expected(model);
    expect(outcome ? words(outcome) : [], this.#what).toEqual(expected);
    agree(model, rig);
  }

  toString(): string {
    return this.#what;
  }
}

function agree(model: Model, rig: SessionRig): void {
  expect(rig.session.keyId === null).toBe(model.state === 'new' || model.state === 'over');
  if (model.state === 'in') expect(rig.topics).toHaveLength(model.filters.length);
}

function auth(model: Model, late: boolean, code: string | null): string[] {
  if (model.state === 'in') return ['error CHALLENGE_MISSING'];
  if (model.state === 'verifying') return ['error AUTH_IN_PROGRESS'];
  if (code !== null) return failed(model, code);
  if (!late) throw new Error('a right auth message waits for its verdict here');
  model.state = 'verifying';
  return [];
}

/** Orders of one symbol each, so that no subscription covers another. */
const filters: readonly Filter[] = ['A', 'B', 'C', 'D', 'E'].map((symbol) => ({
  channel: 'orders',
  exchange: 'paper-spot',
  symbol,
}));

function change(op: 'subscribe' | 'unsubscribe', filter: Filter): Command {
  const name = filter.symbol as string;
  return new Say(
    `${op} ${name}`,
    () => ({ op, args: filter }),
    (model) => {
      if (model.state !== 'in') return ['error AUTH_REQUIRED'];
      if (model.keyGone) return ['error UNAUTHORIZED'];
      const others = model.filters.filter((one) => one !== name);
      if (op === 'unsubscribe') {
        model.filters = others;
        return ['unsubscribed'];
      }
      if (others.length === SUBSCRIPTIONS) return ['error INVALID_ARGS'];
      model.filters = [...others, name];
      return ['subscribed'];
    },
  );
}

const stranger = new WsSigner(9);
const verdicts = ['INVALID_SIGNATURE', 'INVALID_KEY', 'TIMESTAMP_EXPIRED', 'IP_REJECTED'] as const;

const commands: fc.Arbitrary<Command>[] = [
  fc.constant(
    new Say(
      'ping',
      () => ({ op: 'ping' }),
      () => ['pong'],
    ),
  ),
  fc.constant(
    new Say(
      'no JSON',
      () => '{"op":',
      () => ['error INVALID_JSON'],
    ),
  ),
  fc.constant(
    new Say(
      'no op',
      () => ({}),
      () => ['error INVALID_ARGS'],
    ),
  ),
  fc.constant(
    new Say(
      'unknown op',
      () => ({ op: 'hello' }),
      ({ state }) => (state === 'in' ? [] : ['error INVALID_ARGS']),
    ),
  ),
  fc.constant(
    new Say(
      'auth',
      (rig) => ({ op: 'auth', args: rig.args() }),
      (m) => auth(m, true, null),
    ),
  ),
  fc.constant(
    new Say(
      'auth of a stranger',
      (rig) => ({ op: 'auth', args: stranger.args(CHALLENGE, rig.wall) }),
      (m) => auth(m, true, null),
    ),
  ),
  fc.constant(
    new Say(
      'auth without args',
      () => ({ op: 'auth' }),
      (m) => auth(m, false, 'INVALID_ARGS'),
    ),
  ),
  fc.constant(
    new Say(
      'auth with half a timestamp',
      (rig) => ({ op: 'auth', args: { ...rig.args(), timestamp: 0.5 } }),
      (m) => auth(m, false, 'TIMESTAMP_INVALID'),
    ),
  ),
  fc.constantFrom(...filters).map((filter) => change('subscribe', filter)),
  fc.constantFrom(...filters).map((filter) => change('unsubscribe', filter)),
  fc.integer({ min: 1, max: 400 }).map(
    (ms) =>
      new Happen(
        `${ms} ms pass`,
        (rig) => {
          rig.pass(ms);
          return undefined;
        },
        (model) => {
          model.now += ms;
          return [];
        },
      ),
  ),
  fc.constant(
    new Happen(
      'the verdict is yes',
      (rig) => rig.verdict({ ok: true, key: accessKey() }),
      (model) => {
        if (model.state !== 'verifying') return [];
        model.state = 'in';
        return ['auth'];
      },
      // A verdict can also come after the end.
      ({ state }) => state === 'verifying' || state === 'over',
    ),
  ),
  fc.constantFrom(...verdicts).map(
    (code) =>
      new Happen(
        `the verdict is ${code}`,
        (rig) => rig.verdict({ ok: false, code, message: 'refused' }),
        (model) => failed(model, code),
        ({ state }) => state === 'verifying',
      ),
  ),
  fc.constant(
    new Happen(
      'the verifier fails',
      (rig) => rig.verdict({ ok: false, code: 'INTERNAL_ERROR', message: 'failed' }),
      (model) => {
        model.state = 'new';
        return ['error INTERNAL_ERROR'];
      },
      ({ state }) => state === 'verifying',
    ),
  ),
  fc.constant(
    new Happen(
      'the key may not be used any more',
      (rig) => {
        rig.keys.clear();
        return undefined;
      },
      (model) => {
        model.keyGone = true;
        return [];
      },
      ({ state }) => state === 'in',
    ),
  ),
];

/** These end a session, so they are rare. */
const ends: fc.Arbitrary<Command>[] = [
  fc.constant(
    new Happen(
      'the time to authenticate is over',
      (rig) => rig.timeout(),
      (model) =>
        model.state === 'new' || model.state === 'verifying' ? end(model, 4001, 'AUTH_TIMEOUT') : [],
    ),
  ),
  fc.constant(
    new Happen(
      'the key is revoked',
      (rig) => rig.revoke(),
      (model) => (model.state === 'over' ? [] : end(model, 4003, 'KEY_REVOKED')),
      ({ state }) => state !== 'new',
    ),
  ),
];

describe('a session and its model', () => {
  // proves: D36, D37, D38, rule ws-auth-attempts, rule ws-auth-deadline, limit ws-messages
  it('say the same, whatever happens', () => {
    // About one message in a dozen ends the session.
    const some = [...commands, ...commands, ...commands, ...ends];
    fc.assert(
      fc.property(fc.commands(some, { maxCommands: 120, size: 'max' }), (cmds) => {
        const limits = { messages: MESSAGES, messageWindowMs: WINDOW_MS, subscriptions: SUBSCRIPTIONS };
        fc.modelRun(() => {
          const model: Model = {
            state: 'new',
            failures: 0,
            now: 0,
            messages: [],
            filters: [],
            keyGone: false,
          };
          return {
            model,
            real: new SessionRig({ later: true, limits: { ...limits, authAttempts: ATTEMPTS } }),
          };
        }, cmds);
      }),
      { numRuns: 200 },
    );
  });
});
