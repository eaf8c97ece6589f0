import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FailureText } from '../../ui/failure-text.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { CodeBlock, Copyable } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

export default function RefundPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('refunds.get', { id });
  return (
    <RecordPage title={text('refunds.one')} listPath="/refunds" read={read}>
      {(refund) => (
        <Page title={text('refunds.one')} beside={<StatusBadge status={refund.status} />}>
          <Facts
            facts={[
              ['ID', <Copyable key="id" value={refund.id} />],
              [text('payments.amount'), <Money key="amount" amount={refund.amount} currency={refund.currency} />],
              [
                text('payment.title'),
                <LinkText key="payment" href={`/payments/${refund.transactionId}`}>
                  {refund.transactionId}
                </LinkText>,
              ],
              [text('payment.reason'), refund.reason],
              [
                text('payment.failure'),
                refund.failureCode && (
                  <FailureText key="failure" code={refund.failureCode} message={refund.failureMessage} />
                ),
              ],
              [
                text('payment.reference'),
                refund.providerReference && <Copyable key="reference" value={refund.providerReference} />,
              ],
              [text('payments.created'), <Time key="created" value={refund.createdTime} precise />],
              [text('payment.updated'), <Time key="updated" value={refund.updatedTime} precise />],
            ]}
          />
          <Section title="JSON">
            <CodeBlock value={JSON.stringify(refund, null, 2)} />
          </Section>
        </Page>
      )}
    </RecordPage>
  );
}
