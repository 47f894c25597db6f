/** A public key of OpenSSH, a new one at each call. */
import { generateKeyPairSync } from 'node:crypto';

export function sshKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(point)]).toString('base64')} of@home\n`;
}
