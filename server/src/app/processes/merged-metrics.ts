/** The metrics of one process in Prometheus text format. */
export interface ProcessMetrics {
  process: number;
  text: string;
}

/**
 * Merges the metrics of several processes: one HELP and TYPE for each metric, and the label `process` on every sample,
 * as the format requires the samples of a metric to be together.
 */
export function mergedMetrics(all: readonly ProcessMetrics[]): string {
  const metrics = new Map<string, { comments: string[]; samples: string[] }>();
  for (const { process, text } of all) {
    let current = { comments: [] as string[], samples: [] as string[] };
    for (const line of text.split('\n')) {
      const comment = /^# (HELP|TYPE) (\S+)/.exec(line);
      if (comment !== null) {
        const [, kind, name = ''] = comment;
        const known = metrics.get(name);
        current = known ?? { comments: [], samples: [] };
        if (known === undefined) metrics.set(name, current);
        if (!current.comments.some((given) => given.startsWith(`# ${kind} `))) current.comments.push(line);
      } else if (line !== '' && !line.startsWith('#')) {
        current.samples.push(labelled(line, process));
      }
    }
  }
  return [...metrics.values()]
    .filter(({ samples }) => samples.length > 0)
    .map(({ comments, samples }) => `${[...comments, ...samples].join('\n')}\n`)
    .join('\n');
}

/** `name 1` and `name{a="b"} 1`, with a further label. */
function labelled(sample: string, process: number): string {
  const [name = ''] = /^[a-zA-Z_:][\w:]*/.exec(sample) ?? [];
  const rest = sample.slice(name.length);
  return rest.startsWith('{')
    ? `${name}{process="${process}",${rest.slice(1)}`
    : `${name}{process="${process}"}${rest}`;
}
