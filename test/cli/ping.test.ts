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

  test.each([
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      /self-signed\. Its certificate is not one this machine trusts: --ca FILE names/,
    ],
    ['CERT_HAS_EXPIRED', /Its certificate has expired: renew it\.$/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /Its certificate is for another name: --url names the service/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /It speaks plain HTTP: give an http address\.$/],
  ])('what to do about a certificate: %s', (code, sentence) => {
    const cause = Object.assign(new Error('self-signed'), { code });
    expect(pingFailure('https://h/api', new NetworkError('self-signed', { cause }))).toMatch(sentence);
  });

  test('that nobody answered, and how to start a desk', () => {
    expect(pingFailure('http://h/api', new NetworkError('connection refused'))).toMatch(
      /^no answer from http:\/\/h\/api: connection refused\. Is a desk running there\? outcry serve starts one/,
    );
  });
});
