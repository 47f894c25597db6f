/**
 * A desk of plain data for tests and the demo: a scripted state, every call recorded, answers that can be
 * set. Uses no engine; deterministic.
 */
import { applyDelta } from '../../../src/console/state/apply-delta.ts';
import type {
  DeskClient,
  DeskDelta,
  DeskState,
  Method,
  Params,
  Result,
} from '../../../src/desk/console/protocol.ts';
import { deskState } from './some-desk.ts';
import { usualAnswers } from './usual-answers.ts';

export type Answers = { [M in Method]?: (params: Params<M>) => Result<M> | Promise<Result<M>> };

/** Methods that change something. */
export const ACTING: ReadonlySet<Method> = new Set<Method>([
  'orders.place',
  'orders.cancel',
  'orders.cancelAll',
  'orders.split',
  'orders.amend',
  'bots.manage',
  'futures.set',
  'bots.create',
  'bots.manage',
  'bots.patch',
  'bots.start',
  'bots.stop',
  'bots.delete',
  'bots.message',
  'bots.batch',
  'keys.generate',
  'keys.register',
  'keys.revoke',
  'desk.maintenance',
  'feed.control',
  'feed.speed',
  'guards.set',
  'connections.add',
  'connections.remove',
  'connections.confirm',
  'guards.lift',
  'vault.init',
  'vault.unlock',
  'vault.lock',
  'vault.change',
  'paper.configure',
  'paper.balance',
  'paper.reset',
  'paper.fault',
  'paper.faults',
  'desk.stop',
]);

export class FakeDesk implements DeskClient {
  readonly calls: { method: Method; params: unknown }[] = [];
  readonly answers: Answers;
  state: DeskState;
  acks = 0;
  closed = false;
  /** Number of key presses reported to it. */
  touches = 0;
  private readonly listeners: Parameters<DeskClient['onState']>[0][] = [];
  private readonly closers: ((reason: string) => void)[] = [];

  constructor(state: DeskState = deskState(), answers: Answers = {}) {
    this.state = state;
    this.answers = answers;
  }

  get acting(): Method[] {
    return this.calls.map((call) => call.method).filter((method) => ACTING.has(method));
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    this.calls.push({ method, params });
    const answer = this.answers[method] ?? (usualAnswers(this)[method] as Answers[M]);
    if (!answer) throw new Error(`no answer to ${method}`);
    return await answer(params);
  }

  onState(listener: Parameters<DeskClient['onState']>[0]): void {
    this.listeners.push(listener);
    listener({ snapshot: this.state }, () => this.acks++);
  }

  onClosed(listener: (reason: string) => void): void {
    this.closers.push(listener);
  }

  touched(): void {
    this.touches++;
  }

  close(): void {
    this.closed = true;
  }

  push(delta: DeskDelta): void {
    this.state = applyDelta(this.state, delta);
    for (const listener of this.listeners) listener({ delta }, () => this.acks++);
  }

  /** Sends a whole state, as after a lock. */
  show(state: DeskState): void {
    this.state = state;
    for (const listener of this.listeners) listener({ snapshot: state }, () => this.acks++);
  }

  lose(reason: string): void {
    for (const listener of this.closers) listener(reason);
  }
}
