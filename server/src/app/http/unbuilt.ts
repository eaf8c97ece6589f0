import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Html, html } from '../../platform/http/html.ts';
import type { BuildState } from './built-files.ts';

const style = `body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
:root { color-scheme: light dark }
a { color: LinkText }`;

const policy =
  `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src data:; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'";

/** After which a reader looks again. */
export const refreshSeconds = 5;

/** What is told about a part of the service that the starting script builds. `meanwhile`: what happens until then. */
export function sentenceOf(what: string, state: BuildState, meanwhile = 'This page reloads by itself.'): string {
  if (state.state === 'building') return `${what} is being built just now, beside the service. ${meanwhile}`;
  if (state.state === 'absent') return `${what} is not built: npm start builds it.`;
  return `${what} could not be built: ${state.reason}. build/pages.log says more, and the next start tries again.`;
}

/** Answers with a page in place of one that is not built yet. */
export function sendUnbuilt(
  reply: FastifyReply,
  { status, title, state, main }: { status: 200 | 503; title: string; state: BuildState; main: Html },
): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="data:,">
${state.state === 'building' && html`<meta http-equiv="refresh" content="${refreshSeconds}">`}
`;
  if (status === 503) reply.header('retry-after', refreshSeconds);
  return reply
    .code(status)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    .send(`${page.text}<style>${style}</style></head>\n<body>\n<main>\n${main.text}\n</main>\n</body>\n</html>\n`);
}
