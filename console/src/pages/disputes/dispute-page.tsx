import { Group, Text } from '@mantine/core';
import type { DisputeDetail } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { Copyable } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { Deadline } from './deadline.tsx';
import { DisputeActions } from './dispute-actions.tsx';
import { DisputeCustomer } from './dispute-customer.tsx';
import { useFieldLabel } from './evidence-fields.ts';
import { EvidenceForm } from './evidence-form.tsx';

/** A dispute: what is at stake, until when, and the evidence for it. */
export default function DisputePage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('disputes.get', { id });
  return (
    <RecordPage title={text('disputes.one')} listPath="/disputes" read={read}>
      {(dispute) => (
        <Page
          title={text('disputes.one')}
          beside={<StatusBadge status={dispute.status} />}
          actions={<DisputeActions dispute={dispute} />}
        >
          <DisputeFacts dispute={dispute} />
          {dispute.actions.includes('SUBMIT') ? (
            <EvidenceForm dispute={dispute} />
          ) : (
            dispute.status === 'OPEN' && <Text size="sm">{text('disputes.unanswerableHint')}</Text>
          )}
          {dispute.answers.length > 0 && <Answers dispute={dispute} />}
        </Page>
      )}
    </RecordPage>
  );
}

function DisputeFacts({ dispute }: { dispute: DisputeDetail }) {
  const text = useText();
  const { currency, fee, transactionId, respondBy } = dispute;
  return (
    <Facts
      facts={[
        ['ID', <Copyable key="id" value={dispute.id} />],
        [text('payment.customer'), <DisputeCustomer key="customer" transactionId={transactionId} />],
        [text('payments.amount'), <Money key="amount" amount={dispute.amount} currency={currency} />],
        [
          text('disputes.withdrawn'),
          dispute.amountWithdrawn > 0 && <Money key="withdrawn" amount={dispute.amountWithdrawn} currency={currency} />,
        ],
        [text('disputes.fee'), fee && <Money key="fee" amount={fee.amount} currency={fee.currency} />],
        [
          text('payment.title'),
          <LinkText key="payment" href={`/payments/${transactionId}`}>
            {transactionId}
          </LinkText>,
        ],
        [text('disputes.stage'), text(`disputes.stage.${dispute.stage}` as TextKey)],
        [text('disputes.reason'), text(`disputes.reason.${dispute.reason}` as TextKey)],
        [text('disputes.providerReason'), dispute.providerReason],
        [
          text('disputes.respondBy'),
          respondBy !== null && (
            <Group key="deadline" gap={6}>
              <Time value={respondBy} />
              {dispute.status === 'OPEN' && <Deadline dispute={dispute} />}
            </Group>
          ),
        ],
        [text('payment.failure'), dispute.failureCode],
        [text('payment.reference'), <Copyable key="reference" value={dispute.providerReference} />],
        [text('payments.created'), <Time key="created" value={dispute.createdTime} precise />],
        [
          text('disputes.submitted'),
          dispute.submittedTime && <Time key="submitted" value={dispute.submittedTime} precise />,
        ],
        [text('disputes.closed'), dispute.closedTime && <Time key="closed" value={dispute.closedTime} precise />],
      ]}
    />
  );
}

/** What was sent to the provider, or is about to be. */
function Answers({ dispute: { answers } }: { dispute: DisputeDetail }) {
  const text = useText();
  const fieldLabel = useFieldLabel();
  return (
    <Section title={text('disputes.answers')}>
      <DataTable
        caption={text('disputes.answers')}
        columns={[
          { header: text('disputes.answer'), cell: ({ kind }) => text(`disputes.answer.${kind}` as TextKey) },
          { header: text('disputes.stage'), cell: ({ stage }) => text(`disputes.stage.${stage}` as TextKey) },
          { header: text('payments.status'), cell: ({ state }) => text(`disputes.answerState.${state}` as TextKey) },
          {
            header: text('disputes.evidence'),
            from: 'sm',
            cell: ({ evidence }) =>
              [...Object.keys(evidence.texts), ...evidence.files.map(({ name }) => name)].map(fieldLabel).join(', '),
          },
        ]}
        rows={answers}
        keyOf={({ kind, stage, state }) => `${kind} ${stage} ${state}`}
        empty={null}
      />
    </Section>
  );
}
