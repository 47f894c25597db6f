/**
 * IP addresses: CIDR lists of keys, the client behind trusted proxies, the key under which a limiter counts
 * (borders.md 2, D42, D43, D45). Only texts that `net.isIP` accepts are addresses, never a shorter or octal
 * form. IPv4-mapped IPv6 counts as IPv4, and the two families never match each other. Pure; knows a request
 * only as a list of headers.
 */
import { isIP } from 'node:net';
import { headerText } from './header-text.ts';

/** Most entries of a key's IP list (specification, "Keys and permissions"). */
export const MAX_IP_ENTRIES = 10;
/** Most forwarded addresses read before a request is refused (borders.md 2). */
const MAX_HOPS = 16;
/** Leading bits of an IPv6 address that a limiter counts: the range that one customer usually gets. */
const BUCKET_BITS = 64n;

const BITS = { 4: 32, 6: 128 } as const;
/** The prefix of IPv4-mapped addresses, `::ffff:0:0/96`. */
const MAPPED = 0xffffn;
const MAPPED_PREFIX = 96;
const IPV4_MASK = 0xffff_ffffn;

interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

interface Cidr extends Address {
  readonly prefix: number;
}

/**
 * Where a request comes from. With `problem` the origin is unknown: refuse it with 400 and count it to
 * `address`, the proxy.
 */
export type ClientAddress =
  | { readonly address: string }
  | { readonly address: string; readonly problem: string };

/**
 * A CIDR entry in its canonical form (`10.0.0.0/8`, `2001:db8::/32`), or what is wrong with it, worded to
 * follow the entry.
 */
export function canonicalCidr(entry: string): { readonly cidr: string } | { readonly problem: string } {
  const parsed = parseCidr(entry);
  return 'problem' in parsed ? parsed : { cidr: `${format(parsed)}/${parsed.prefix}` };
}

/**
 * Returns the first problem in a list of addresses and ranges of any length, such as the trusted proxies;
 * null: none.
 */
export function cidrProblem(entries: readonly string[]): string | null {
  for (const entry of entries) {
    const parsed = parseCidr(entry);
    if ('problem' in parsed) return `${shown(entry)} ${parsed.problem}`;
  }
  return null;
}

/** What is wrong with a key's IP list (D45), for a person; null: nothing. */
export function ipListProblem(entries: readonly string[]): string | null {
  if (entries.length === 0) {
    return 'the IP list is empty, which would let nobody in; leave it out to allow any address';
  }
  if (entries.length > MAX_IP_ENTRIES) {
    return `the IP list has ${entries.length} entries; at most ${MAX_IP_ENTRIES} are allowed`;
  }
  return cidrProblem(entries);
}

/** Whether an address is on a list. An unreadable address is on none. */
export function addressAllowed(list: readonly string[], address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && contains(compiled(list), parsed);
}

/**
 * The loopback range: all its addresses are this machine, and a local user may use any of them. `::1` is a
 * single address and needs no range.
 */
const LOOPBACK = { prefix: '127.', bucket: '127.0.0.0/8' } as const;

/**
 * The key under which a limiter counts an address: IPv4 by the whole address, except that all loopback
 * addresses share one key; IPv6 by its /64; mapped addresses as IPv4.
 */
export function addressBucket(address: string): string {
  if (isIP(address) === 4) return address.startsWith(LOOPBACK.prefix) ? LOOPBACK.bucket : address;
  const parsed = parseAddress(address);
  if (parsed === null) return 'unknown';
  if (parsed.family === 4) return addressBucket(format(parsed));
  if (parsed.value === 1n) return '::1';
  const host = BigInt(BITS[6]) - BUCKET_BITS;
  return `${format({ family: 6, value: (parsed.value >> host) << host })}/${BUCKET_BITS}`;
}

/**
 * The client's address (D43). Without trusted proxies, or from a peer that is not one, it is the peer's
 * address, whatever the headers say. Otherwise X-Forwarded-For is read from the right, and the first hop that
 * is not a trusted proxy is the client. Hops further left were written by the client and are ignored.
 * `rawHeaders`: node's alternating list of names and values.
 */
export function clientAddress(
  remoteAddress: string | undefined,
  rawHeaders: readonly string[],
  trustedProxies: readonly string[],
): ClientAddress {
  const proxies = compiled(trustedProxies);
  // The usual case, without big integers: IPv4 has only one form.
  if (proxies.length === 0 && remoteAddress !== undefined && isIP(remoteAddress) === 4) {
    return { address: remoteAddress };
  }
  const peer = parseAddress(remoteAddress ?? '');
  if (peer === null) return { address: 'unknown' };
  if (proxies.length === 0 || !contains(proxies, peer)) return { address: format(peer) };
  const refused = (problem: string) => ({ address: format(peer), problem });
  let client = peer;
  let rest = forwardedFor(rawHeaders);
  for (let hop = 0; rest !== null; hop++) {
    if (hop === MAX_HOPS) return refused(`X-Forwarded-For names more than ${MAX_HOPS} proxies`);
    const comma = rest.lastIndexOf(',');
    const parsed = parseAddress(headerText(rest.slice(comma + 1)));
    if (parsed === null) {
      return refused('X-Forwarded-For must list IP addresses without ports, separated by commas');
    }
    client = parsed;
    if (!contains(proxies, client)) break;
    rest = comma < 0 ? null : rest.slice(0, comma);
  }
  return { address: format(client) };
}

/** All values of X-Forwarded-For as one list; null: there are none. */
function forwardedFor(rawHeaders: readonly string[]): string | null {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? '';
    if (rawHeaders[i]?.toLowerCase() === 'x-forwarded-for' && value.trim() !== '') values.push(value);
  }
  return values.length === 0 ? null : values.join(',');
}

function contains(list: readonly Cidr[], { family, value }: Address): boolean {
  return list.some((cidr) => {
    const host = BigInt(BITS[cidr.family] - cidr.prefix);
    return cidr.family === family && cidr.value >> host === value >> host;
  });
}

/** Parsed lists, keyed by the list itself: lists are replaced, never changed in place. */
const lists = new WeakMap<readonly string[], readonly Cidr[]>();

/** The readable entries of a list. An unreadable entry (a damaged row) matches nothing. */
function compiled(list: readonly string[]): readonly Cidr[] {
  let entries = lists.get(list);
  if (entries === undefined) {
    entries = list.map(parseCidr).filter((entry): entry is Cidr => !('problem' in entry));
    lists.set(list, entries);
  }
  return entries;
}

function parseCidr(entry: string): Cidr | { readonly problem: string } {
  const slash = entry.indexOf('/');
  const text = slash < 0 ? entry : entry.slice(0, slash);
  const address = text.includes('%') ? null : parseAddress(text);
  if (address === null) return { problem: addressProblem(text) };
  // A mapped entry is written with an IPv6 prefix length.
  const mapped = address.family === 4 && text.includes(':');
  const bits = mapped ? BITS[6] : BITS[address.family];
  const length = slash < 0 ? bits : readPrefix(entry.slice(slash + 1));
  if (length === null || length > bits) {
    return { problem: `must end in a prefix length from /0 to /${bits}, in plain digits` };
  }
  const prefix = mapped ? length - MAPPED_PREFIX : length;
  if (prefix < 0)
    return { problem: `covers more than the mapped IPv4 addresses; use /${MAPPED_PREFIX} or longer` };
  const host = BigInt(BITS[address.family] - prefix);
  const network = { family: address.family, value: (address.value >> host) << host };
  if (network.value === address.value) return { ...address, prefix };
  const whole = BITS[address.family];
  return {
    problem: `has bits set after its prefix; write ${format(network)}/${prefix} for the range or ${format(address)}/${whole} for the one address`,
  };
}

function readPrefix(text: string): number | null {
  return /^(0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

const EXAMPLES = 'write an address such as 203.0.113.7 or a range such as 10.0.0.0/8 or 2001:db8::/32';

function addressProblem(text: string): string {
  if (text.includes('%')) return 'names a network interface (the part from %); leave it out';
  if (/(^|\.)0\d/.test(text)) return 'has leading zeros, which some programs read as octal; leave them out';
  return `is no IP address; ${EXAMPLES}`;
}

/**
 * Parses an address; null: it is none. A zone (`fe80::1%eth0`, the kernel's form of a link-local peer) is
 * dropped.
 */
function parseAddress(text: string): Address | null {
  const family = isIP(text);
  if (family === 4) return { family, value: ipv4Value(text) };
  if (family !== 6) return null;
  const value = ipv6Value(text.split('%', 1)[0] as string);
  return value >> 32n === MAPPED ? { family: 4, value: value & IPV4_MASK } : { family, value };
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** The value of a text that `isIP` has accepted. */
function ipv6Value(text: string): bigint {
  const dotted = text.includes('.') ? text.slice(text.lastIndexOf(':') + 1) : undefined;
  const hex = dotted === undefined ? text : text.slice(0, -dotted.length) + asGroups(ipv4Value(dotted));
  const [head = '', tail] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function asGroups(ipv4: bigint): string {
  return `${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`;
}

/** Writes a dotted quad, or IPv6 by RFC 5952: lower case, the longest run of zero groups as `::`. */
function format({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  let from = 0;
  let length = 0;
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > length) {
      from = start;
      length = end - start;
    }
    start = end;
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, from).join(':')}::${groups.slice(from + length).join(':')}`;
}

/** The entry for a message to a person: printable, bounded. */
function shown(entry: string): string {
  const cut = entry.length > 50 ? `${entry.slice(0, 50)}...` : entry;
  return `"${cut.replace(/[^\x20-\x7e]/g, '?')}"`;
}
