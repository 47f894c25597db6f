/**
 * A webhook: one JSON object by POST, signed when a secret is set. The signature also covers the time, so
 * that an intercepted request cannot be sent again later. docs/configuration.md shows how a receiver verifies
 * it.
 */
import { createHmac } from 'node:crypto';
import { HttpPoster, judged } from './http.ts';
import { Secret } from './secret.ts';
import type { AlertMessage, Sending, Sent, Target } from './target.ts';
import type { WebhookOptions } from './target-options.ts';

export class Webhook implements Target {
  readonly name: string;
  readonly #poster: HttpPoster;
  /** Path and query, secret because services put tokens there. */
  readonly #path: Secret;
  readonly #secret: Secret | null;

  constructor({ name, url, secret }: WebhookOptions) {
    const { origin, pathname, search } = new URL(url);
    this.name = name;
    this.#poster = new HttpPoster(origin);
    this.#path = new Secret(pathname + search);
    this.#secret = secret === undefined ? null : new Secret(secret);
  }

  async send(alert: AlertMessage, sending: Sending): Promise<Sent> {
    const body = JSON.stringify(payloadOf(alert));
    const timestamp = String(sending.now);
    const headers: Record<string, string> = {
      'x-outcry-timestamp': timestamp,
      'x-outcry-delivery': alert.id,
    };
    if (this.#secret !== null) {
      headers['x-outcry-signature'] = `sha256=${signature(this.#secret, timestamp, body)}`;
    }
    return judged(await this.#poster.post({ path: this.#path.reveal(), headers, body }, sending));
  }

  close(): Promise<void> {
    return this.#poster.close();
  }
}

/** Copies field by field, so that a new field of an alert is not sent by accident. */
function payloadOf({ id, bot, run, symbol, condition, message, price, time, market }: AlertMessage) {
  return { id, bot, run, symbol, condition, message, price, time, market };
}

/** Returns the HMAC-SHA256 over timestamp, a dot and the body, in lower-case hex. */
function signature(secret: Secret, timestamp: string, body: string): string {
  return createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex');
}
