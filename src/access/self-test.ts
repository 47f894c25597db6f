/**
 * Checks at start that this runtime's Ed25519 refuses what it must (borders.md 1: Node before 24.19 accepts
 * small-order keys). The vectors are built here from RFC 8032 and the definitions in "Taming the many EdDSAs"
 * (eprint 2020/1244). The desk must not start with a problem. Takes a few milliseconds.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { fromLittleEndian, L, smallOrderEncodings, toLittleEndian } from './edwards.ts';
import { SPKI_PREFIX } from './key-form.ts';
import { verifyOnce } from './verifier.ts';

export type RawVerify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

interface Vector {
  readonly what: string;
  readonly accept: boolean;
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** Null when every vector has the required outcome, else one sentence that names the first that does not. */
export function selfTest(verify: RawVerify = verifyOnce): string | null {
  for (const vector of vectors()) {
    if (verify(vector.key, vector.message, vector.signature) === vector.accept) continue;
    const did = vector.accept ? 'refuses' : 'accepts';
    return `Ed25519 of this runtime (Node ${process.versions.node}, OpenSSL ${process.versions.openssl}) ${did} ${vector.what}; Node 24.19 or newer is needed`;
  }
  return null;
}

function* vectors(): Generator<Vector> {
  const message = Buffer.from('outcry self-test');
  const signer = keyPair(1);
  const honest = sign(null, message, signer.privateKey);
  yield { what: 'a right signature', accept: true, key: signer.key, message, signature: honest };
  yield {
    what: 'a right signature',
    accept: true,
    key: signer.key,
    message,
    signature: assemble(signer, message),
  };
  yield {
    what: 'a signature of another message',
    accept: false,
    key: signer.key,
    message: Buffer.from('?'),
    signature: honest,
  };

  const S = fromLittleEndian(honest.subarray(32));
  for (const times of [1n, 8n]) {
    const signature = Buffer.concat([honest.subarray(0, 32), toLittleEndian(S + times * L)]);
    yield {
      what: `a signature whose S was raised by ${times} x L`,
      accept: false,
      key: signer.key,
      message,
      signature,
    };
  }

  const small = smallOrderEncodings();
  const identity = toLittleEndian(1n);
  for (const key of small) {
    // 0 B = identity + k A holds for every key of small order once 8 divides k: a forgery without any private
    // key.
    const forged = findMessage((text) => hashScalar(identity, key, text) % 8n === 0n);
    const signature = Buffer.concat([identity, toLittleEndian(0n)]);
    yield {
      what: `a forgery under the small-order key ${key.toString('hex')}`,
      accept: false,
      key,
      message: forged,
      signature,
    };
  }
  for (const R of small) {
    // S = k a satisfies S B = R + k A where R is the identity, and 8 S B = 8 R + 8 k A for all of them.
    const S = (hashScalar(R, signer.key, message) * signer.scalar) % L;
    const signature = Buffer.concat([R, toLittleEndian(S)]);
    yield {
      what: `a signature whose R is the small-order point ${R.toString('hex')}`,
      accept: false,
      key: signer.key,
      message,
      signature,
    };
  }

  // A key with a component of order 8: valid only if both sides are multiplied by 8, so verifiers would
  // disagree.
  const orderEight = Point.fromBytes(small[6] as Buffer);
  const mixed = Point.fromBytes(signer.key).add(orderEight).toBytes();
  const nonce = keyPair(2);
  const text = findMessage((candidate) => hashScalar(nonce.key, mixed, candidate) % 8n !== 0n);
  const cofactored = Buffer.concat([
    nonce.key,
    toLittleEndian((nonce.scalar + hashScalar(nonce.key, mixed, text) * signer.scalar) % L),
  ]);
  yield {
    what: 'a signature that is right only up to the cofactor',
    accept: false,
    key: mixed,
    message: text,
    signature: cofactored,
  };
}

interface Pair {
  readonly privateKey: ReturnType<typeof createPrivateKey>;
  readonly key: Buffer;
  /** The secret scalar mod L. */
  readonly scalar: bigint;
}

/** A fixed key pair whose seed is 32 times `byte`. A test key: its secret is public. */
function keyPair(byte: number): Pair {
  const seed = Buffer.alloc(32, byte);
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const key = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(SPKI_PREFIX.length);
  const head = createHash('sha512').update(seed).digest().subarray(0, 32);
  // RFC 8032, 5.1.5: clear the lowest three bits and the highest, set the second highest.
  head[0] = (head[0] as number) & 248;
  head[31] = ((head[31] as number) & 127) | 64;
  return { privateKey, key, scalar: fromLittleEndian(head) % L };
}

/** A signature built by hand: proves that the arithmetic of the vectors below is right. */
function assemble(signer: Pair, message: Uint8Array): Buffer {
  const nonce = keyPair(2);
  const S = (nonce.scalar + hashScalar(nonce.key, signer.key, message) * signer.scalar) % L;
  return Buffer.concat([nonce.key, toLittleEndian(S)]);
}

/** k = SHA-512(R, A, M) mod L. */
function hashScalar(R: Uint8Array, A: Uint8Array, message: Uint8Array): bigint {
  return fromLittleEndian(createHash('sha512').update(R).update(A).update(message).digest()) % L;
}

function findMessage(fits: (message: Buffer) => boolean): Buffer {
  for (let i = 0; ; i++) {
    const message = Buffer.from(`message ${i}`);
    if (fits(message)) return message;
  }
}
