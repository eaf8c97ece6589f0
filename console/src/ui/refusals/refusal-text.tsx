import { Code } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ConnectionError, FlorinError } from '../../api/client.ts';
import { moneyText } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { ChannelName } from '../records/channel-name.tsx';
import { fieldName } from './field-names.ts';
import { FilledText } from './filled-text.tsx';
import { ServiceWords } from './service-words.tsx';

interface RefusalTextProps {
  error: Error;
  /** Whether it stands beside its field, which then need not be named. */
  isBesideField?: boolean;
  /** That of the amounts in the form, where the refusal does not name it. */
  currency?: string | undefined;
}

/**
 * Why the service refused, in the language of the user: by the rule and its values, or by the type. What has no words
 * here is shown as the service says it.
 */
export function RefusalText({ error, isBesideField = false, currency }: RefusalTextProps) {
  const text = useText();
  const { texts, hasAllTexts, requireAllTexts } = usePreferences();
  // The sign-in page has only few texts.
  useEffect(requireAllTexts, [requireAllTexts]);
  if (error instanceof ConnectionError) return text('error.unreachable');
  if (!(error instanceof FlorinError)) return error.message;
  const { type, field, details } = error;
  const key = (details.rule === undefined ? `refusal.${type}` : `rule.${details.rule}`) as TextKey;
  const words = texts[key];
  if (words === undefined) return hasAllTexts && <ServiceWords by="service" words={error.message} />;
  const isOfOneChannel = details.channelId !== undefined && !words.includes('{channelId}');
  return (
    <>
      {isOfOneChannel && (
        <>
          <ChannelName id={details.channelId as number} />
          {': '}
        </>
      )}
      <FilledText
        text={isBesideField || field === undefined ? words.replace(/^\{field\}: /, '') : words}
        elementOf={(place) =>
          place === 'field' ? (
            fieldName(field ?? '', text)
          ) : (
            <Value
              place={place}
              value={details[place]}
              isAmount={isAmount(place, field)}
              currency={textOf(details.currency) ?? currency}
            />
          )
        }
      />
    </>
  );
}

const amountPlaces: ReadonlySet<string> = new Set(['left', 'total', 'paid', 'amount', 'underWay', 'minimum']);

/** Whether a value is an amount in minor units: also the limit of a field for one. */
function isAmount(place: string, field: string | undefined): boolean {
  return amountPlaces.has(place) || (place === 'limit' && /amount$/i.test(field ?? ''));
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

interface ValueProps {
  place: string;
  value: unknown;
  isAmount: boolean;
  currency: string | undefined;
}

function Value({ place, value, isAmount: ofMoney, currency }: ValueProps): ReactNode {
  const text = useText();
  const { locale, texts, preferences } = usePreferences();
  const numbers = new Intl.NumberFormat(locale);
  if (ofMoney && typeof value === 'number') {
    return currency === undefined
      ? text('said.minorUnits', { n: numbers.format(value) })
      : moneyText(value, currency, locale);
  }
  if (place === 'channelId') return <ChannelName id={value as number} />;
  if (place === 'time') return <Time value={String(value)} precise />;
  if (typeof value === 'number') return numbers.format(value);
  const nameOf = (one: string): string | undefined => {
    if (fieldPlaces.has(place)) return fieldName(one, text);
    const groups = namedPlaces[place] ?? [];
    return groups
      .map((group) => texts[`${group}.${one.replaceAll(' ', '_')}` as TextKey])
      .find((name) => name !== undefined);
  };
  const all = (Array.isArray(value) ? value : [value]).map(String);
  const names = all.map(nameOf);
  if (names.every((name) => name !== undefined)) {
    return new Intl.ListFormat(preferences.language, { type: 'disjunction' }).format(names);
  }
  return plainPlaces.has(place) ? all.join(', ') : all.map((one, i) => names[i] ?? <Code key={one}>{one}</Code>);
}

/** Places whose values are names of fields. */
const fieldPlaces: ReadonlySet<string> = new Set(['other', 'suggestion', 'known', 'fields']);

/** Places whose values have names in these groups of texts. */
const namedPlaces: Readonly<Record<string, readonly string[]>> = {
  allowed: ['status', 'userType', 'plans'],
  from: ['status'],
  interval: ['plans'],
  methodType: ['methodType'],
  missing: ['evidence'],
  mode: ['mode'],
  noun: ['noun'],
  otherMode: ['mode'],
  state: ['status'],
  status: ['status'],
  to: ['status'],
  type: ['jsonType'],
};

/** Places whose values are words that people read, such as names. */
const plainPlaces: ReadonlySet<string> = new Set([
  'brand',
  'channelProvider',
  'currency',
  'currencies',
  'id',
  'name',
  'otherCurrency',
  'provider',
  'reason',
]);
