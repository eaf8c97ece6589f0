import { Text } from '@mantine/core';
import type { Request } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { ServiceWords } from '../../ui/refusals/service-words.tsx';
import { Copyable } from '../../ui/secrets/copy.tsx';
import { HttpStatus } from './http-status.tsx';

export default function RequestPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('requests.get', { id });
  return (
    <RecordPage title={text('requests.one')} listPath="/requests" read={read}>
      {(request) => (
        <Page title={`${request.method} ${request.path}`} beside={<HttpStatus status={request.status} />}>
          {request.error && (
            <Section title={text('requests.error')}>
              <Text size="sm">
                <ServiceWords by="service" words={request.error.message} />
              </Text>
            </Section>
          )}
          <RequestFacts request={request} />
        </Page>
      )}
    </RecordPage>
  );
}

function RequestFacts({ request }: { request: Request }) {
  const text = useText();
  return (
    <Facts
      facts={[
        [text('audit.time'), <Time key="time" value={request.createdTime} precise />],
        [text('requests.duration'), `${request.durationMs} ms`],
        [text('requests.requestId'), <Copyable key="id" value={request.requestId} />],
        [text('requests.errorType'), request.error?.type],
        [text('requests.field'), request.error?.field],
        [
          text('requests.by'),
          request.by === 'key' ? (
            <LinkText key="by" href={`/requests?keyId=${request.keyId}`}>
              {`${text('requests.byKey')} ${request.keyId}`}
            </LinkText>
          ) : (
            <LinkText key="by" href={`/requests?by=session&userId=${request.userId}`}>
              {`${text('requests.bySession')} ${request.userId}`}
            </LinkText>
          ),
        ],
        [text('sessions.address'), request.address],
        [text('requests.userAgent'), request.userAgent],
        [text('requests.idempotencyKey'), request.idempotencyKey],
      ]}
    />
  );
}
