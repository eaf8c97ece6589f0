import { languageOf, type Page, pageOf } from '../../../domains/billing/checkouts/pages/page.ts';
import { html } from '../../../platform/http/html.ts';

const texts = {
  en: { title: 'Page not found', reason: 'There is no page at this address.', back: 'Open the console' },
  de: { title: 'Seite nicht gefunden', reason: 'Unter dieser Adresse gibt es keine Seite.', back: 'Konsole öffnen' },
} as const;

/**
 * The page for somebody who opens an address that does not exist in a browser. Programs, and everything below `/api/`,
 * get the refusal in the envelope: undefined. `publicUrl` is empty if none is set: the link then leads to the host that
 * was opened.
 */
export function unknownPage(
  { url, headers }: { url: string; headers: Record<string, string | string[] | undefined> },
  publicUrl: string,
): Page | undefined {
  const { accept, 'accept-language': acceptLanguage } = headers;
  if (/^\/(api|inbox|health)\//.test(url) || !String(accept).includes('text/html')) return undefined;
  const language = languageOf(acceptLanguage === undefined ? undefined : String(acceptLanguage));
  const { title, reason, back } = texts[language];
  const content = html`<h1>${title}</h1>
<p>${reason}</p>
<p><a href="${publicUrl}/">${back}</a></p>`;
  return pageOf({ language, title, seller: null, livemode: true, status: 404 }, content);
}
