import { describe, expect, test } from 'vitest';
import { pingFailure } from '../../src/cli/ping.ts';
import { ApiError, NetworkError } from '../../src/client/errors.ts';

describe('a ping that fails says', () => {
  test('what the service refused, and what to do', () => {
    const error = new ApiError({ code: 'INVALID_KEY', status: 401, message: 'unknown key' });
    expect(pingFailure('http://h/api', error)).toMatch(
      /^http:\/\/h\/api refused the ping: 401 INVALID_KEY, unknown key\. Register the public key/,
    );
  });

  test('that nobody answered, and how to start a desk', () => {
    expect(pingFailure('http://h/api', new NetworkError('connection refused'))).toMatch(
      /^no answer from http:\/\/h\/api: connection refused\. Is a desk running there\? outcry serve starts one/,
    );
  });
});
