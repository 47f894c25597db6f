import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressAllowed,
  addressBucket,
  canonicalCidr,
  cidrProblem,
  clientAddress,
  ipListProblem,
} from '../../src/access/address.ts';
import { attackClass } from '../support/attacks.ts';

const ADDRESSES = attackClass('addresses: /64, mapped, forwarded, spellings of CIDR');

interface CidrCases {
  readonly entries_accept: readonly { readonly in: string; readonly canonical: string }[];
  readonly entries_reject: readonly string[];
  readonly matches: readonly { readonly cidr: string; readonly ip: string; readonly match: boolean }[];
  readonly client_ip: readonly {
    readonly peer: string;
    readonly xff: string | null;
    readonly trusted: readonly string[];
    readonly ip: string | null;
  }[];
}

const file = new URL('../fixtures/security/cidr_cases.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as CidrCases;

const forwarded = (...values: string[]): string[] => values.flatMap((value) => ['X-Forwarded-For', value]);

// proves: rule ip-list, D45
describe('an entry of an IP list', () => {
  it('has all the cases', () => {
    const { entries_accept, entries_reject, matches, client_ip } = cases;
    expect([entries_accept, entries_reject, matches, client_ip].map((list) => list.length)).toEqual([
      12, 42, 22, 12,
    ]);
  });

  it.each(cases.entries_accept)('$in is taken as $canonical', ({ in: entry, canonical }) => {
    expect(canonicalCidr(entry)).toEqual({ cidr: canonical });
    expect(ipListProblem([entry])).toBeNull();
    expect(canonicalCidr(canonical)).toEqual({ cidr: canonical });
  });

  it.each(cases.entries_reject.map((entry) => [JSON.stringify(entry), entry]))(
    '%s is refused',
    ADDRESSES.counts((_shown, entry) => {
      expect(canonicalCidr(entry)).toHaveProperty('problem');
      expect(ipListProblem([entry])).toMatch(/^"[\x20-\x7e]*" \w/);
      expect(addressAllowed([entry], '10.1.2.3')).toBe(false);
    }),
  );

  it.each([
    [
      '10.0.0.1/8',
      'has bits set after its prefix; write 10.0.0.0/8 for the range or 10.0.0.1/32 for the one address',
    ],
    [
      '2001:db8::1/32',
      'has bits set after its prefix; write 2001:db8::/32 for the range or 2001:db8::1/128 for the one address',
    ],
    ['10.0.0.0/33', 'must end in a prefix length from /0 to /32, in plain digits'],
    ['10.0.0.0/08', 'must end in a prefix length from /0 to /32, in plain digits'],
    ['::1/129', 'must end in a prefix length from /0 to /128, in plain digits'],
    ['::ffff:10.0.0.0/95', 'covers more than the mapped IPv4 addresses; use /96 or longer'],
    ['010.0.0.0/8', 'has leading zeros, which some programs read as octal; leave them out'],
    ['fe80::1%eth0', 'names a network interface (the part from %); leave it out'],
    [
      'localhost',
      'is no IP address; write an address such as 203.0.113.7 or a range such as 10.0.0.0/8 or 2001:db8::/32',
    ],
  ])('%s %s', (entry, problem) => {
    expect(cidrProblem(['::1', entry])).toBe(`"${entry}" ${problem}`);
  });

  it('is shown to whoever typed it without what a terminal would act on, and cut', () => {
    expect(ipListProblem(['\u001b]0;x\u0007'])).toMatch(/^"\?\]0;x\?" is no IP address/);
    expect(ipListProblem(['9'.repeat(500)])).toMatch(/^"9{50}\.\.\." is no IP address/);
  });
});

// proves: limit ip-list-entries, rule ip-list, D45
describe('an IP list', () => {
  it('has one to ten entries', () => {
    const ten = Array.from({ length: 10 }, (_, i) => `10.0.0.${i}`);
    expect(ipListProblem(ten)).toBeNull();
    expect(ipListProblem([...ten, '::1'])).toBe('the IP list has 11 entries; at most 10 are allowed');
    expect(ipListProblem([])).toMatch(/^the IP list is empty/);
  });

  it.each(cases.matches)('$cidr has $ip: $match', ({ cidr, ip, match }) => {
    expect(addressAllowed([cidr], ip)).toBe(match);
    expect(addressAllowed(['192.0.2.1', cidr], ip)).toBe(match);
  });

  it('lets nobody in whose address cannot be read, nor by an entry that cannot', () => {
    expect(addressAllowed(['0.0.0.0/0', '::/0'], 'unknown')).toBe(false);
    expect(addressAllowed(['everywhere'], '10.0.0.1')).toBe(false);
    expect(addressAllowed([], '10.0.0.1')).toBe(false);
  });

  it('matches exactly the addresses that share the prefix', () => {
    const bits = fc.integer({ min: 0, max: 32 });
    const word = fc.integer({ min: 0, max: 0xffff_ffff });
    const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
    const network = (value: number, prefix: number) =>
      (prefix === 0 ? 0 : (value >>> (32 - prefix)) << (32 - prefix)) >>> 0;
    fc.assert(
      fc.property(word, word, bits, (base, other, prefix) => {
        const cidr = `${dotted(network(base, prefix))}/${prefix}`;
        const inside = network(base, prefix) === network(other, prefix);
        for (const spelling of [
          dotted(other),
          `::ffff:${dotted(other)}`,
          `0:0:0:0:0:FFFF:${dotted(other)}`,
        ]) {
          expect(addressAllowed([cidr], spelling)).toBe(inside);
        }
        expect(canonicalCidr(cidr)).toEqual({ cidr });
      }),
    );
  });

  it('knows every spelling of an IPv6 address', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        fc.pre(groups.slice(0, 6).join() !== '0,0,0,0,0,65535');
        const long = groups.map((value) => value.toString(16).padStart(4, '0').toUpperCase()).join(':');
        const made = canonicalCidr(long);
        const short = 'cidr' in made ? made.cidr.slice(0, -'/128'.length) : '';
        // The URL standard writes IPv6 hosts as RFC 5952 has it.
        expect(`[${short}]`).toBe(new URL(`http://[${long}]/`).hostname);
        expect(addressAllowed([short], long)).toBe(true);
      }),
    );
  });
});

// proves: D43
describe('the address of a client', () => {
  it.each(cases.client_ip)(
    '$peer with $xff behind $trusted is $ip',
    ADDRESSES.counts(({ peer, xff, trusted, ip }) => {
      const headers = xff === null ? [] : forwarded(xff);
      const address = clientAddress(peer, headers, trusted);
      if (ip === null)
        expect(address).toEqual({ address: peer, problem: expect.stringMatching(/^X-Forwarded-For /) });
      else expect(address).toEqual({ address: ip });
    }),
  );

  it('is the peer where no proxy is trusted, or the peer is none, whatever it claims', () => {
    const claims = forwarded('198.51.100.7');
    expect(clientAddress('203.0.113.9', claims, ['10.0.0.0/8'])).toEqual({ address: '203.0.113.9' });
    expect(
      clientAddress('2001:DB8::9', [...claims, 'Forwarded', 'for=1.1.1.1', 'X-Real-IP', '1.1.1.1'], []),
    ).toEqual({
      address: '2001:db8::9',
    });
  });

  it('is read from all the headers of that name together, blanks around it or not', () => {
    const trusted = ['10.0.0.0/8', '::1'];
    const headers = [
      'x-forwarded-FOR',
      ' 1.1.1.1 ,198.51.100.7',
      'Host',
      'a',
      ...forwarded('\t10.0.0.3 ', ''),
    ];
    expect(clientAddress('::1', headers, trusted)).toEqual({ address: '198.51.100.7' });
    // The client's own entries come first; proxies append theirs.
    expect(clientAddress('::1', forwarded('1.1.1.1', '198.51.100.7', '10.0.0.3'), trusted)).toEqual({
      address: '198.51.100.7',
    });
    expect(clientAddress('::ffff:10.0.0.2', forwarded('2001:db8::7'), trusted)).toEqual({
      address: '2001:db8::7',
    });
  });

  it(
    'does not depend on what the client itself wrote further left',
    ADDRESSES.counts(() => {
      const trusted = ['10.0.0.0/8'];
      for (const left of ['nonsense', '', ',,,', '10.0.0.9', Array(40).fill('1.1.1.1').join(',')]) {
        const headers = forwarded(`${left}, 198.51.100.7, 10.0.0.3`);
        expect(clientAddress('10.0.0.2', headers, trusted)).toEqual({ address: '198.51.100.7' });
      }
    }, 5),
  );

  it.each(['10.0.0.9,', ',', '10.0.0.9,,10.0.0.9', '[2001:db8::7]', '"1.1.1.1"', '198.51.100.7 10.0.0.9'])(
    'is refused when the hop to read is %j',
    ADDRESSES.counts((value) => {
      expect(clientAddress('10.0.0.2', forwarded(value), ['10.0.0.0/8'])).toEqual({
        address: '10.0.0.2',
        problem: 'X-Forwarded-For must list IP addresses without ports, separated by commas',
      });
    }),
  );

  it(
    'is looked for among sixteen hops and no more',
    ADDRESSES.counts(() => {
      const hops = (count: number) =>
        forwarded(['198.51.100.7', ...Array(count - 1).fill('10.0.0.9')].join(', '));
      expect(clientAddress('10.0.0.2', hops(16), ['10.0.0.0/8'])).toEqual({ address: '198.51.100.7' });
      expect(clientAddress('10.0.0.2', hops(17), ['10.0.0.0/8'])).toEqual({
        address: '10.0.0.2',
        problem: 'X-Forwarded-For names more than 16 proxies',
      });
    }),
  );

  it('is unknown when the connection is gone', () => {
    expect(clientAddress(undefined, forwarded('1.1.1.1'), ['0.0.0.0/0'])).toEqual({ address: 'unknown' });
  });
});

// proves: rule address-limit, D42
describe('the bucket of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::1'],
    ['::2', '::/64'],
    ['127.0.0.1', '127.0.0.0/8'],
    ['127.50.3.255', '127.0.0.0/8'],
    ['::ffff:127.9.9.9', '127.0.0.0/8'],
    ['128.0.0.1', '128.0.0.1'],
    ['unknown', 'unknown'],
  ])(
    'of %s is %s',
    ADDRESSES.counts((address, bucket) => {
      expect(addressBucket(address)).toBe(bucket);
    }),
  );
});
