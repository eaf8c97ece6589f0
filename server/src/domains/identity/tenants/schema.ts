import { type Static, Type } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { form, rule } from '../../../core/refusal-rules.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import {
  address,
  keptAddress,
  nullable,
  oneLine,
  requiredToCreate,
  updatedTime,
} from '../../../platform/http/shapes.ts';
import { mailLanguages, reopenPolicies } from './sellers.ts';

const requiredOfNewTenant = ['name', 'state'] as const;

export const tenantInput = Type.Object(
  {
    id: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          "Omit to create. 0: the platform's own tenant, of which only the seller and the mails to customers " +
          'can change.',
      }),
    ),
    name: Type.Optional(oneLine({ maxLength: 200, description: 'The seller on its invoices.' })),
    state: Type.Optional(
      Type.Boolean({
        description: 'false: the tenant is disabled. Logins, sessions and keys of its users are refused.',
      }),
    ),
    secondFactorRequired: Type.Optional(
      Type.Boolean({
        description:
          'true: sessions of users without a second factor may only enrol one. ' +
          'An update without it keeps the present value; a new tenant without it requires none.',
      }),
    ),
    address: Type.Optional(address),
    taxId: Type.Optional(
      Type.Union([oneLine({ maxLength: 40 }), Type.Null()], {
        title: form('one_line_or_null', { limit: 40 }),
        description: 'The tax number of the seller on its invoices, in any notation. null clears it.',
      }),
    ),
    customerMails: Type.Optional(
      Type.Boolean({
        description:
          'true: customers with an e-mail address are mailed an invoice when it is finalized, ' +
          'a receipt when it is paid, and when a payment of one fails; not about test invoices. ' +
          'An update without it keeps the present value; a new tenant mails nobody.',
      }),
    ),
    mailLanguage: Type.Optional(
      Type.Enum([...mailLanguages], {
        description:
          'The language of these mails, and of the page and the PDF of an invoice. Default of a new tenant: `en`.',
      }),
    ),
    reopenInvoices: Type.Optional(
      Type.Enum([...reopenPolicies], {
        description:
          'Which disputes that are lost reopen the invoice that their payment had paid: NEVER, RETURNED (reason ' +
          '`returned` or `not_authorized`), or ALWAYS. Default of a new tenant: RETURNED.',
      }),
    ),
  },
  { $id: 'TenantModifyInput', additionalProperties: false, ...requiredToCreate(requiredOfNewTenant) },
);

export const tenantListQuery = Type.Object(pageFields);

export const tenantQuery = Type.Object({
  id: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "The tenant; 0: the platform's own.",
  }),
});

export const tenantRecord = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    state: Type.Boolean(),
    secondFactorRequired: Type.Boolean({
      description: 'Whether sessions of users without a second factor may only enrol one.',
    }),
    address: keptAddress,
    taxId: nullable(Type.String()),
    customerMails: Type.Boolean({ description: 'Whether customers are mailed about payments of their invoices.' }),
    mailLanguage: Type.Enum([...mailLanguages]),
    reopenInvoices: Type.Enum([...reopenPolicies]),
    createdTime: Type.String(),
    updatedTime,
  },
  { $id: 'Tenant' },
);

/**
 * The `tenantId` of other records. It is a string, and a number is accepted too. Null, which answers show for the
 * platform's own tenant, counts as not given: only callers of the platform see it, and their tenant is the default.
 */
export const tenantIdInput = Type.Union(
  [
    Type.String({ pattern: '^[0-9]{1,15}$', title: form('id_of', { noun: 'tenant' }) }),
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  {
    title: form('id_of', { noun: 'tenant' }),
    description: "The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own.",
  },
);

/** Part of the body of requests that create records (`actFor`). */
export const forTenant = { tenantId: Type.Optional(tenantIdInput) };

export const tenantIdOnWire = Type.Union([Type.String(), Type.Null()], {
  description: "null: the platform's own tenant.",
});

export function tenantIdOf(input: Static<typeof tenantIdInput>): number {
  const id = Number(input);
  if (!Number.isSafeInteger(id)) throw invalid('tenantId', rule('id_of', { noun: 'tenant' }));
  return id;
}
