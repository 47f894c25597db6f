/**
 * The only object that sends requests to an exchange: only those in its list (`requests.ts`), with parameters
 * that the list knows, through the lanes of its address, stamped and signed at the moment of leaving. How an
 * exchange writes and signs a request and what its answers say about its budgets is its `Dialect`; what an
 * answer means is decided by the calling code.
 */
import type { Clock } from '../../domain/clock.ts';
import { originOf } from '../../domain/connection.ts';
import type { AmendOutcome, CancelOutcome, SubmitOutcome } from '../../domain/exchange.ts';
import type { Lane } from '../../domain/lane.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import type { Dispatch } from '../venue.ts';
import type { Secrets } from '../venue-kind.ts';
import type { LaneClient } from './addresses.ts';
import type { ClockOffset } from './clock-offset.ts';
import type { Net, WireRequest } from './net.ts';
import { wordsOf } from './net-words.ts';
import {
  amendPaced,
  askPaced,
  cancelPaced,
  type Leaving,
  type Refused,
  renewPaced,
  submitPaced,
} from './paced.ts';
import type { RequestForm } from './requests.ts';

export type Parameters = Readonly<Record<string, string>>;

/** What became of a request. */
export type CallResult =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  /** Not a byte of the request has left. */
  | { readonly kind: 'unsent'; readonly cause: string }
  /** The request may have been carried out. */
  | { readonly kind: 'lost'; readonly cause: string };

/** An answer with the facts around it. */
export interface ReceivedAnswer {
  readonly form: RequestForm;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly uid: string;
  /** The request's parameters; left out: not known. */
  readonly parameters?: Parameters;
  /** `Clock.monotonic`, ms. */
  readonly leftAt: number;
  readonly now: number;
}

/** How one exchange writes and signs requests. */
export interface Dialect {
  /**
   * Writes a request as it goes over the wire. `stamp`: the time that it is signed with, Unix ms. May throw
   * what is wrong with the secrets.
   */
  write(
    form: RequestForm,
    parameters: Parameters,
    given: { readonly secrets: Secrets; readonly stamp: number },
  ): Pick<WireRequest, 'path' | 'headers' | 'body'>;
  /** Writes a message for a socket, likewise: one line of JSON. `id` identifies its answer. */
  frame?(
    form: RequestForm,
    parameters: Parameters,
    given: { readonly secrets: Secrets; readonly stamp: number; readonly id: string },
  ): string;
  /**
   * Takes from an answer what it says about the budgets and the clock; called before the answer itself is
   * read.
   */
  heard(heard: ReceivedAnswer, way: LaneClient, clock: ClockOffset): void;
}

export interface CallerOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly way: LaneClient;
  readonly offset: ClockOffset;
  readonly secrets: Secrets;
  readonly dialect: Dialect;
  /** By the endpoint's name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** The list of all requests that can be sent. */
  readonly forms: readonly RequestForm[];
  /** The uid whose budgets are used; empty while it is not known. */
  readonly uid: () => string;
}

/** The timeout of a request, from connecting to the last byte of its answer, ms. */
export const ANSWER_WITHIN_MS = 10_000;
/** The largest answer, bytes; only lists of instruments are larger. */
const ANSWER_BYTES = 16 * 1_048_576;

export interface CallTerms {
  readonly timeoutMs?: number;
  readonly bytesMax?: number;
  /** For a question: nobody waits for it (`patient.ts`). */
  readonly isPatient?: boolean;
  /**
   * Left out: `read`. For a question that is part of another operation, whose lane it takes: a cancel does
   * not wait behind lists.
   */
  readonly lane?: Lane;
}

export class Caller {
  readonly #o: CallerOptions;
  readonly #forms: ReadonlySet<RequestForm>;
  /** Origins by address. */
  readonly #origins = new Map<string, string>();

  constructor(options: CallerOptions) {
    this.#o = options;
    this.#forms = new Set(options.forms);
  }

  get way(): LaneClient {
    return this.#o.way;
  }

  costs(form: RequestForm, parameters: Parameters) {
    return form.costs(parameters, this.#o.uid());
  }

  /** Sends an order. One that had no time left when its turn came is rejected as UNREACHED. */
  submit(
    form: RequestForm,
    parameters: Parameters,
    dispatch: Dispatch,
    read: (called: CallResult) => SubmitOutcome,
  ): Promise<SubmitOutcome> {
    this.#check(form, parameters);
    const { way } = this.#o;
    return submitPaced(way, this.costs(form, parameters), dispatch, async (leaving) =>
      read(await this.#send(form, parameters, leaving)),
    );
  }

  /** Sends a cancel. `over`: it was refused because the budget was used up, and waits for another turn. */
  cancel(
    form: RequestForm,
    parameters: Parameters,
    dispatch: Dispatch,
    read: (called: CallResult) => CancelOutcome | Refused,
  ): Promise<CancelOutcome> {
    this.#check(form, parameters);
    const { way } = this.#o;
    return cancelPaced(way, this.costs(form, parameters), dispatch, async (leaving) =>
      read(await this.#send(form, parameters, leaving)),
    );
  }

  amend(
    form: RequestForm,
    parameters: Parameters,
    dispatch: Dispatch,
    read: (called: CallResult) => AmendOutcome,
  ): Promise<AmendOutcome> {
    this.#check(form, parameters);
    const { way } = this.#o;
    return amendPaced(way, this.costs(form, parameters), dispatch, async (leaving) =>
      read(await this.#send(form, parameters, leaving)),
    );
  }

  /** Renews a dead-man switch. */
  renew(
    form: RequestForm,
    parameters: Parameters,
    dispatch: Dispatch,
    read: (called: CallResult) => SettingOutcome,
  ): Promise<SettingOutcome> {
    this.#check(form, parameters);
    const { way } = this.#o;
    return renewPaced(way, this.costs(form, parameters), dispatch, async (leaving) =>
      read(await this.#send(form, parameters, leaving)),
    );
  }

  /** Asks a question or changes a setting; null where it had no turn, or where `read` returns null. */
  ask<T>(
    form: RequestForm,
    parameters: Parameters,
    read: (called: CallResult, at: { readonly leftAt: number; readonly now: number }) => T | null,
    terms: CallTerms = {},
  ): Promise<T | null> {
    this.#check(form, parameters);
    const { way } = this.#o;
    const ask = async (leaving: Omit<Leaving, 'deadline'>) => {
      const called = await this.#send(form, parameters, { ...leaving, deadline: FOREVER }, terms);
      return read(called, { leftAt: leaving.leftAt, now: way.now });
    };
    return askPaced(way, this.costs(form, parameters), ask, terms);
  }

  /**
   * Sends a message on a socket once there is room for it in the budgets; false: it had no turn, or `send`
   * has not taken it. Its answer is not awaited here.
   */
  async say(
    form: RequestForm,
    parameters: Parameters,
    id: string,
    send: (text: string) => boolean,
  ): Promise<boolean> {
    this.#check(form, parameters);
    const { way, dialect, secrets, offset } = this.#o;
    const said = await askPaced(way, this.costs(form, parameters), async () => {
      const text = dialect.frame?.(form, parameters, { secrets, stamp: offset.stamp(), id });
      return text !== undefined && send(text);
    });
    return said === true;
  }

  /**
   * Throws if the request or a parameter is not in the list: a mistake of the adapter, found by its tests.
   */
  #check(form: RequestForm, parameters: Parameters): void {
    if (!this.#forms.has(form)) throw new RangeError(`${form.name} is in no list of requests`);
    const alien = Object.keys(parameters).find((name) => !form.parameters.includes(name));
    if (alien !== undefined) throw new RangeError(`${form.name} has no parameter ${alien}`);
  }

  #originOf(address: string): string {
    const known = this.#origins.get(address);
    if (known !== undefined) return known;
    const origin = originOf(address);
    this.#origins.set(address, origin);
    return origin;
  }

  async #send(
    form: RequestForm,
    parameters: Parameters,
    { deadline, leftAt, ended }: Leaving,
    { timeoutMs = ANSWER_WITHIN_MS, bytesMax = ANSWER_BYTES }: CallTerms = {},
  ): Promise<CallResult> {
    const { net, way, dialect, secrets, offset, addresses, uid } = this.#o;
    if (way.now > deadline.notAfter)
      return { kind: 'unsent', cause: 'its time was over before it could leave' };
    const address = addresses[form.endpoint];
    if (address === undefined || form.method === 'WS')
      throw new RangeError(`${form.name} has no address to go to`);
    let written: Pick<WireRequest, 'path' | 'headers' | 'body'>;
    try {
      written = dialect.write(form, parameters, { secrets, stamp: offset.stamp() });
    } catch (error) {
      // The vault was locked, or the key cannot be used.
      return { kind: 'unsent', cause: error instanceof Error ? error.message : wordsOf(error) };
    }
    const { method } = form;
    const origin = this.#originOf(address);
    const answer = await net.request({ origin, method, ...written, timeoutMs, bytesMax });
    ended();
    if (answer.kind !== 'answer') return answer;
    const { status, headers, body: text } = answer;
    const heard = { form, status, headers, text, parameters, uid: uid(), leftAt, now: way.now };
    dialect.heard(heard, way, offset);
    return { kind: 'answer', status, text };
  }
}

const FOREVER = { notAfter: Number.POSITIVE_INFINITY };
