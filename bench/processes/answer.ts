/** Answers every message from the parent with what `run` makes of it; a failure ends this process, and so the parent learns of it. */
export function answerMessages<Job>(run: (job: Job) => Promise<unknown>): void {
  process.on('message', (job: Job) => {
    run(job).then((result) => process.send?.(result), endWith);
  });
  process.on('disconnect', () => process.exit());
}

function endWith(error: unknown): never {
  console.error(error);
  process.exit(1);
}
