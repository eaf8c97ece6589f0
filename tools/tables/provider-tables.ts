import { currencyCodes } from '@florin/server/core/currency.ts';
import { decimalOf } from '@florin/server/core/money.ts';
import { abilitiesOf, type ProviderAbilities } from '@florin/server/domains/payments/providers/abilities.ts';
import { providerNames } from '@florin/server/domains/payments/providers/directory.ts';
import { table } from './markdown-table.ts';

/** Generated tables about providers. */
export const providerTables: Record<string, () => string> = {
  abilities: abilitiesTable,
  'minimum amounts': minimumAmountsTable,
};

const rows: readonly [ability: string, text: (abilities: ProviderAbilities) => string][] = [
  ['Authorize first (`capture`)', ({ capture }) => `\`${capture}\` at most`],
  ['Types of kept methods that it authorizes (`capture:TYPE`)', ({ authorizes }) => codes(authorizes)],
  ['Refunds in part', ({ partialRefunds }) => yesOrNo(partialRefunds)],
  ['Keeps payment methods (`methods`, `methods:TYPE`)', ({ keeps }) => codes(keeps)],
  ['Makes mandates for a `bankAccount` (`methods:bankAccount`)', ({ takesBankAccounts }) => yesOrNo(takesBankAccounts)],
  ['Charges them without the payer', ({ offSession }) => yesOrNo(offSession)],
  ['Disputes', ({ disputes }) => disputesText[disputes]],
  ['Currencies (`currency:CODE`)', ({ currencies }) => currenciesText(currencies)],
  ['Decimals (`amount:decimals`)', ({ decimals }) => decimals],
  [
    'Minimum amount (`amount:minimum`)',
    ({ minimumAmounts }) => (Object.keys(minimumAmounts).length === 0 ? 'None' : '[By currency](#minimum-amounts)'),
  ],
];

const disputesText = { NONE: 'No', TOLD: 'Told of', ANSWERED: 'Told of, and answered' };

function abilitiesTable(): string {
  return table(
    ['Ability', ...providerNames.map((name) => `\`${name}\``)],
    rows.map(([ability, text]) => [ability, ...providerNames.map((name) => text(abilitiesOf(name)))]),
  );
}

function minimumAmountsTable(): string {
  return table(
    ['Provider', 'Least amount of a payment'],
    providerNames.flatMap((name) => {
      const { minimumAmounts } = abilitiesOf(name);
      const amounts = Object.entries(minimumAmounts).map(
        ([currency, amount]) => `${decimalOf(amount, currency)} ${currency}`,
      );
      return amounts.length === 0 ? [] : [[`\`${name}\``, amounts.join(', ')]];
    }),
  );
}

function currenciesText(currencies: readonly string[]): string {
  const missing = currencyCodes.filter((code) => !currencies.includes(code));
  if (missing.length === 0) return 'All';
  return missing.length > 20 ? currencies.join(', ') : `All but ${missing.join(', ')}`;
}

const codes = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ');
const yesOrNo = (value: boolean) => (value ? 'Yes' : 'No');
