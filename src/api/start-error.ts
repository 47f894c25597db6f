/** The API could not start; the message is one sentence for the person who started it. */
export class ApiStartError extends Error {
  readonly code: 'HOST' | 'TLS' | 'PORT_IN_USE' | 'LISTEN';
  readonly retryable = false;

  constructor(code: ApiStartError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ApiStartError';
    this.code = code;
  }
}
