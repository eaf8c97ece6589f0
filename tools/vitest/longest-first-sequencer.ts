import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take more than seven seconds on two cores, the longest first. The browser's file is short, so Vitest began it
 * last, and its 70 seconds ran almost alone.
 */
const longest = [
  'console/tests/console.test.ts',
  'server/src/app/tests/start.test.ts',
  'server/src/app/tests/access.test.ts',
  'server/src/app/verify.test.ts',
  'server/src/app/tests/faults/crash.test.ts',
  'server/src/platform/postgres/embedded/tests/account.test.ts',
  'server/src/app/tests/faults/fuzz.test.ts',
  'server/src/domains/billing/subscriptions/tests/interface.test.ts',
  'server/src/platform/postgres/connection/primary-monitor.test.ts',
  'cli/tests/operators.test.ts',
  'server/src/app/docs/docs.test.ts',
  'server/src/app/tests/refusals.test.ts',
  'server/src/app/backup/backup.test.ts',
  'server/src/domains/payments/transactions/tests/buckets.test.ts',
  'server/src/domains/billing/invoices/rendering/under-load.test.ts',
  'server/src/domains/payments/processing/tests/breaker.test.ts',
  'server/src/domains/billing/checkouts/tests/portal.test.ts',
  'server/src/app/tests/faults/readiness.test.ts',
  'server/src/app/tests/faults/frozen.test.ts',
  'server/src/platform/postgres/embedded/tests/supervisor.test.ts',
];

/** The longest files first; the others as Vitest orders them, which knows only the sizes of files in a fresh clone. */
export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const paths = longest.map((path) => join(this.ctx.config.root, path));
    const missing = paths.find((path) => !existsSync(path));
    if (missing !== undefined)
      throw new Error(`${missing} does not exist: correct the list in ${import.meta.filename}`);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = paths.indexOf(moduleId);
      return index === -1 ? paths.length : index;
    };
    // The sort is stable.
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
