/**
 * The service goes on when its output cannot be written, because nobody reads it any more (`| head -1`) or the disk of
 * its log is full. Without a listener such a failure ends the process, and with it the service.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
