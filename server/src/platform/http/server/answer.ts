import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { modeHeaders } from '../mode.ts';
import type { Answer, RouteDocument } from '../route.ts';
import { jsonType } from './broken-http.ts';

/** Sends the answer of an endpoint in the envelope. `usual` is the message of an answer without its own. */
export function send(reply: FastifyReply, answer: Answer<unknown>, usual?: string): FastifyReply {
  const { data, isStored = false, message = usual, pagination, headers } = answer;
  const { principal, query } = reply.request;
  if (principal?.livemode === undefined) reply.headers(modeHeaders(principal, answer, query));
  if (headers !== undefined) reply.headers(headers);
  reply.header('content-type', jsonType);
  const envelope = { code: 200, data, message, pagination };
  return reply.send(isStored ? JSON.stringify(envelope) : envelope);
}

/**
 * No browser or proxy stores a document. A program that keeps one itself asks with its entity tag whether it is still
 * current.
 */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { document, headers = {} }: Answer<unknown>,
): Promise<FastifyReply> {
  const { type, content, tag } = { tag: undefined, ...(document as RouteDocument) };
  // A viewer of documents needs more than a policy for data allows.
  reply.header('content-security-policy', "frame-ancestors 'none'");
  if (typeof content !== 'function') {
    // Fastify would read the stream to its end, for an answer that has no body.
    const isUnwanted = request.method === 'HEAD' && content instanceof Readable;
    if (isUnwanted) content.destroy();
    return reply
      .headers({ ...headers, 'content-type': type, 'cache-control': 'no-store' })
      .send(isUnwanted ? '' : content);
  }
  const validators = { etag: tag, 'cache-control': 'no-store' };
  if (isCurrent(request.headers['if-none-match'], tag)) return reply.headers(validators).code(304).send();
  const made = await content();
  return reply.headers({ ...headers, ...validators, 'content-type': type }).send(made);
}

/** Whether the reader has the document already (RFC 9110, 13.1.2: weak comparison). */
function isCurrent(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  const known = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return known.includes('*') || (tag !== undefined && known.includes(tag));
}
