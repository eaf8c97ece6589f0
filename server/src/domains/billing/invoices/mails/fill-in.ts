import type { MailPlaceholder, MailTextKind, MailTexts } from '../../../identity/tenants/mail-texts.ts';
import type { MailLanguage } from '../../../identity/tenants/schema.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { Template, Templates } from './templates.ts';

const ownTemplates: Record<MailLanguage, Templates> = { en: english, de: german };

/** The text of a mail: the tenant's, or else Florin's. */
export function templateOf(kind: MailTextKind, language: MailLanguage, tenantTexts: MailTexts | null): Template {
  return tenantTexts?.[language]?.[kind] ?? ownTemplates[language][kind];
}

/** The paragraphs of a body, and one with the address of the invoice's page if there is one that the body does not name. */
export function paragraphsOf({ body }: Template, language: MailLanguage, hasLink: boolean): string[] {
  const paragraphs = body.trim().split(/\r?\n(?:[ \t]*\r?\n)+/);
  return hasLink && !body.includes('{link}') ? [...paragraphs, ownTemplates[language].toInvoice] : paragraphs;
}

/** Fills in the placeholders, in one pass: a name that looks like a placeholder stays as it is. */
export function filledIn(text: string, valueFor: (name: MailPlaceholder) => string | undefined): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => valueFor(name as MailPlaceholder) ?? placeholder);
}
