import { Accordion, Badge, Group, Text } from '@mantine/core';
import type { DeliveryAttempt, DeliveryDetail } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { CodeBlock, Copyable } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { NextTry, shownState } from './delivery-columns.tsx';

export default function DeliveryPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('webhooks.deliveries.get', { id }, { pollMs: 5_000 });
  const replay = useChange('webhooks.replay');
  return (
    <RecordPage title={text('delivery.title')} listPath="/deliveries" read={read}>
      {(delivery) => (
        <Page
          title={delivery.eventType}
          beside={
            <Group gap="xs">
              <StatusBadge status={shownState(delivery)} />
              <NextAttempt delivery={delivery} />
            </Group>
          }
          actions={
            <PermittedButton
              needs="webhook_write"
              loading={replay.isPending}
              onClick={() => replay.mutate({ body: { deliveryId: id } })}
              unavailable={delivery.state === 'OPEN' ? text('delivery.isOpen') : undefined}
            >
              {text('delivery.replay')}
            </PermittedButton>
          }
        >
          <ErrorNote error={replay.error} />
          <Facts
            facts={[
              ['ID', <Copyable key="id" value={delivery.id} />],
              [
                text('deliveries.endpoint'),
                <LinkText key="endpoint" href={`/webhooks/${delivery.endpointId}`}>
                  {delivery.url}
                </LinkText>,
              ],
              [
                text('event.title'),
                <LinkText key="event" href={`/events/${delivery.eventId}`}>
                  {delivery.eventId}
                </LinkText>,
              ],
              [text('payments.created'), <Time key="created" value={delivery.createdTime} precise />],
              [
                text('delivery.finished'),
                delivery.finishedTime && <Time key="finished" value={delivery.finishedTime} precise />,
              ],
            ]}
          />
          <Section title={text('delivery.attempts')}>
            {delivery.attempts.length === 0 ? (
              <Text size="sm" c="dimmed">
                {text('delivery.noAttempts')}
              </Text>
            ) : (
              <Attempts attempts={delivery.attempts} />
            )}
          </Section>
          {delivery.runs.length > 1 && <Runs delivery={delivery} />}
          <RequestSection delivery={delivery} />
        </Page>
      )}
    </RecordPage>
  );
}

function NextAttempt({ delivery: { state, nextAttemptTime } }: { delivery: DeliveryDetail }) {
  const text = useText();
  if (state !== 'OPEN' || nextAttemptTime === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {text('delivery.nextAttempt')} <NextTry time={nextAttemptTime} />
    </Text>
  );
}

function Attempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const text = useText();
  const newestFirst = attempts.toReversed();
  return (
    <Accordion variant="contained" defaultValue={String(newestFirst[0]?.number)} order={3}>
      {newestFirst.map((attempt) => (
        <Accordion.Item key={attempt.number} value={String(attempt.number)}>
          <Accordion.Control>
            <Group gap="sm">
              <Badge color={attempt.status !== null && attempt.status < 300 ? 'green' : 'red'}>
                {attempt.status ?? attempt.outcome}
              </Badge>
              <Text size="sm">{text('delivery.attempt', { n: attempt.number })}</Text>
              <Text size="sm" c="dimmed">
                <Time value={attempt.time} precise /> · {attempt.durationMs} ms
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptDetail attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function AttemptDetail({ attempt }: { attempt: DeliveryAttempt }) {
  const text = useText();
  const { responseHeaders, responseBody, address, outcome } = attempt;
  const head = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  const answer = [...head, '', responseBody ?? ''].join('\n').trim();
  return (
    <>
      <Text size="sm" mb="xs">
        {text('delivery.outcome')}: {outcome}
        {address !== null && ` · ${address}`}
      </Text>
      {answer === '' ? (
        <Text size="sm" c="dimmed">
          {attempt.status === null
            ? text('delivery.noAnswer')
            : text('delivery.answerNotKept', { status: String(attempt.status) })}
        </Text>
      ) : (
        <CodeBlock value={answer} />
      )}
    </>
  );
}

/** Deliveries of the same event to the same endpoint, by replays. */
function Runs({ delivery }: { delivery: DeliveryDetail }) {
  const text = useText();
  return (
    <Section title={text('delivery.runs')}>
      <DataTable
        caption={text('delivery.runs')}
        columns={[
          { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} precise /> },
          { header: text('payments.status'), cell: ({ state }) => <StatusBadge status={state} /> },
          { header: 'ID', from: 'sm', cell: ({ id }) => (id === delivery.id ? text('sessions.current') : id) },
        ]}
        rows={delivery.runs}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/deliveries/${id}`}
        empty={null}
      />
    </Section>
  );
}

/** What was sent, without the signature, which differs in every attempt and needs a secret that is not shown. */
function RequestSection({ delivery }: { delivery: DeliveryDetail }) {
  const text = useText();
  const event = useRead('events.get', { id: delivery.eventId });
  const headers = [
    `POST ${delivery.url}`,
    'Content-Type: application/json',
    `X-Service-Event: ${delivery.eventType}`,
    `X-Service-Delivery: ${delivery.id}`,
  ].join('\n');
  return (
    <Section title={text('delivery.request')}>
      <CodeBlock
        value={event.data === undefined ? headers : `${headers}\n\n${JSON.stringify(event.data.data.payload, null, 2)}`}
      />
    </Section>
  );
}
