/** `outcry ping`: signs one GET /v2/ping with a key and reports the response and its time. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/client.ts';
import { ApiError, NetworkError } from '../client/errors.ts';
import { systemClock } from '../desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../desk/hosting/transports/unix-socket.ts';
import { DEFAULT_API_URL } from '../desk/options.ts';
import { errorText } from '../domain/errors.ts';
import type { Pong } from '../schemas/portfolio.ts';
import { resolveDataFolder } from '../store/data-folder.ts';
import { shownInLine } from './shown.ts';
import { EXIT_FAILURE, EXIT_OK, UsageError } from './usage-error.ts';

export interface PingSettings {
  readonly key: string;
  readonly url?: string;
  /** PEM file of the certificate to trust. */
  readonly ca?: string;
  readonly dataDir?: string;
}

/** What to do about refusals that first requests often meet. */
const HINTS: Readonly<Record<string, string>> = {
  INVALID_KEY: 'Register the public key in the console (screen Keys), or check that it was not revoked.',
  INVALID_SIGNATURE: 'The key is known, but this private key does not belong to it.',
  TIMESTAMP_EXPIRED: "This machine's clock and the service's are too far apart: set the clock.",
  TIMESTAMP_INVALID: "This machine's clock and the service's are too far apart: set the clock.",
  IP_NOT_WHITELISTED: "The key's IP list does not hold the address this request came from.",
  RATE_LIMITED: 'Too many requests: wait a minute.',
  NOT_FOUND: 'Is the URL the root of the API, ending in /api?',
};

/** Longest message of a response, in characters. */
export const PONG_LENGTH = 40;
/** The last moment that has a date, Unix ms. */
const LAST_DATE_MS = 8_640_000_000_000_000;

const UNTRUSTED = 'Its certificate is not one this machine trusts: --ca FILE names the one to trust.';
/** What to do about certificates, by error code. */
const TLS_HINTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'Its certificate has expired: renew it.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Its certificate is for another name: --url names the service as the certificate does.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'It speaks plain HTTP: give an http address.',
};

export async function ping(settings: PingSettings): Promise<number> {
  const privateKeyPem = readPem('--key', settings.key, 'the PEM file of a private key');
  const ca = settings.ca === undefined ? undefined : readCertificate(settings.ca);
  const url = settings.url ?? (await runningDeskUrl(settings.dataDir)) ?? DEFAULT_API_URL;
  const client = openClient(url, privateKeyPem, settings.key, ca);
  try {
    const startedAt = performance.now();
    const pong = checkedPong(await client.ping());
    const tookMs = performance.now() - startedAt;
    process.stdout.write(
      `${pong.message} from ${url} in ${tookMs.toFixed(1)} ms: key ${client.keyId} is accepted, the service's time is ${new Date(pong.timestamp).toISOString()}\n`,
    );
    return EXIT_OK;
  } catch (error) {
    process.stderr.write(`outcry: ${shownInLine(pingFailure(url, error))}\n`);
    return EXIT_FAILURE;
  } finally {
    await client.close();
  }
}

/** Checks the response before any of it is shown: the service at that address may not be a desk. */
export function checkedPong(pong: unknown): Pong {
  const { message, timestamp } = (typeof pong === 'object' && pong !== null ? pong : {}) as Partial<Pong>;
  const isRight =
    typeof message === 'string' &&
    /^[\x20-\x7e]+$/.test(message.slice(0, PONG_LENGTH + 1)) &&
    message.length <= PONG_LENGTH &&
    Number.isSafeInteger(timestamp) &&
    Math.abs(timestamp as number) <= LAST_DATE_MS;
  if (!isRight) throw new NetworkError("the answer is not one of the service's");
  return { message, timestamp } as Pong;
}

function readPem(flag: string, file: string, right: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`option ${flag}: ${file} cannot be read (${code}); it takes ${right}`);
  }
}

function readCertificate(file: string): string {
  const right = 'the PEM file of a certificate';
  const pem = readPem('--ca', file, right);
  try {
    return new X509Certificate(pem) && pem;
  } catch {
    throw new UsageError(`option --ca: ${file} holds no certificate; it takes ${right}`);
  }
}

function openClient(baseUrl: string, privateKeyPem: string, file: string, ca?: string): Client {
  try {
    // One attempt: a ping shows the state of this moment.
    return createClient({ baseUrl, key: { privateKeyPem }, ca, retry: { attempts: 1 } });
  } catch {
    throw new UsageError(
      `option --key: ${file} holds no Ed25519 private key; it takes one in PEM form (PKCS#8)`,
    );
  }
}

async function runningDeskUrl(dataDir: string | undefined): Promise<string | null> {
  const desk = await connectUnixSocket(resolveDataFolder({ dataDir }), systemClock).catch(() => null);
  if (!desk) return null;
  return new Promise((resolve) => {
    desk.onClosed(() => resolve(null));
    desk.onState((message) => {
      resolve('snapshot' in message ? message.snapshot.desk.apiUrl : null);
      desk.close();
    });
  });
}

function causeCode({ cause }: NetworkError): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** One or two sentences: what happened, and what to do. */
export function pingFailure(url: string, error: unknown): string {
  if (error instanceof ApiError) {
    const hint = HINTS[error.code];
    return `${url} refused the ping: ${error.status} ${error.code}, ${error.message}${hint ? `. ${hint}` : ''}`;
  }
  const hint = error instanceof NetworkError ? TLS_HINTS[causeCode(error)] : undefined;
  if (error instanceof NetworkError && hint !== undefined)
    return `no answer from ${url}: ${error.message}. ${hint}`;
  if (error instanceof NetworkError)
    return `no answer from ${url}: ${error.message}. Is a desk running there? outcry serve starts one; --url names another.`;
  return `the ping failed: ${errorText(error)}`;
}
