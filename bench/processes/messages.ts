/** Runs a job for every message of the parent process and sends the result back. A failure exits with code 1. */
export function serveMessages<Job>(run: (job: Job) => Promise<unknown>): void {
  process.on('message', (job: Job) => {
    run(job).then((result) => process.send?.(result), exitWith);
  });
  process.on('disconnect', () => process.exit());
}

function exitWith(error: unknown): never {
  console.error(error);
  process.exit(1);
}
