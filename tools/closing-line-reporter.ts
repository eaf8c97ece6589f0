import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with the line that says it all: `N passed, N failed`. */
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
    // After the default reporter's own summary, which is written at the same moment.
    process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
