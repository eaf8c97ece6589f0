import type { FastifyInstance } from 'fastify';
import { type Clock, dayMs } from '../../core/clock.ts';

/**
 * RFC 9116 recommends less than a year; the page is generated when it is read, so it never expires while it is served.
 */
const validForMs = 180 * dayMs;

interface SecurityTxt {
  /** `app.security.contact`; undefined: there is no such page. */
  contact: string | undefined;
  publicUrl: string;
  clock: Clock;
}

/** Serves /.well-known/security.txt, which says where to report a vulnerability (RFC 9116). */
export function addSecurityTxt(app: FastifyInstance, { contact, publicUrl, clock }: SecurityTxt): void {
  if (contact === undefined) return;
  const path = '/.well-known/security.txt';
  app.get(path, (_request, reply) => {
    const expires = new Date(clock() + validForMs).toISOString();
    const lines = [`Contact: ${contact}`, `Expires: ${expires}`, `Canonical: ${publicUrl}${path}`];
    return reply.header('content-type', 'text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}
