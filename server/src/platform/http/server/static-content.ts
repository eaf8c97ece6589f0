import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compressors = {
  br: (content: Buffer) =>
    // 9 of 11 is a tenth of the time for some percent of the size.
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
};
type Encoding = keyof typeof compressors;

/**
 * A page or an asset that is the same for every reader: sent compressed, each form made once, when it is first asked
 * for. Browsers keep it and ask whether it is still current; with `immutable` they do not ask, so its address must
 * change with it.
 */
export class StaticContent {
  readonly #type: string;
  readonly #content: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tag: string;
  readonly #isCompressed: boolean;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(
    content: string,
    type: string,
    { immutable = false, isCompressed = true, headers = {} as Record<string, string> } = {},
  ) {
    this.#content = Buffer.from(content);
    this.#type = type;
    this.#isCompressed = isCompressed;
    this.#tag = hash('sha256', this.#content).slice(0, 16);
    const cache = immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache';
    this.#headers = { 'cache-control': cache, vary: 'accept-encoding', ...headers };
  }

  /** Changes with the content. */
  get tag(): string {
    return this.#tag;
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // One tag for all encodings: it is a weak one.
    const etag = `W/"${this.#tag}"`;
    reply.headers({ ...this.#headers, etag });
    if (request.headers['if-none-match']?.includes(this.#tag)) return reply.code(304).send();
    const encoding = this.#isCompressed
      ? (['br', 'gzip'] as const).find((one) => accepts(request.headers['accept-encoding'], one))
      : undefined;
    reply.header('content-type', this.#type);
    if (encoding === undefined) return reply.send(this.#content);
    return reply.header('content-encoding', encoding).send(await this.#as(encoding));
  }

  #as(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding) ?? compressors[encoding](this.#content);
    this.#encoded.set(encoding, known);
    return known;
  }
}

function accepts(header: string | string[] | undefined, encoding: Encoding): boolean {
  const offers = String(header ?? '').split(',');
  return offers.some((offer) => new RegExp(`^\\s*${encoding}\\s*(;(?!\\s*q=0(\\.0*)?\\s*$)|$)`).test(offer));
}
