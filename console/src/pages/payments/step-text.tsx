import type { ReactNode } from 'react';
import type { TimelineStep } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FailureText } from '../../ui/failure-text.tsx';
import { UserName } from '../../ui/records/user-name.tsx';
import { FilledText } from '../../ui/refusals/filled-text.tsx';
import { ServiceWords } from '../../ui/refusals/service-words.tsx';
import { isNotSent, wordsOf } from './step-words.ts';

/** A step of a payment in the language of the user; one without words here as the service says it. */
export function StepText({ step }: { step: TimelineStep }) {
  const text = useText();
  const { texts } = usePreferences();
  const detail = (step.detail ?? {}) as Readonly<Record<string, unknown>>;
  const words = texts[wordsOf(step) as TextKey];
  if (words === undefined) return <ServiceWords by="service" words={step.message} />;
  const values: Readonly<Record<string, () => ReactNode>> = {
    about: () => text(`about.${detail.about ?? 'PAYMENT'}` as TextKey),
    money: () => <Money amount={detail.amount as number} currency={String(detail.currency)} />,
    mode: () => text(detail.livemode === true ? 'mode.live' : 'mode.test'),
    note: () => <q lang="">{String(detail.note)}</q>,
    n: () => String(detail.shown),
    provider: () => step.provider ?? text('step.theProvider'),
    reason: () => text(`disputes.reason.${detail.reason}` as TextKey),
    said: () => <q>{text(`reported.${detail.said}` as TextKey)}</q>,
    to: () => text(`status.${detail.to}` as TextKey),
    user: () => <UserName id={Number(detail.userId)} />,
  };
  const source = texts[`settledBy.${detail.settledBy}` as TextKey];
  return (
    <>
      <FilledText text={words} elementOf={(place) => values[place]?.()} />
      {step.failureCode !== undefined && !isNotSent(step) && (
        <>
          {' '}
          <FailureText code={step.failureCode} />
        </>
      )}
      {source !== undefined && ` ${source}`}
    </>
  );
}
