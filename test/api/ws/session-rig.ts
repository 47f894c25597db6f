/**
 * A session without a socket: its inputs and outputs, with time set by hand and the real verifier, or none.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { wsAuthMessage } from '../../../src/access/ws-auth.ts';
import { type Action, Session, type SessionOptions, type Verdict } from '../../../src/api/ws/session.ts';
import type { Topic } from '../../../src/api/ws/subscriptions.ts';
import { authVerifier } from '../../../src/api/ws/verify-auth.ts';
import { type AccessKey, UNUSED_KEY } from '../../../src/domain/access-key.ts';
import { compileServiceLimits, type StreamLimits } from '../../../src/domain/limits.ts';
import type { ServerMessage } from '../../../src/schemas/stream.ts';

export const CHALLENGE = 'a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778899aabbccddeeff0';
export const NOW = 1_760_000_000_000;
export const ADDRESS = '203.0.113.7';

/** A key pair that signs challenges. */
export class WsSigner {
  readonly keyId: string;
  readonly #key;

  /** Signs with a private key as PEM, or a seed of 32 equal bytes. */
  constructor(key: string | number = 7) {
    this.#key = typeof key === 'string' ? createPrivateKey(key) : keyOfSeed(key);
    const spki = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.keyId = spki.subarray(-32).toString('base64url');
  }

  /** `args` of an auth message. */
  args(challenge: string, timestamp: number) {
    const signature = sign(null, wsAuthMessage(timestamp, challenge), this.#key);
    return { key: this.keyId, sign: signature.toString('base64'), timestamp };
  }
}

function keyOfSeed(byte: number): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = Buffer.concat([prefix, Buffer.alloc(32, byte)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

export function accessKey(fields: Partial<AccessKey> = {}): AccessKey {
  return {
    ...UNUSED_KEY,
    id: new WsSigner().keyId,
    user: 'owner',
    label: 'test',
    tier: 'read',
    ipList: null,
    allowedExchanges: null,
    createdAt: 0,
    ...fields,
  };
}

/** The outcome of one input. */
export interface Outcome {
  readonly sent: readonly ServerMessage[];
  readonly closed: { readonly code: number; readonly reason: string } | null;
}

export interface RigOptions {
  readonly limits?: StreamLimits;
  /** Registered keys. Default: one read key of the signer. */
  readonly keys?: readonly AccessKey[];
  /** Verdicts come when the test gives them. Default: at once, from the real verifier. */
  readonly later?: boolean;
  readonly address?: string;
  readonly session?: Partial<SessionOptions>;
}

export class SessionRig {
  readonly session: Session;
  readonly signer = new WsSigner();
  readonly keys: Map<string, AccessKey>;
  wall = NOW;
  monotonic = 0;
  /** The topics that the socket has now. */
  topics: readonly Topic[] = [];
  authenticated: AccessKey | null = null;
  /** Attempts that wait for a verdict. */
  verifying = 0;
  readonly #later: boolean;
  readonly #address: string;

  constructor({
    limits = {},
    keys = [accessKey()],
    later = false,
    address = ADDRESS,
    session,
  }: RigOptions = {}) {
    this.keys = new Map(keys.map((key) => [key.id, key]));
    this.#later = later;
    this.#address = address;
    this.session = new Session({
      challenge: CHALLENGE,
      limits: compileServiceLimits({ stream: limits }).stream,
      isActive: (id) => this.#active(id) !== null,
      ...session,
    });
  }

  now() {
    return { wall: this.wall, monotonic: this.monotonic };
  }

  /** Lets time pass, on both clocks. */
  pass(ms: number): this {
    this.wall += ms;
    this.monotonic += ms;
    return this;
  }

  open(): Outcome {
    return this.#take(this.session.opened(this.now()));
  }

  say(message: unknown): Outcome {
    return this.raw(JSON.stringify(message));
  }

  raw(text: string | Buffer, binary = false): Outcome {
    return this.#take(this.session.message(Buffer.from(text), binary, this.now()));
  }

  verdict(verdict: Verdict): Outcome {
    this.verifying--;
    return this.#take(this.session.verdict(verdict, this.now()));
  }

  timeout(): Outcome {
    return this.#take(this.session.authTimeout(this.now()));
  }

  revoke(): Outcome {
    return this.#take(this.session.revoked(this.now()));
  }

  frame(): Outcome {
    return this.#take(this.session.frame(this.now()));
  }

  args(timestamp = this.wall, challenge = CHALLENGE) {
    return this.signer.args(challenge, timestamp);
  }

  /** Authenticates as the signer. */
  in(): this {
    this.say({ op: 'auth', args: this.args() });
    if (this.authenticated === null) throw new Error('the session did not authenticate');
    return this;
  }

  #active(id: string): AccessKey | null {
    const key = this.keys.get(id);
    return key && key.revokedAt === null ? key : null;
  }

  #take(actions: readonly Action[]): Outcome {
    const sent: ServerMessage[] = [];
    let closed: Outcome['closed'] = null;
    const verify = authVerifier({ activeKey: (id) => this.#active(id) });
    const queue = [...actions];
    for (let action = queue.shift(); action; action = queue.shift()) {
      if (closed !== null) throw new Error(`something comes after the close: ${JSON.stringify(action)}`);
      if (action.do === 'send') sent.push(action.message);
      else if (action.do === 'close') closed = { code: action.code, reason: action.reason };
      else if (action.do === 'authenticated') this.authenticated = action.key;
      else if (action.do === 'listen') this.topics = action.topics;
      else if (this.#later) this.verifying++;
      else {
        const { auth } = action;
        const verdict = verify({ auth, challenge: CHALLENGE, address: this.#address, now: this.wall });
        queue.unshift(...this.session.verdict(verdict as Verdict, this.now()));
      }
    }
    return { sent, closed };
  }
}

/** The code, op and id of the one error that came. */
export function errorOf({ sent }: Outcome): { code: string; op?: string; id?: string } {
  const [message] = sent;
  if (sent.length !== 1 || message?.op !== 'error')
    throw new Error(`one error expected: ${JSON.stringify(sent)}`);
  const { code, op } = message.data;
  return {
    code,
    ...(op === undefined ? {} : { op }),
    ...(message.id === undefined ? {} : { id: message.id }),
  };
}
