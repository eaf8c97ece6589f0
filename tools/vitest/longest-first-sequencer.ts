import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take more than 7 s on two cores, the longest first. Vitest starts large files first: it started the
 * browser's, a short one, last, and its 70 s ran almost alone.
 */
const longest = [
  'console/tests/console.browser.ts',
  'server/src/app/tests/start.process.ts',
  'server/src/app/tests/access.test.ts',
  'server/src/app/verify.test.ts',
  'server/src/app/tests/faults/crash.test.ts',
  'server/src/platform/postgres/embedded/tests/account.process.ts',
  'server/src/app/tests/faults/fuzz.test.ts',
  'server/src/domains/billing/subscriptions/tests/interface.test.ts',
  'server/src/platform/postgres/connection/primary-monitor.test.ts',
  'cli/tests/operators.process.ts',
  'server/src/app/docs/docs.test.ts',
  'server/src/app/tests/refusals.test.ts',
  'server/src/app/backup/backup.test.ts',
  'server/src/domains/payments/transactions/tests/buckets.test.ts',
  'server/src/app/tests/http-edge.test.ts',
  'server/src/domains/webhooks/endpoints/tests/rotate.test.ts',
  'server/src/domains/billing/invoices/rendering/tests/under-load.test.ts',
  'server/src/app/tests/faults/readiness.process.ts',
  'server/src/app/tests/faults/frozen.process.ts',
  'server/src/platform/postgres/embedded/tests/supervisor.process.ts',
];

/** The longest files first, then the others as Vitest orders them: in a fresh clone by size. */
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
