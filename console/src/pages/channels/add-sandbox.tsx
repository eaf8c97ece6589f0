import type { ChannelListItem } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { useProfile } from '../../session/session.tsx';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';

export const sandboxInput = {
  name: 'Sandbox',
  code: 'sandbox',
  type: 'ONLINE',
  currency: 'USD,EUR,JPY,KWD',
  country: 'US',
  state: true,
  provider: 'sandbox',
};

/** A channel whose payments move no money, in one click. Offered until there is one. */
export function AddSandbox({ channels }: { channels: readonly ChannelListItem[] | undefined }) {
  const text = useText();
  const { sandboxEnabled } = useProfile();
  const { livemode } = useMode();
  const adding = useChange('channels.modify');
  const isThere = channels?.some(({ provider }) => provider === 'sandbox') ?? true;
  if (livemode || !sandboxEnabled || isThere) return null;
  return (
    <>
      <ErrorNote error={adding.error} />
      <PermittedButton
        needs="channel_write"
        variant="default"
        w="fit-content"
        loading={adding.isPending}
        onClick={() => adding.mutate({ body: sandboxInput })}
      >
        {text('channels.addSandbox')}
      </PermittedButton>
    </>
  );
}
