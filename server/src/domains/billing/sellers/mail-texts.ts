import { type Static, Type } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { oneLine } from '../../../platform/http/shapes.ts';

const everyMail = ['customer', 'seller', 'number', 'amount', 'link'] as const;

/** The mails to customers whose texts a tenant can change, each with its placeholders: `{number}`. */
const mailPlaceholders = {
  invoice: [...everyMail, 'dueDate'],
  debitAnnounced: [...everyMail, 'debitDate', 'mandate'],
  receipt: [...everyMail, 'paidOn'],
  paymentFailed: [...everyMail, 'nextAttempt'],
  lastPaymentFailed: everyMail,
  confirmationNeeded: everyMail,
  otherMethodNeeded: everyMail,
  reminder: [...everyMail, 'dueDate'],
} as const;

export type MailTextKind = keyof typeof mailPlaceholders;
export type MailPlaceholder = (typeof mailPlaceholders)[MailTextKind][number];

const mailText = Type.Object(
  {
    subject: oneLine({ maxLength: 200 }),
    body: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'Plain text. An empty line begins a new paragraph.',
    }),
  },
  { additionalProperties: false },
);

const textsOfLanguage = Type.Optional(
  Type.Object(
    {
      invoice: Type.Optional(mailText),
      debitAnnounced: Type.Optional(mailText),
      receipt: Type.Optional(mailText),
      paymentFailed: Type.Optional(mailText),
      lastPaymentFailed: Type.Optional(mailText),
      confirmationNeeded: Type.Optional(mailText),
      otherMethodNeeded: Type.Optional(mailText),
      reminder: Type.Optional(mailText),
    },
    { additionalProperties: false },
  ),
);

/** Texts of mails by language and kind. Florin's own texts replace missing ones. */
export const mailTexts = Type.Object(
  { en: textsOfLanguage, de: textsOfLanguage },
  { $id: 'MailTexts', additionalProperties: false },
);

export type MailTexts = Static<typeof mailTexts>;

/** Refuses a placeholder that the mail has no value for. */
export function requirePlaceholders(texts: MailTexts): void {
  for (const [language, kinds] of Object.entries(texts)) {
    for (const [kind, text] of Object.entries(kinds)) {
      const known: readonly string[] = mailPlaceholders[kind as MailTextKind];
      for (const [part, words] of Object.entries(text)) {
        const unknown = placeholdersIn(words).find((name) => !known.includes(name));
        if (unknown === undefined) continue;
        const placeholders = known.map((name) => `{${name}}`);
        throw invalid(
          `mailTexts.${language}.${kind}.${part}`,
          rule('unknown_placeholder', { placeholder: `{${unknown}}`, known: placeholders }),
        );
      }
    }
  }
}

const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
