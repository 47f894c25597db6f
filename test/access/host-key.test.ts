/** The host key's file, checked against one that OpenSSH 9.2 wrote. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostKeyFile, knownHostsLine, readHostKey } from '../../src/access/host-key.ts';

/** Written by `ssh-keygen -t ed25519 -N '' -C ''`. */
const WRITTEN = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACCkouWC46Uz6n0Xnust9MNiW65jKVE8U2RZPsOcUhlTtQAAAIgV0j46FdI+
OgAAAAtzc2gtZWQyNTUxOQAAACCkouWC46Uz6n0Xnust9MNiW65jKVE8U2RZPsOcUhlTtQ
AAAEDNUPb9KDMqjkaQhQPTa/U6YhUzOTRML6YPaAbIC+pGlKSi5YLjpTPqfRee6y30w2Jb
rmMpUTxTZFk+w5xSGVO1AAAAAAECAwQF
-----END OPENSSH PRIVATE KEY-----
`;
const SEED = 'cd50f6fd28332a8e46908503d36bf53a62153339344c2fa60f6806c80bea4694';
const CHECK = '15d23e3a';
const LINE = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKSi5YLjpTPqfRee6y30w2JbrmMpUTxTZFk+w5xSGVO1';

/** The same with `-N secret`. */
const LOCKED = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDrk2kN3U
6zW7M/94WAMj+pAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAICwJ2P4Ze7ePKBA0
MIqN3OmQFuXJeQmFBF0pCUKrJhyKAAAAkGvFB14WgtoGypI7FNqHdM671zbrh2SuVd798i
+ilsQy3nlbvoP09sIMIrOV4DnZKsH+i0QStSaizaFdCaOP5TO6wtx7VymqS+hja3Z5yYGa
qJbpzNhs7uDF1ydniOFiVTpylPyLh0E3WzZDiFzeTwNV9eFvCm12HIOjicAKmm6aBgBJ4c
U3OV+t9D07abweqg==
-----END OPENSSH PRIVATE KEY-----
`;

it('is written as ssh-keygen writes it, byte for byte, and what it was made of is forgotten', () => {
  const random = Buffer.from(SEED + CHECK, 'hex');
  expect(hostKeyFile(random)).toBe(WRITTEN);
  expect(random.equals(Buffer.alloc(36))).toBe(true);
});

it('is read to what ssh-keygen says of it', () => {
  expect(readHostKey(WRITTEN)).toEqual({
    line: LINE,
    fingerprint: 'SHA256:NLapi7af8s56Rvq5oIVSeJXT+Fuyl8L757YCjUbe0uY',
  });
});

it('is refused with a passphrase, cut short, or with another half', () => {
  const problem = { problem: 'is no whole Ed25519 key without a passphrase' };
  expect(readHostKey(LOCKED)).toEqual(problem);
  const lines = WRITTEN.split('\n');
  for (let drop = 1; drop < 6; drop++)
    expect(readHostKey(lines.toSpliced(drop, 1).join('\n'))).toEqual(problem);
  expect(readHostKey('')).toEqual({ problem: 'is no private key of OpenSSH' });
});

it('is refused when any bit of it has turned, or gives the same key', () => {
  const bytes = Buffer.from(WRITTEN.split('\n').slice(1, -2).join(''), 'base64');
  fc.assert(
    fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
      const turned = Buffer.from(bytes);
      turned[bit >> 3] = (turned[bit >> 3] as number) ^ (1 << (bit & 7));
      const read = readHostKey(
        `-----BEGIN OPENSSH PRIVATE KEY-----\n${turned.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----`,
      );
      if ('line' in read) expect(read.line).toBe(LINE);
    }),
  );
});

it('stands in known_hosts with its port where that is not 22', () => {
  const key = { line: LINE, fingerprint: '' };
  expect(knownHostsLine('desk.example.org', 2222, key)).toBe(`[desk.example.org]:2222 ${LINE}`);
  expect(knownHostsLine('desk.example.org', 22, key)).toBe(`desk.example.org ${LINE}`);
});
