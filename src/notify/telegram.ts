/**
 * A Telegram chat, through the Bot API's sendMessage. The token is part of the address, so text that contains
 * or echoes the address must not be shown; Telegram's description of a failure is shown only when the token
 * is not in it.
 */
import { utcText } from '../domain/utc-time.ts';
import { type Answered, HttpPoster, judged } from './http.ts';
import { Secret } from './secret.ts';
import type { AlertMessage, Sending, Sent, Target } from './target.ts';
import { TELEGRAM_URL, type TelegramOptions } from './target-options.ts';
import { cleanLine, cut } from './text.ts';

/** Largest length of one message, counted in UTF-16 units, which are never fewer than characters. */
export const TEXT_LENGTH = 4_096;
const DESCRIPTION_LENGTH = 160;

export class Telegram implements Target {
  readonly name: string;
  readonly #poster: HttpPoster;
  readonly #token: Secret;
  readonly #path: Secret;
  readonly #chat: string | number;

  constructor({ name, token, chat, baseUrl = TELEGRAM_URL }: TelegramOptions) {
    this.name = name;
    this.#poster = new HttpPoster(new URL(baseUrl).origin);
    this.#token = new Secret(token);
    this.#path = new Secret(`/bot${token}/sendMessage`);
    this.#chat = Number.isSafeInteger(Number(chat)) ? Number(chat) : chat;
  }

  async send(alert: AlertMessage, sending: Sending): Promise<Sent> {
    const body = JSON.stringify({ chat_id: this.#chat, text: textOf(alert) });
    const answered = await this.#poster.post({ path: this.#path.reveal(), headers: {}, body }, sending);
    const { description, retryAfterMs } = this.#read(answered);
    return judged('problem' in answered ? answered : { ...answered, retryAfterMs }, description);
  }

  close(): Promise<void> {
    return this.#poster.close();
  }

  /** Reads Telegram's response: `{ok, error_code, description, parameters: {retry_after}}`. */
  #read(answered: Answered): { description: string; retryAfterMs: number | null } {
    if ('problem' in answered) return { description: '', retryAfterMs: null };
    const said = objectOf(answered.body);
    const seconds = objectOf(said.parameters).retry_after;
    const asked = typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : null;
    return {
      description: typeof said.description === 'string' ? this.#withoutToken(said.description) : '',
      retryAfterMs: asked ?? answered.retryAfterMs,
    };
  }

  /**
   * Returns the description on one line; empty when it contains the secret part of the token, after the
   * colon.
   */
  #withoutToken(description: string): string {
    const [, secret = ''] = this.#token.reveal().split(':');
    return description.includes(secret) ? '' : cut(cleanLine(description), DESCRIPTION_LENGTH);
  }
}

/** Returns the message, with its market time, since a message may come late. */
export function textOf({ message, market }: AlertMessage): string {
  const time = `\n${utcText(market).slice(0, 19).replace('T', ' ')} UTC`;
  return cut(cleanLine(message), TEXT_LENGTH - time.length) + time;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  let found = value;
  try {
    if (typeof value === 'string') found = JSON.parse(value);
  } catch {
    return {};
  }
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}
