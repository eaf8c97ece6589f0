import { Anchor, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { FlorinError, type Reply } from '../../api/client.ts';
import { useModeOf } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState, ErrorNote } from '../notes.tsx';
import { Page } from '../page.tsx';
import { RefusalText } from '../refusals/refusal-text.tsx';

interface RecordPageProps<Data> {
  title: string;
  /** The path of the list of such records. */
  listPath: string;
  read: UseQueryResult<Reply<Data>>;
  children: (record: Data) => ReactNode;
}

/**
 * A page about one record. Says that it was not found if it does not exist or belongs to another tenant. What was read
 * stays while a later reading fails, because a dialog may be open with what somebody has typed.
 */
export function RecordPage<Data>({ title, listPath, read, children }: RecordPageProps<Data>) {
  const text = useText();
  const isInItsMode = useModeOf(read.data?.data as { livemode?: boolean } | undefined);
  const refused = read.error instanceof FlorinError && !read.error.retryable ? read.error.status : undefined;
  const isRefused = refused !== undefined && refused >= 400 && refused < 500;
  if (read.data !== undefined && !isRefused) {
    return (
      <>
        <ErrorNote error={read.error} onRetry={() => read.refetch()} />
        {isInItsMode && children(read.data.data)}
      </>
    );
  }
  const isAbsent = refused === 404 || refused === 400;
  return (
    <Page title={title}>
      {isAbsent ? (
        <EmptyState title={text('record.absent')}>
          <Text size="sm">{read.error && <RefusalText error={read.error} />}</Text>
          <Anchor component={Link} href={listPath} size="sm">
            {text('record.toList')}
          </Anchor>
        </EmptyState>
      ) : (
        <ErrorNote error={read.error} onRetry={() => read.refetch()} />
      )}
      {read.isPending && <Skeleton height={200} />}
    </Page>
  );
}
