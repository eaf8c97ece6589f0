import type { MethodType, NamedMethod } from '../kept-method.ts';

const tokenPrefix = 'sandbox:';

/** The word in a token `sandbox:<word>`. */
export function wordOfToken(token: string | null): string | undefined {
  return token?.startsWith(tokenPrefix) ? token.slice(tokenPrefix.length) : undefined;
}

/** The type of the method that is kept, or charged, with a word. */
export const typeOfWord = (word: string | undefined): MethodType =>
  word?.startsWith('debit:') ? 'sepa_debit' : 'card';

/** A debit is taken at once. */
export function methodCapturedAtOnce({ paymentMethod, metadata }: NamedMethod): string | undefined {
  const { sandbox } = (metadata ?? {}) as { sandbox?: unknown };
  const word = sandbox === undefined ? wordOfToken(paymentMethod ?? null) : String(sandbox);
  const type = typeOfWord(word);
  return type === 'card' ? undefined : type;
}

/** How the sandbox keeps a payment method, and what becomes of it. */
export interface MethodWord {
  word: string;
  /** The description in docs/guides/sandbox.md. */
  description: string;
}

/**
 * Words for payment methods: read when the method is set up, or at the payment that keeps it, they hold for its later
 * life. Of other payments they are without effect.
 */
export const methodWords: readonly MethodWord[] = [
  {
    word: 'setup:payer',
    description:
      'Needs the payer, as every setup without a token does: `nextAction` leads to a page with three buttons.',
  },
  { word: 'setup:fail', description: 'Cannot be set up (`card_declined`).' },
  {
    word: 'method:single-use',
    description: 'Is used up by the first charge after it was kept; later ones fail (`payment_method_missing`).',
  },
  {
    word: 'method:revoked',
    description:
      'Ends after 3 s, with a callback: the payer has revoked the mandate. Charges fail (`mandate_revoked`).',
  },
  { word: 'method:expires', description: 'After 3 s its month is over, with a callback. It can still be charged.' },
  {
    word: 'method:updated',
    description: 'After 3 s the network replaces the card, with a callback: it has other digits and a later month.',
  },
  {
    word: 'offsession:authentication_required',
    description:
      'Charges without the payer (`initiator: MERCHANT`) fail (`authentication_required`); with the payer they lead ' +
      'to the page with three buttons.',
  },
];

const known = new Set(methodWords.map(({ word }) => word));

export const isMethodWord = (word: string): boolean => known.has(word);
