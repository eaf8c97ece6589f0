import type { MailLanguage } from '../../../identity/tenants/sellers.ts';
import type { MailPlaceholder, MailTextKind, MailTexts } from '../../sellers/mail-texts.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { Template, Templates } from './templates.ts';

const defaultTemplates: Record<MailLanguage, Templates> = { en: english, de: german };

/** The tenant's own text of a mail, or else the default one. */
export function templateOf(kind: MailTextKind, language: MailLanguage, tenantTexts: MailTexts | null): Template {
  return tenantTexts?.[language]?.[kind] ?? defaultTemplates[language][kind];
}

/**
 * The paragraphs of a mail. A link to the invoice's page is added when there is one and the text does not include it.
 */
export function paragraphsOf({ body }: Template, language: MailLanguage, hasLink: boolean): string[] {
  const paragraphs = body.trim().split(/\r?\n(?:[ \t]*\r?\n)+/);
  return hasLink && !body.includes('{link}') ? [...paragraphs, defaultTemplates[language].toInvoice] : paragraphs;
}

/** Fills in the placeholders in one pass, so that a value that looks like a placeholder is not replaced. */
export function filledIn(text: string, valueFor: (name: MailPlaceholder) => string | undefined): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => valueFor(name as MailPlaceholder) ?? placeholder);
}
