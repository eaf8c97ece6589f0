import { Api } from './generated/api.ts';
import { operations } from './generated/operations.ts';
import { Call, type Operation, type Params, type WriteOptions } from './operation.ts';
import { List } from './pages.ts';
import type { Transport } from './transport.ts';

/**
 * Only the operations, for pages of the service itself, which have a session in a cookie and verify no webhooks.
 */
export class OperationsClient extends Api {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    super();
    this.transport = transport;
    for (const [name, operation] of Object.entries(operations)) this.addMethod(name, operation);
  }

  /** Adds `get` to `webhooks.deliveries`, which is created if needed. */
  private addMethod(name: string, operation: Operation): void {
    const nouns = name.split('.');
    const verb = nouns.pop() as string;
    let resource = this as unknown as Record<string, Record<string, unknown>>;
    for (const noun of nouns) {
      resource[noun] ??= {};
      resource = resource[noun] as typeof resource;
    }
    (resource as Record<string, unknown>)[verb] = this.method(operation);
  }

  private method(operation: Operation) {
    const [, , flags = ''] = operation;
    const takesParams = !flags.includes('n');
    return (...given: unknown[]): unknown => {
      const params = takesParams ? paramsOf(given[0]) : {};
      const options = (takesParams ? given[1] : given[0]) as WriteOptions | undefined;
      if (!flags.includes('l')) return new Call(this.transport.send(operation, params, options));
      const fetchPage = (page: Params) => this.transport.send<unknown[]>(operation, page, options);
      return new List(fetchPage, params, flags.includes('p'));
    };
  }
}

/** An id may be passed alone. */
function paramsOf(given: unknown): Params {
  return typeof given === 'string' || typeof given === 'number' ? { id: given } : ((given ?? {}) as Params);
}
