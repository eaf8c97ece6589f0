import type { MethodProvider, Provider } from '../providers/provider.ts';
import { isOfOtherMode } from './mode.ts';
import { findOpenSetup } from './operation-statements.ts';
import { settleSetup } from './settle.ts';
import { findMethod } from './statements.ts';
import { callWithCredentials, type MethodWorkerDeps, setupOperationOf } from './worker.ts';

/** Looks up setups that wait for their payer at a provider, outside the schedule. */
export class WaitingSetups {
  readonly #deps: MethodWorkerDeps;

  constructor(deps: MethodWorkerDeps) {
    this.#deps = deps;
  }

  /** Settles an open setup if it has ended at the provider. */
  async lookUp(tenantId: number, methodId: string): Promise<void> {
    const { database, providers } = this.#deps;
    const [row] = await database.run(findMethod, [[tenantId], methodId]);
    const [operation] = await database.run(findOpenSetup, [tenantId, methodId]);
    if (row === undefined || operation === undefined) return;
    const { methods }: Provider = await providers.of(operation.provider);
    if (methods === undefined) return;
    const request = await setupOperationOf(operation, row, this.#deps);
    const answer = await callWithCredentials(operation, this.#deps, (call) =>
      (methods as MethodProvider).lookUp(request, call),
    );
    if (answer.kind !== 'attached' && answer.kind !== 'failed') return;
    if (isOfOtherMode(row, answer, this.#deps)) return;
    await settleSetup(operation, row, answer, { calls: 0, lookUps: 1 }, this.#deps);
  }
}
