import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { address, keptAddress, nullable, oneLine, updatedTime } from '../../../platform/http/shapes.ts';
import { mailLanguages, reopenPolicies } from '../../identity/tenants/sellers.ts';
import { maximumImageBytes } from './image.ts';
import { mailTexts } from './mail-texts.ts';

const kept = 'An update without it keeps the present value.';

const tenantNumber = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The caller's tenant, or for a PLATFORM_ADMIN any; 0: the platform's own.",
});

export const sellerInput = Type.Object(
  {
    id: tenantNumber,
    name: Type.Optional(oneLine({ maxLength: 200, description: 'The seller on invoices and pages.' })),
    address: Type.Optional(address),
    taxId: Type.Optional(
      Type.Union([oneLine({ maxLength: 40 }), Type.Null()], {
        title: form('one_line_or_null', { limit: 40 }),
        description: 'The tax number of the seller on its invoices, in any notation. null clears it.',
      }),
    ),
    brandColor: Type.Optional(
      Type.Union([Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), Type.Null()], {
        title: form('colour'),
        description:
          'The colour of the button on the pages of payers, as `#1d4ed8`. ' +
          'Its text is black or white, whichever is easier to read. null: the default.',
      }),
    ),
    logo: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: Math.ceil(maximumImageBytes / 3) * 4 + 40 }), Type.Null()], {
        title: form('picture'),
        description: 'A PNG or JPEG file of at most 40 KiB in base64, or as a `data:` address. null removes it.',
      }),
    ),
    customerMails: Type.Optional(
      Type.Boolean({
        description:
          'true: customers with an e-mail address are mailed invoices, receipts and failed payments, ' +
          `not about test invoices. ${kept}`,
      }),
    ),
    mailLanguage: Type.Optional(
      Type.Enum([...mailLanguages], {
        description: `The language of these mails, and of the page and the PDF of an invoice. ${kept}`,
      }),
    ),
    mailTexts: Type.Optional(
      Type.Union([mailTexts, Type.Null()], {
        title: form('mail_texts'),
        description:
          'Your own texts of these mails, by language (`en`, `de`) and mail (`invoice`, `receipt`, ' +
          '`paymentFailed`, `lastPaymentFailed`), each with `subject` and `body`. ' +
          'They replace all earlier ones; null removes them. Placeholders: ' +
          '`{customer}`, `{seller}`, `{number}`, `{amount}` and `{link}` in all, `{dueDate}` in `invoice`, ' +
          '`{paidOn}` in `receipt`, `{nextAttempt}` in `paymentFailed`.',
      }),
    ),
    reopenInvoices: Type.Optional(
      Type.Enum([...reopenPolicies], {
        description:
          'Which disputes that are lost reopen the invoice that their payment had paid: NEVER, RETURNED (reason ' +
          `\`returned\` or \`not_authorized\`), or ALWAYS. ${kept}`,
      }),
    ),
    dueDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 365,
        description:
          'How many days customers have to pay an invoice that is finalized without a `dueDate` of its own; ' +
          `0: it is due at once. A customer may have \`dueDays\` of its own. ${kept}`,
      }),
    ),
  },
  { $id: 'SellerModifyInput', additionalProperties: false },
);

export const sellerQuery = Type.Object({ id: tenantNumber });

export const sellerRecord = Type.Object(
  {
    id: Type.Integer({ description: "The tenant; 0: the platform's own." }),
    name: Type.String(),
    address: keptAddress,
    taxId: nullable(Type.String()),
    brandColor: nullable(Type.String()),
    logo: nullable(Type.String({ description: 'As a `data:` address.' })),
    customerMails: Type.Boolean(),
    mailLanguage: Type.Enum([...mailLanguages]),
    mailTexts: Type.Unsafe<object | null>({
      description: 'As they were sent; null: there are none.',
      type: ['object', 'null'],
      additionalProperties: true,
    }),
    reopenInvoices: Type.Enum([...reopenPolicies]),
    dueDays: Type.Integer({
      description: 'Days to pay an invoice that is finalized without a `dueDate`, unless the customer has its own.',
    }),
    updatedTime,
  },
  { $id: 'Seller' },
);
