/** A wrong command line. The message is one sentence: the option, what was wrong, what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode = EXIT_USAGE;
}

export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;
