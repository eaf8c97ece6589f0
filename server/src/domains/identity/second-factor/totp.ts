import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What every authenticator app supports: HMAC-SHA-1, 6 digits, steps of 30 s (RFC 6238). */
const digits = 6;
const stepSeconds = 30;
/** RFC 4226, section 4: at least 128 bits, 160 recommended. */
const secretBytes = 20;

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, the encoding of authenticator apps. */
export function generateSecret(): string {
  return base32(randomBytes(secretBytes));
}

/** RFC 4648, section 6, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32Alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function bytesOf(text: string): Buffer {
  const bits = [...text].map((letter) => base32Alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / 1000 / stepSeconds);
}

/** The code of a step (RFC 4226, section 5.3). */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = (mac.at(-1) as number) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * The step near now that has this code, if any. Steps up to `lastStep` are left out, so that a code is accepted once.
 * `driftSteps`: how many steps early or late a code may be.
 */
export function stepOfCode(
  code: string,
  secret: string,
  nowMs: number,
  { lastStep, driftSteps }: { lastStep: number; driftSteps: number },
): number | undefined {
  const now = stepAt(nowMs);
  for (let step = now - driftSteps; step <= now + driftSteps; step++) {
    const matches = timingSafeEqual(Buffer.from(code), Buffer.from(codeAt(secret, step)));
    if (matches && step > lastStep) return step;
  }
  return undefined;
}

/** The address that authenticator apps read from a QR code (Key URI format). */
export function keyUri(secret: string, account: string, issuer: string): string {
  const label = [issuer, account].map(encodeURIComponent).join(':');
  const parameters = { secret, issuer, algorithm: 'SHA1', digits, period: stepSeconds };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `otpauth://totp/${label}?${query.join('&')}`;
}
