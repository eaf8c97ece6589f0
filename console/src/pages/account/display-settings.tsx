import { Paper, Select, Stack } from '@mantine/core';
import { moneyText } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { languageNames, languages } from '../../text/languages.ts';

const locales = [
  'en-GB',
  'en-US',
  'de-DE',
  'de-AT',
  'de-CH',
  'fr-FR',
  'es-ES',
  'it-IT',
  'nl-NL',
  'pl-PL',
  'ar-EG',
  'ja-JP',
];

/** Language, formats and time zone of this browser. */
export function DisplaySettings() {
  const text = useText();
  const { preferences, setPreferences, locale } = usePreferences();
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Select
          label={text('account.language')}
          data={languages.map((value) => ({ value, label: languageNames[value] }))}
          value={preferences.language}
          onChange={(chosen) => chosen !== null && setPreferences({ language: chosen })}
          allowDeselect={false}
        />
        <Select
          label={text('account.formats')}
          description={`${moneyText(123456, 'EUR', locale)} · ${new Date().toLocaleString(locale)}`}
          placeholder={text('account.formatsAuto')}
          data={locales.map((value) => ({ value, label: formatName(value, preferences.language) }))}
          value={preferences.formats ?? null}
          onChange={(chosen) => setPreferences({ formats: chosen ?? undefined })}
          clearable
        />
        <Select
          label={text('account.zone')}
          placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
          data={['UTC', ...Intl.supportedValuesOf('timeZone')]}
          value={preferences.timeZone ?? null}
          onChange={(chosen) => setPreferences({ timeZone: chosen ?? undefined })}
          limit={50}
          clearable
          searchable
        />
      </Stack>
    </Paper>
  );
}

function formatName(locale: string, language: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(locale) ?? locale;
}
