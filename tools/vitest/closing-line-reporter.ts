import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with the line `N passed, N failed`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        if (state === 'failed') failed++;
      }
    }
    // After the summary of the default reporter, which is written at the same time.
    process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
