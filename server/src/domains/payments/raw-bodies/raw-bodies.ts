import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { completeBody, deleteBody, findPart, insertBody, insertPart, keepBody, type PartKey } from './statements.ts';

/** Of each part, except the last one: 2 GiB are 8,192 parts. */
export const partBytes = 256 * 1024;

/** The associated data of a part's content. */
export const partAssociatedData = ({ tenant_id, body_id, number }: PartKey) =>
  `raw_body_part/${tenant_id}/${body_id}/${number}/content`;

export interface RawBodiesDeps {
  database: Database;
  clock: Clock;
  generateUuid: GenerateUuid;
  seal: (plain: Buffer, associatedData: string) => Buffer;
  openBytes: (sealed: Buffer, associatedData: string) => Buffer;
}

export interface ReceiveOptions {
  tenantId: number;
  maximumBytes: number;
  /** What a larger body is refused with. `bytes`: how many have been announced, or have arrived. */
  tooLarge: (bytes: number) => Refusal;
  /** The `Content-Length`, if there is one. */
  announcedBytes?: number | undefined;
  /** Sees the content as it arrives. */
  inspect?: (chunk: Buffer) => void;
}

/** A body that is stored whole. */
export interface RawBody {
  tenantId: number;
  id: string;
  bytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * Bodies of requests that are files. One is stored part by part while it arrives, sealed: a process holds two parts of
 * it, however large it is, and any node can read it afterwards. Each part is a transaction of its own. Until a record
 * keeps it, nothing else knows of it, and it is deleted after a day.
 */
export class RawBodies {
  readonly #deps: RawBodiesDeps;

  constructor(deps: RawBodiesDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a body as it arrives. The next part is read from the connection when the last one is stored.
   *
   * @throws Refusal `tooLarge` beyond `maximumBytes`, `invalid_request` if the body breaks off.
   */
  async receive(stream: Readable, options: ReceiveOptions): Promise<RawBody> {
    const { tenantId, maximumBytes, announcedBytes = 0, tooLarge } = options;
    if (announcedBytes > maximumBytes) throw tooLarge(announcedBytes);
    const { database, clock, generateUuid } = this.#deps;
    const body = { tenantId, id: generateUuid() };
    await database.run(insertBody, [tenantId, body.id, clock()]);
    try {
      const { bytes, sha256 } = await this.#store(stream, body, options);
      await database.run(completeBody, [tenantId, body.id, bytes, sha256]);
      return { ...body, bytes, sha256 };
    } catch (error) {
      await this.discard(body);
      throw error;
    }
  }

  async #store(
    stream: Readable,
    body: Pick<RawBody, 'tenantId' | 'id'>,
    { maximumBytes, tooLarge, inspect }: ReceiveOptions,
  ): Promise<Pick<RawBody, 'bytes' | 'sha256'>> {
    const digest = createHash('sha256');
    let bytes = 0;
    let number = 0;
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    for await (const chunk of chunksOf(stream)) {
      bytes += chunk.length;
      if (bytes > maximumBytes) throw tooLarge(bytes);
      digest.update(chunk);
      inspect?.(chunk);
      waiting.push(chunk);
      waitingBytes += chunk.length;
      while (waitingBytes >= partBytes) {
        const all = Buffer.concat(waiting);
        await this.#storePart(body, number++, all.subarray(0, partBytes));
        waiting = [all.subarray(partBytes)];
        waitingBytes -= partBytes;
      }
    }
    if (waitingBytes > 0) await this.#storePart(body, number, Buffer.concat(waiting));
    return { bytes, sha256: digest.digest('hex') };
  }

  async #storePart({ tenantId, id }: Pick<RawBody, 'tenantId' | 'id'>, number: number, content: Buffer): Promise<void> {
    const { database, seal } = this.#deps;
    const sealed = seal(content, partAssociatedData({ tenant_id: tenantId, body_id: id, number }));
    await database.run(insertPart, [tenantId, id, number, sealed]);
  }

  /** A record has the body from now on. */
  async keep(transaction: Queryable, { tenantId, id }: Pick<RawBody, 'tenantId' | 'id'>): Promise<void> {
    const kept = await transaction.run(keepBody, [tenantId, id]);
    if (kept.length === 0) throw new Error(`Body ${id} was never stored whole, or is deleted.`);
  }

  /** Its record no longer has it. */
  async remove(transaction: Queryable, { tenantId, id }: Pick<RawBody, 'tenantId' | 'id'>): Promise<void> {
    await transaction.run(deleteBody, [tenantId, id]);
  }

  /** Deletes a body that no record keeps. If the database is unavailable, the sweep deletes it. */
  async discard(body: Pick<RawBody, 'tenantId' | 'id'>): Promise<void> {
    await this.remove(this.#deps.database, body).catch(() => {});
  }

  /** The whole content, of a body that fits into memory. */
  async readWhole(body: Pick<RawBody, 'tenantId' | 'id'>): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.read(body)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The content, part by part. */
  async *read({ tenantId, id }: Pick<RawBody, 'tenantId' | 'id'>): AsyncGenerator<Buffer, void> {
    const { database, openBytes } = this.#deps;
    for (let number = 0; ; number++) {
      const [part] = await database.run(findPart, [tenantId, id, number]);
      if (part === undefined) return;
      yield openBytes(part.content_sealed, partAssociatedData({ tenant_id: tenantId, body_id: id, number }));
    }
  }
}

/** The stream stays open after an error: the refusal is still sent on its connection. */
async function* chunksOf(stream: Readable): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (cause) {
    throw new Refusal('invalid_request', rule('unreadable_request', { reason: 'the body broke off' }), { cause });
  }
}
