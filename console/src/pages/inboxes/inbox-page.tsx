import { useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { InboxMessages } from './inbox-messages.tsx';

export default function InboxPage({ id }: { id: string }) {
  const text = useText();
  return (
    <Page title={text('inboxes.one')}>
      <InboxMessages id={Number(id)} empty={<EmptyState title={text('inboxes.waiting')} />} />
    </Page>
  );
}
