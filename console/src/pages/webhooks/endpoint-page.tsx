import { Alert, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { webhooksDeliveriesListState } from '../../api/choices.ts';
import type { DeliveryAttempt, WebhookEndpoint } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useModeOf } from '../../shell/mode.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import { answerOf } from './answer.ts';
import { useDeliveryColumns } from './delivery-columns.tsx';
import { type EndpointDialog, EndpointDialogs } from './endpoint-dialogs.tsx';
import { EndpointState } from './webhooks-page.tsx';

const filterNames = ['state'] as const;

export default function EndpointPage({ id }: { id: string }) {
  const text = useText();
  // A list has one mode, and the address does not tell which one.
  const live = useRead('webhooks.list', { pageSize: 100, livemode: true }, { pollMs: 5_000 });
  const test = useRead('webhooks.list', { pageSize: 100, livemode: false }, { pollMs: 5_000 });
  const all = [...(live.data?.data ?? []), ...(test.data?.data ?? [])];
  const endpoint = all.find((one) => String(one.id) === id);
  const isInItsMode = useModeOf(endpoint);
  if (endpoint !== undefined) return isInItsMode && <Endpoint endpoint={endpoint} />;
  return (
    <Page title={text('webhooks.endpoint')}>
      <ErrorNote error={live.error ?? test.error} />
      {live.isSuccess && test.isSuccess && <EmptyState title={text('record.absent')} />}
    </Page>
  );
}

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const text = useText();
  const [dialog, setDialog] = useState<EndpointDialog>();
  const ping = useChange('webhooks.test');
  const change = useChange('webhooks.modify');
  const { filters, setFilters } = useFilters(filterNames);
  const columns = useDeliveryColumns().filter(({ header }) => header !== text('deliveries.endpoint'));
  const isActive = endpoint.state;
  return (
    <Page
      title={text('webhooks.endpoint')}
      beside={<EndpointState endpoint={endpoint} />}
      actions={
        <>
          {(!isActive || endpoint.failingSince !== null || endpoint.pausedUntil !== null) && (
            <PermittedButton
              needs="webhook_write"
              loading={change.isPending}
              onClick={() =>
                change.mutate({ body: { id: endpoint.id, retry: true, ...(!isActive && { state: true }) } })
              }
            >
              {text(isActive ? 'webhooks.retryNow' : 'webhooks.resume')}
            </PermittedButton>
          )}
          <PermittedButton
            needs="webhook_write"
            variant="default"
            loading={ping.isPending}
            onClick={() => ping.mutate({ body: { id: endpoint.id } })}
            unavailable={isActive ? undefined : text('webhooks.isInactive')}
          >
            {text('webhooks.test')}
          </PermittedButton>
          <PermittedButton
            needs="webhook_write"
            variant="default"
            onClick={() => setDialog('replay')}
            unavailable={isActive ? undefined : text('webhooks.isInactive')}
          >
            {text('webhooks.replay')}
          </PermittedButton>
          <PermittedButton needs="webhook_write" variant="default" onClick={() => setDialog('edit')}>
            {text('common.edit')}
          </PermittedButton>
          <PermittedButton needs="webhook_write" variant="default" onClick={() => setDialog('rotate')}>
            {text('webhooks.rotate')}
          </PermittedButton>
          <PermittedButton needs="webhook_write" variant="default" c="red" onClick={() => setDialog('remove')}>
            {text('common.remove')}
          </PermittedButton>
        </>
      }
    >
      <ErrorNote error={ping.error ?? change.error} />
      {ping.data !== undefined && <PingResult key={ping.data.data.deliveryId} id={ping.data.data.deliveryId} />}
      <EndpointFacts endpoint={endpoint} />
      <Section
        title={text('events.deliveries')}
        actions={
          <Group>
            <FilterSelect
              label={text('payments.status')}
              options={webhooksDeliveriesListState}
              value={filters.state}
              onChange={(state) => setFilters({ state })}
            />
          </Group>
        }
      >
        <CursorList
          caption={text('events.deliveries')}
          operation="webhooks.deliveries.list"
          query={{ endpointId: endpoint.id, ...filters }}
          columns={columns}
          keyOf={(delivery) => delivery.id}
          linkOf={(delivery) => `/deliveries/${delivery.id}`}
          pollMs={5_000}
          empty={
            <EmptyState title={text('deliveries.none')}>
              <Text size="sm">{text('deliveries.noneHint')}</Text>
            </EmptyState>
          }
        />
      </Section>
      <EndpointDialogs endpoint={endpoint} dialog={dialog} onClose={() => setDialog(undefined)} />
    </Page>
  );
}

/** How the endpoint answers a test, once it has. */
function PingResult({ id }: { id: string }) {
  const text = useText();
  const [attempt, setAttempt] = useState<DeliveryAttempt>();
  const read = useRead('webhooks.deliveries.get', { id }, { pollMs: attempt === undefined ? 500 : false });
  const first = read.data?.data.id === id ? read.data.data.attempts[0] : undefined;
  useEffect(() => setAttempt(first), [first]);
  const isOk = attempt?.outcome === 'ok';
  return (
    <Alert color={attempt === undefined ? 'blue' : isOk ? 'green' : 'red'} role="status">
      <Text size="sm">
        {attempt === undefined
          ? text('webhooks.testSent')
          : text(isOk ? 'webhooks.testOk' : 'webhooks.testFailed', {
              answer: answerOf(attempt.status, attempt.outcome, text),
              ms: attempt.durationMs,
            })}{' '}
        {attempt !== undefined && !isOk && read.data?.data.state === 'OPEN' && `${text('webhooks.testAgain')} `}
        <LinkText href={`/deliveries/${id}`}>{text('webhooks.testShow')}</LinkText>
      </Text>
    </Alert>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  const text = useText();
  const { locale } = usePreferences();
  const query = { endpointId: endpoint.id, pageSize: 100 };
  const open = useRead('webhooks.deliveries.list', { ...query, state: 'OPEN' }, { pollMs: 5_000 }).data;
  const failed = useRead('webhooks.deliveries.list', { ...query, state: 'FAILED', pageSize: 1 }).data;
  const isAiling = endpoint.failingSince !== null || endpoint.pausedUntil !== null || !endpoint.state;
  const last = isAiling ? (open?.data.find(({ attemptCount }) => attemptCount > 0) ?? failed?.data[0]) : undefined;
  const waiting = open?.data.length ?? 0;
  return (
    <Facts
      facts={[
        [text('webhooks.url'), endpoint.url],
        [text('webhooks.events'), endpoint.events.join(', ')],
        [
          text('webhooks.lastError'),
          last !== undefined && (
            <LinkText key="last" href={`/deliveries/${last.id}`}>
              {answerOf(last.lastStatus, last.lastOutcome, text)}
            </LinkText>
          ),
        ],
        [
          text('webhooks.waiting'),
          open !== undefined &&
            new Intl.NumberFormat(locale).format(waiting) + (open.pagination?.nextCursor ? '+' : ''),
        ],
        [text('webhooks.failingSince'), endpoint.failingSince && <Time key="since" value={endpoint.failingSince} />],
        [
          text('webhooks.pausedUntil'),
          endpoint.pausedUntil && <Time key="until" value={endpoint.pausedUntil} precise />,
        ],
        [text('webhooks.maxInFlight'), endpoint.maxInFlight],
        [text('webhooks.ratePerSecond'), endpoint.ratePerSecond],
        [text('webhooks.nextSecret'), endpoint.nextSecret && (endpoint.promoteAt ?? text('webhooks.staged'))],
        [text('payments.created'), <Time key="created" value={endpoint.createdTime} />],
      ]}
    />
  );
}
