import { SegmentedControl } from '@mantine/core';
import { useMode } from './mode.tsx';
import { useText } from './preferences.tsx';

export function ModeSwitch() {
  const text = useText();
  const { livemode, chooseMode } = useMode();
  return (
    <SegmentedControl
      size="xs"
      aria-label={text('mode.label')}
      color={livemode ? undefined : 'orange.9'}
      autoContrast
      transitionDuration={0}
      data={[
        { value: 'live', label: text('mode.live') },
        { value: 'test', label: text('mode.test') },
      ]}
      value={livemode ? 'live' : 'test'}
      onChange={(chosen) => chooseMode(chosen === 'live')}
    />
  );
}
