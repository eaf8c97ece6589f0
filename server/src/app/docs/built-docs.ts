import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundedCache } from '../../platform/caching/bounded-cache.ts';
import { StaticContent } from '../../platform/http/server/static-content.ts';
import { basePathMark, findFile, readIfThere } from '../http/built-files.ts';

/** Files with the base path put in, of 20 to 700 KB each. */
const maximumTexts = 60;

/**
 * The pages that `tools/packaging/build-docs.mjs` has built. They may be replaced while the service runs: by the
 * starting script, which builds them beside it.
 */
export class BuiltDocs {
  readonly #folder: string;
  readonly #basePath: string;
  readonly #texts = boundedCache<string, StaticContent>(maximumTexts);
  #builtFrom: string | undefined;

  constructor(folder: string, basePath: string) {
    this.#folder = folder;
    this.#basePath = basePath;
  }

  async isBuilt(): Promise<boolean> {
    const builtFrom = (await readIfThere(join(this.#folder, '.built-from')))?.toString();
    if (builtFrom !== this.#builtFrom) this.#texts.clear();
    this.#builtFrom = builtFrom;
    return builtFrom !== undefined;
  }

  /** Answers with the page or asset of this path below /docs; false if there is none. */
  async send(path: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const name = fileOf(path);
    const known = this.#texts.get(name);
    if (known !== undefined) {
      await known.send(request, reply);
      return true;
    }
    const file = await findFile(this.#folder, name, request.headers['accept-encoding']);
    if (file === undefined) return false;
    const { type, encoding, content } = file;
    const isText = encoding === undefined && /^text\//.test(type);
    if (isText && (name.endsWith('.html') || content.includes(basePathMark))) {
      const text = this.#textOf(name, type, content);
      this.#texts.set(name, text);
      await text.send(request, reply);
      return true;
    }
    reply.headers({ 'content-type': type, 'cache-control': cacheOf(name), vary: 'accept-encoding' });
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    reply.send(content);
    return true;
  }

  #textOf(name: string, type: string, content: Buffer): StaticContent {
    const text = content.toString().replaceAll(`/${basePathMark}`, this.#basePath);
    const policy = name.endsWith('.html') && { 'content-security-policy': policyOf(name, text) };
    return new StaticContent(text, type, { immutable: isImmutable(name), headers: { ...policy } });
  }
}

/** All pages of the reference are one, which goes to the group that its address names. */
function fileOf(path: string): string {
  if (path === '') return 'index.html';
  if (/^reference\/api(\/|$)/.test(path)) return 'reference/api.html';
  return path.includes('.') ? path : `${path}.html`;
}

/** VitePress puts a hash of the content into the names of assets. */
const isImmutable = (name: string) => name.startsWith('assets/');

const cacheOf = (name: string) => (isImmutable(name) ? 'public, max-age=31536000, immutable' : 'public, no-cache');

/**
 * Own files, and the inline scripts of the page as they were built, by their hashes. The pages style parts of
 * themselves by attributes; the reference inserts whole style sheets.
 */
function policyOf(name: string, page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = scripts.map(([, script = '']) => ` 'sha256-${hash('sha256', script, 'base64')}'`);
  const styles =
    name === 'reference/api.html'
      ? "style-src 'self' 'unsafe-inline'"
      : "style-src 'self'; style-src-attr 'unsafe-inline'";
  return (
    `default-src 'none'; script-src 'self'${hashes.join('')}; ${styles}; img-src 'self' data:; font-src 'self'; ` +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
}
