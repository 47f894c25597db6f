/**
 * The credentials of a connection while it is open. Filled with zeros when it is closed; never shown, never
 * in a message.
 */
import type { CredentialForm, Secrets } from '../../venues/venue-kind.ts';

type Field = CredentialForm['name'];

const SHOWN_INSTEAD = '(hidden)';
/** Shortest text that is hidden, bytes: shorter ones would hide ordinary words. */
const HIDDEN_FROM = 6;

export class OpenSecrets implements Secrets {
  readonly #fields: ReadonlyMap<string, Buffer>;
  #gone = false;

  /** Keeps the buffers themselves, not copies. */
  constructor(fields: ReadonlyMap<string, Buffer>) {
    this.#fields = fields;
  }

  get(field: Field): Buffer {
    const secret = this.#gone ? undefined : this.#fields.get(field);
    if (!secret) throw new Error(this.#gone ? 'the vault is locked' : `the connection has no ${field}`);
    return secret;
  }

  /** Returns every field, as copies that the caller fills with zeros. */
  copies(): [field: string, secret: Buffer][] {
    return [...this.#fields].map(([field, secret]) => [field, Buffer.from(secret)]);
  }

  wipe(): void {
    this.#gone = true;
    for (const secret of this.#fields.values()) secret.fill(0);
  }

  /** Returns a text without credentials that an exchange or its adapter may have repeated in it. */
  hiddenIn(text: string): string {
    const whole = Buffer.from(text);
    let hidden: Buffer = whole;
    for (const secret of this.#fields.values())
      if (secret.length >= HIDDEN_FROM) hidden = without(hidden, secret);
    return hidden === whole ? text : hidden.toString();
  }
}

/**
 * Returns the bytes without a secret, or the same ones if it is not in them. The secret never becomes a
 * string: nobody could fill that with zeros.
 */
function without(bytes: Buffer, secret: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, from)) {
    parts.push(bytes.subarray(from, at), Buffer.from(SHOWN_INSTEAD));
    from = at + secret.length;
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

/** Stands for the credentials of a connection that is not open: it has none. */
export const NO_SECRETS: Secrets = {
  get() {
    throw new Error('the vault is locked');
  },
};

/** Form of a credential as it is pasted: no control characters except the line ends of a key file. */
const FORM = /^[\x20-\x7e\n\r]+$/;

/**
 * Returns the given credentials of a kind as bytes; or what is wrong with them, without quoting any. `made`:
 * a made secret, whose buffer is kept.
 */
export function readCredentials(
  forms: readonly CredentialForm[],
  given: Readonly<Record<string, string>>,
  made: Buffer | null = null,
): { readonly secrets: OpenSecrets } | { readonly problem: string } {
  const fields = new Map<string, Buffer>();
  for (const { name, label } of forms) {
    if (name === 'secret' && made) {
      fields.set(name, made);
      continue;
    }
    const text = given[name]?.trim() ?? '';
    if (text === '') return { problem: `${label} is missing` };
    if (!FORM.test(text)) return { problem: `${label} has characters that no key has` };
    fields.set(name, Buffer.from(text, 'utf8'));
  }
  const alien = Object.keys(given).find((name) => !fields.has(name) || (name === 'secret' && made !== null));
  if (alien !== undefined) {
    for (const secret of fields.values()) secret.fill(0);
    return { problem: `it takes ${forms.map(({ label }) => label).join(', ')}, and nothing else` };
  }
  return { secrets: new OpenSecrets(fields) };
}
