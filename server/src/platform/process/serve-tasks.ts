/** What a worker answers. */
export type TaskResult<Value> = { outcome: 'done'; value: Value } | { outcome: 'failed'; error: unknown };

/** The worker's side of a `ProcessPool`: answers each task with the result of `perform`, or with its error. */
export function serveTasks<Input, Value>(perform: (input: Input) => Promise<Value>): void {
  process.on('message', (input: Input) => {
    perform(input).then(
      (value) => process.send?.({ outcome: 'done', value } satisfies TaskResult<Value>),
      (error) => process.send?.({ outcome: 'failed', error } satisfies TaskResult<Value>),
    );
  });
  // A terminal or a service manager signals all processes. This one goes on until its parent ends, whose requests it
  // serves.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
}
