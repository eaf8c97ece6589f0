import type { ReactNode } from 'react';
import type { TimelineStep } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FailureText } from '../../ui/failure-text.tsx';
import { UserName } from '../../ui/records/user-name.tsx';
import { FilledText } from '../../ui/refusals/filled-text.tsx';
import { ServiceWords } from '../../ui/refusals/service-words.tsx';

/** A step of a payment in the language of the user; one without words here as the service says it. */
export function StepText({ step }: { step: TimelineStep }) {
  const text = useText();
  const { texts } = usePreferences();
  const detail = (step.detail ?? {}) as Readonly<Record<string, unknown>>;
  const words = texts[`step.${wordsOf(step.type, detail)}` as TextKey];
  if (words === undefined) return <ServiceWords by="service" words={step.message} />;
  const values: Readonly<Record<string, () => ReactNode>> = {
    about: () => text(`about.${detail.about ?? 'PAYMENT'}` as TextKey),
    money: () => <Money amount={detail.amount as number} currency={String(detail.currency)} />,
    mode: () => text(detail.livemode === true ? 'mode.live' : 'mode.test'),
    note: () => <q lang="">{String(detail.note)}</q>,
    n: () => String(detail.shown),
    provider: () => step.provider ?? text('step.theProvider'),
    said: () => <q lang="">{String(detail.said)}</q>,
    to: () => text(`status.${detail.to}` as TextKey),
    user: () => <UserName id={Number(detail.userId)} />,
  };
  const source = texts[`settledBy.${detail.settledBy}` as TextKey];
  return (
    <>
      <FilledText text={words} elementOf={(place) => values[place]?.()} />
      {step.failureCode !== undefined && !isNotSent(detail) && (
        <>
          {' '}
          <FailureText code={step.failureCode} />
        </>
      )}
      {source !== undefined && ` ${source}`}
    </>
  );
}

/** Which words a step has: some types have several. */
function wordsOf(type: string, detail: Readonly<Record<string, unknown>>): string {
  if (type === 'charge_failed' && isNotSent(detail)) return 'charge_not_sent';
  if (type === 'charge_succeeded' && detail.isAuthorized === true) return 'authorization_released';
  if ((type === 'charge_failed' || type === 'charge_cancelled') && detail.isAuthorized === true) {
    return 'authorization_ended';
  }
  if (type === 'cancel_called' && detail.isGivenUp === true) return 'cancel_called_late';
  if (type === 'refund_succeeded' && detail.settledBy === undefined) return 'refund_recorded';
  if (type === 'callback' && (typeof detail.said !== 'string' || detail.said === 'changed')) return 'callback_changed';
  if (type === 'looked_up' && detail.agrees === true) return 'looked_up_agrees';
  return type;
}

/** An operation that was settled without a call. */
const isNotSent = ({ settledBy, calls, lookUps }: Readonly<Record<string, unknown>>) =>
  settledBy === 'nothing' && calls === 0 && lookUps === 0;
