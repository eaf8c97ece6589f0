import { createContext, useContext, useEffect, useState } from 'react';
import { usePreferences } from '../shell/preferences.tsx';

interface TimeProps {
  /** ISO 8601 */
  value: string | null | undefined;
  /** With seconds. */
  precise?: boolean;
}

/** Times of a table: without the zone, which stands below it, and without the present year. */
export const ShortTimes = createContext(false);

/** A time in the chosen time zone, with the name of the zone. */
export function Time({ value, precise = false }: TimeProps) {
  const { locale, timeZone } = usePreferences();
  const isShort = useContext(ShortTimes);
  if (value === null || value === undefined) return <>–</>;
  const isThisYear = value.slice(0, 4) === new Date().toISOString().slice(0, 4);
  const parts = new Intl.DateTimeFormat(locale, {
    ...(!(isShort && isThisYear) && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(precise && { second: '2-digit' }),
    ...(!isShort && { timeZoneName: 'short' }),
    timeZone,
  }).formatToParts(new Date(value));
  const hour = parts.findIndex(({ type }) => type === 'hour');
  return (
    <time dateTime={value} title={value}>
      {/* On a narrow screen the line breaks only before the hour. */}
      <bdi>
        <Unbroken parts={parts.slice(0, hour)} />
        <wbr />
        <Unbroken parts={parts.slice(hour)} />
      </bdi>
    </time>
  );
}

/** A calendar day, `2026-11-23`: the same in every zone. */
export function Day({ value }: { value: string | null | undefined }) {
  const { locale } = usePreferences();
  if (value === null || value === undefined) return <>–</>;
  const text = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(value));
  return (
    <time dateTime={value}>
      <bdi>{text}</bdi>
    </time>
  );
}

function Unbroken({ parts }: { parts: readonly Intl.DateTimeFormatPart[] }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{parts.map(({ value }) => value).join('')}</span>;
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** The distance to a time, updated every second: "in 4 minutes". */
export function RelativeTime({ value }: { value: string }) {
  const { locale } = usePreferences();
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.round((Date.parse(value) - nowMs) / 1_000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const text = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
  return (
    <bdi>
      <time dateTime={value} title={value}>
        {text}
      </time>
    </bdi>
  );
}
