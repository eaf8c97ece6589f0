import { ActionIcon, Code, Group, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';
import classes from './copy.module.css';

export function CopyButton({ value, label }: { value: string; label?: string }) {
  const text = useText();
  const { copied, copy } = useClipboard();
  const name = copied ? text('common.copied') : (label ?? text('common.copy'));
  return (
    <Tooltip label={name}>
      <ActionIcon variant="subtle" color={copied ? 'green' : 'gray'} onClick={() => copy(value)} aria-label={name}>
        <Icon name={copied ? 'check' : 'copy'} size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

/** An id or another value, with a button that copies it. */
export function Copyable({ value }: { value: string }) {
  return (
    <Group gap={4} wrap="nowrap" className={classes.copyable}>
      <span className={classes.value}>{value}</span>
      <CopyButton value={value} />
    </Group>
  );
}

/** Code or output, with a button that copies it. */
export function CodeBlock({ value }: { value: string }) {
  return (
    <div className={classes.block}>
      <Code block tabIndex={0} className={classes.code}>
        {value}
      </Code>
      <div className={classes.corner}>
        <CopyButton value={value} />
      </div>
    </div>
  );
}
