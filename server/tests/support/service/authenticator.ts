import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The options of a browser, as the service answers them. */
interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
  excludeCredentials?: { id: string }[];
  allowCredentials?: { id: string }[];
}

interface Behaviour {
  origin?: string;
  /** Whether a PIN, a finger or a face was checked. */
  userVerified?: boolean;
  counter?: number;
  challenge?: string;
  rpId?: string;
}

/** PKCS #8 of an Ed25519 key, before its 32 bytes (RFC 8410). */
const keyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * An authenticator in software that holds one passkey (WebAuthn, sections 6 and 7), with a browser around it. Keys are
 * Ed25519, whose signatures do not differ from run to run.
 */
export class Authenticator {
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;
  readonly id: Buffer;
  #userHandle: string | undefined;
  counter = 0;

  constructor(origin = 'http://localhost:0', seed = randomBytes(32)) {
    this.#origin = origin;
    this.#key = createPrivateKey({ key: Buffer.concat([keyPrefix, seed]), format: 'der', type: 'pkcs8' });
    this.#publicKey = Buffer.from(String(this.#key.export({ format: 'jwk' }).x), 'base64url');
    this.id = createHash('sha256').update(seed).digest();
  }

  /** What `navigator.credentials.create()` answers. */
  create(options: object, behaviour: Behaviour = {}) {
    const { challenge, rp, user } = options as Options;
    this.#userHandle = user?.id;
    const coseKey = cbor(
      new Map<unknown, unknown>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, this.#publicKey],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, coseKey]);
    const authData = this.#authenticatorData(behaviour.rpId ?? String(rp?.id), behaviour, attested);
    const attestation = new Map<unknown, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge, behaviour).toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** What `navigator.credentials.get()` answers. */
  get(options: object, behaviour: Behaviour = {}) {
    const { challenge, rpId } = options as Options;
    if (behaviour.counter !== undefined) this.counter = behaviour.counter;
    const authenticatorData = this.#authenticatorData(behaviour.rpId ?? String(rpId), behaviour);
    const clientData = this.#clientData('webauthn.get', challenge, behaviour);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign(null, signed, this.#key).toString('base64url'),
      ...(this.#userHandle !== undefined && { userHandle: this.#userHandle }),
    });
  }

  #credential<Response extends object>(response: Response) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, behaviour: Behaviour): Buffer {
    const origin = behaviour.origin ?? this.#origin;
    return Buffer.from(
      JSON.stringify({ type, challenge: behaviour.challenge ?? challenge, origin, crossOrigin: false }),
    );
  }

  #authenticatorData(rpId: string, { userVerified = true }: Behaviour, attested?: Buffer): Buffer {
    const flags = 1 | (userVerified ? 4 : 0) | (attested === undefined ? 0 : 64);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const hash = createHash('sha256').update(rpId).digest();
    return Buffer.concat([hash, Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  }
}

/** RFC 8949, as much as authenticators need: integers, bytes, text and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
