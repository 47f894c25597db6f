/** Credentials while a connection is open: what is taken as one, what hides them, what is left of them. */
import { describe, expect, it } from 'vitest';
import { OpenSecrets, readCredentials } from '../../../src/desk/connections/open-secrets.ts';
import type { CredentialForm } from '../../../src/venues/venue-kind.ts';

const FORMS: readonly CredentialForm[] = [
  { name: 'apiKey', label: 'API key', help: '' },
  { name: 'secret', label: 'secret', help: '' },
  { name: 'passphrase', label: 'passphrase', help: '' },
];
const GIVEN = { apiKey: 'key-1', secret: 'secret-2', passphrase: 'pass 3' };

function read(
  given: Readonly<Record<string, string>>,
  made: Buffer | null = null,
): Record<string, string> | string {
  const found = readCredentials(FORMS, given, made);
  if ('problem' in found) return found.problem;
  return Object.fromEntries(found.secrets.copies().map(([field, secret]) => [field, String(secret)]));
}

describe('credentials', () => {
  it('are taken field by field, without the blanks around them, a key file with its line ends', () => {
    expect(read(GIVEN)).toEqual(GIVEN);
    expect(read({ ...GIVEN, apiKey: '  key-1\n', secret: '-----A\r\nb c\n-----\n' })).toEqual({
      ...GIVEN,
      secret: '-----A\r\nb c\n-----',
    });
  });

  it.each<[Partial<typeof GIVEN>, string]>([
    [{ apiKey: '' }, 'API key is missing'],
    [{ passphrase: ' \n ' }, 'passphrase is missing'],
    [{ secret: undefined as never }, 'secret is missing'],
    [{ apiKey: 'key\u00e9' }, 'API key has characters that no key has'],
    [{ secret: 'a\tb' }, 'secret has characters that no key has'],
    [{ secret: 'a\u0000b' }, 'secret has characters that no key has'],
    [{ secret: 'a\u007fb' }, 'secret has characters that no key has'],
    [{ pin: '1' } as never, 'it takes API key, secret, passphrase, and nothing else'],
  ])('with %j are refused', (change, problem) => {
    expect(read({ ...GIVEN, ...change })).toBe(problem);
  });

  it('of which the secret was made here take the others from the request, and no second secret', () => {
    const { secret: _, ...others } = GIVEN;
    expect(read(others, Buffer.from('made'))).toEqual({ ...others, secret: 'made' });
    const made = Buffer.from('made');
    expect(read(GIVEN, made)).toBe('it takes API key, secret, passphrase, and nothing else');
    expect([...made]).toEqual([0, 0, 0, 0]);
    expect(read({ secret: '' }, Buffer.from('made'))).toBe('API key is missing');
  });
});

describe('open secrets', () => {
  const opened = (fields: Readonly<Record<string, string>>) =>
    new OpenSecrets(
      new Map(Object.entries(fields).map(([name, text]) => [name as 'apiKey', Buffer.from(text)])),
    );

  it('are the buffers that are asked for until they are wiped; a copy is the caller’s', () => {
    const secrets = opened({ apiKey: 'key-123', secret: 'secret-456' });
    const [key, secret] = [secrets.get('apiKey'), secrets.get('secret')];
    expect([String(key), String(secret)]).toEqual(['key-123', 'secret-456']);
    expect(() => secrets.get('passphrase')).toThrow('the connection has no passphrase');
    for (const [, copy] of secrets.copies()) copy.fill(0);
    expect(String(secrets.get('secret'))).toBe('secret-456');
    secrets.wipe();
    expect([...key, ...secret].every((byte) => byte === 0)).toBe(true);
    expect(() => secrets.get('apiKey')).toThrow('the vault is locked');
  });

  it('are hidden in every place of a text, each of them, and short ones are not', () => {
    const secrets = opened({ apiKey: 'key-12', secret: 'secret-456', passphrase: 'short' });
    expect(secrets.hiddenIn('key-12 and secret-456, then key-12key-12 – short')).toBe(
      '(hidden) and (hidden), then (hidden)(hidden) – short',
    );
    expect(secrets.hiddenIn('secret-45 and key-1 are none')).toBe('secret-45 and key-1 are none');
    expect(secrets.hiddenIn('')).toBe('');
    secrets.wipe();
    expect(secrets.hiddenIn('key-12')).toBe('key-12');
  });
});
