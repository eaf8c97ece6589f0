import { Fragment, type ReactNode } from 'react';

/** A text whose places in braces are replaced by elements. */
export function FilledText({ text, elementOf }: { text: string; elementOf: (place: string) => ReactNode }) {
  return text.split(/\{(\w+)\}/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text stay in their places.
    <Fragment key={i}>{i % 2 === 0 ? part : elementOf(part)}</Fragment>
  ));
}
