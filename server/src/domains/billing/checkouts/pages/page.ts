import { hash } from 'node:crypto';
import { type Html, html } from '../../../../platform/http/html.ts';
import type { Language } from '../../sellers/formats.ts';
import { style } from './style.ts';
import { texts } from './texts.ts';

/** A response to a payer: HTML, a file, or a redirect. */
export interface Page {
  status: number;
  headers: Record<string, string>;
  content: string | Buffer;
}

/** The seller as a page shows it. */
export interface SellerOnPage {
  name: string;
  /** `#rrggbb`; null: the default. */
  brandColor: string | null;
  /** The URL of its logo, relative to the page; null: it has none. */
  logo: string | null;
}

export interface PageFacts {
  language: Language;
  title: string;
  seller: SellerOnPage | null;
  livemode: boolean;
  status?: number;
  /** The `refresh` header: reload after some seconds, or go to a URL. */
  refresh?: string | undefined;
  /** For tables with many columns. */
  isWide?: boolean;
}

/** A payer's page: HTML with one style sheet, without scripts. It loads nothing from other servers. */
export function pageOf(facts: PageFacts, content: Html): Page {
  const { language, title, seller, livemode, status = 200, refresh, isWide = false } = facts;
  const css = style(seller?.brandColor ?? null);
  const text = texts[language];
  const fullTitle = seller === null ? title : `${title} · ${seller.name}`;
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${seller?.logo && html`<link rel="icon" href="${seller.logo}">\n`}<title>${fullTitle}</title>
<style>${css}</style>
</head>
<body${isWide && html` class="wide"`}>
${!livemode && html`<header class="test">${text.testMode}</header>\n`}<main>
${seller !== null && sellerHeader(seller)}${content}
</main>
</body>
</html>
`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(css.text),
      'content-language': language,
      vary: 'accept-language',
      ...(refresh !== undefined && { refresh }),
    },
    content: page.text,
  };
}

const sellerHeader = ({ name, logo }: SellerOnPage) =>
  html`<header class="seller">${logo !== null && html`<img src="${logo}" alt="">`}<strong>${name}</strong></header>\n`;

/** A redirect that is relative to the page, so that it keeps the path prefix of a proxy. */
export const seeOther = (location: string): Page => ({ status: 303, headers: { location }, content: '' });

const policyOf = (css: string) =>
  `default-src 'none'; style-src 'sha256-${hash('sha256', css, 'base64')}'; img-src 'self'; base-uri 'none'; ` +
  "form-action 'self'; frame-ancestors 'none'";

/** The same page for unknown, expired and used links. */
export function missingPage(language: Language): Page {
  const text = texts[language];
  const content = html`<h1>${text.missingTitle}</h1>\n<p>${text.missing}</p>`;
  return pageOf({ language, title: text.missingTitle, seller: null, livemode: true, status: 404 }, content);
}

/** The service cannot answer now. */
export function busyPage(language: Language, status: number, retryAfterSeconds: number): Page {
  const text = texts[language];
  const content = html`<h1>${text.busyTitle}</h1>\n<p>${text.busy}</p>`;
  const page = pageOf({ language, title: text.busyTitle, seller: null, livemode: true, status }, content);
  return { ...page, headers: { ...page.headers, 'retry-after': String(Math.ceil(retryAfterSeconds)) } };
}

/** The supported language that Accept-Language prefers; English if there is none. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { language: tag.split('-')[0], weight: q === undefined ? 1 : Number(q) };
  });
  const known = wanted.filter(({ language, weight }) => (language === 'en' || language === 'de') && weight > 0);
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.language === 'de' ? 'de' : 'en';
}

/** An http(s) URL for a link; null for anything else, such as `javascript:`. */
export function linkTo(text: string | null | undefined): string | null {
  const url = text == null ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}
