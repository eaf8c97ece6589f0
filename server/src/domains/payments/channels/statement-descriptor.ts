import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { nullable } from '../../../platform/http/shapes.ts';

/**
 * What networks take on statements: printable ASCII without `< > \ ' " *`, at least one letter
 * (https://docs.stripe.com/get-started/account/statement-descriptors).
 */
const characters = String.raw`[ !#$%&()+,\-./0-9:;=?@A-Z\[\]^_${'`'}a-z{|}~]`;
const pattern = `^${characters}*[A-Za-z]${characters}*$`;
const limits = { minLength: 5, maxLength: 22, pattern };
const meaning = 'What payers read on the statement of their card or account, where the provider takes it.';

/** What a payer reads on a statement, in requests. `which`: in which case it is used. */
export const statementDescriptor = (which: string) =>
  Type.String({ ...limits, title: form('statement_text'), description: `${meaning} ${which}` });

/** The same where null clears it. */
export const statementDescriptorOrNull = (which: string) =>
  Type.Union([Type.String(limits), Type.Null()], {
    title: form('statement_text_or_null'),
    description: `${meaning} ${which}`,
  });

export const keptStatementDescriptor = nullable(
  Type.String({ description: 'What payers read on the statement of their card or account.' }),
);
