/**
 * Answers of Binance written by hand for single requests of an account; all other requests go to the emulator.
 * Notes what was asked, without what every signed request carries.
 */
import type { WireAnswer, WireRequest } from '../../../src/venues/kit/net.ts';

export interface AskedOf {
  /** Method and path, `GET /api/v3/order`. */
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Asking {
  request(request: WireRequest): Promise<WireAnswer>;
}

type Says = (parameters: Readonly<Record<string, string>>) => WireAnswer;

const OF_ALL: ReadonlySet<string> = new Set(['recvWindow', 'timestamp', 'signature']);

export class HandAnswers {
  readonly #says = new Map<string, Says>();
  readonly #asked: AskedOf[] = [];
  /** The addresses of all requests. */
  readonly origins: string[] = [];

  constructor(net: Asking) {
    const ask = net.request.bind(net);
    net.request = (request) => {
      const [path = '', query = ''] = request.path.split('?');
      const name = `${request.method} ${path}`;
      const all = [...new URLSearchParams(query)].filter(([of]) => !OF_ALL.has(of));
      const parameters = Object.fromEntries(all);
      this.#asked.push({ name, parameters });
      this.origins.push(request.origin);
      const says = this.#says.get(name);
      return says ? Promise.resolve(says(parameters)) : ask(request);
    };
  }

  /** From now on this request is answered so; a text is sent as it is. */
  on(name: string, body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): this {
    return this.by(name, () => answerOf(body, status, headers));
  }

  by(name: string, says: Says): this {
    this.#says.set(name, says);
    return this;
  }

  refuse(name: string, code: number, msg = 'refused', status = 400): this {
    return this.on(name, { code, msg }, status);
  }

  lose(name: string, kind: 'lost' | 'unsent' = 'lost'): this {
    return this.by(name, () => ({ kind, cause: `${kind} on its way` }));
  }

  /** What was asked since the last call, in order. */
  asked(): AskedOf[] {
    return this.#asked.splice(0);
  }

  names(): string[] {
    return this.asked().map(({ name }) => name);
  }
}

export function answerOf(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): WireAnswer {
  return { kind: 'answer', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
