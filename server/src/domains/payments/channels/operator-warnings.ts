import { type Clock, minuteMs } from '../../../core/clock.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { Log } from '../../../platform/process/log.ts';
import type { Failure, FailureCode } from '../providers/failures.ts';
import type { ChannelDirectory } from './directory.ts';

/** What an operator can do about failures that no payer has caused. */
const remedies = {
  credentials_refused: "Set the channel's API key again, and see at the provider whether the account is restricted.",
  invalid_operation:
    'The provider refuses the request itself: providerCode says why, and so does the timeline of a payment. See ' +
    'whether the account may do this, and report it as a defect otherwise.',
} as const satisfies Partial<Record<FailureCode, string>>;

/** How often the same failure of a channel is logged: a refused key fails every payment. */
const quietMs = minuteMs;

export interface OperatorWarningsDeps {
  log: Pick<Log, 'warn'>;
  channels: Pick<ChannelDirectory, 'find'>;
  clock: Clock;
  /** Counts each failure, also those that are not logged. */
  onFailure: (provider: string, code: keyof typeof remedies) => void;
}

/** A failed request to a provider. */
export interface RefusedRequest {
  channelId: number;
  provider: string;
  failure: Failure;
  /** What it was about: `transactionId` or `methodId`, and others. */
  facts: Readonly<Record<string, unknown>>;
}

/** Counts every such failure, and warns in the log. */
export function operatorWarningsOf({
  metrics,
  ...deps
}: Omit<OperatorWarningsDeps, 'onFailure'> & { metrics: Metrics }): OperatorWarnings {
  const failures = metrics.counter(
    'florin_provider_refusals_total',
    'Requests that a provider refused for a reason that an operator has to mend, by provider and failure code: ' +
      'credentials_refused or invalid_operation. No payer was declined.',
    ['provider', 'code'],
  );
  return new OperatorWarnings({ ...deps, onFailure: (provider, code) => failures.labels(provider, code).inc() });
}

/** Warns operators about failures that are no declines: the payer can do nothing about them, an operator can. */
export class OperatorWarnings {
  readonly #deps: OperatorWarningsDeps;
  readonly #loggedMs = new Map<string, number>();

  constructor(deps: OperatorWarningsDeps) {
    this.#deps = deps;
  }

  async failed({ channelId, provider, failure, facts }: RefusedRequest): Promise<void> {
    const { code, providerCode } = failure;
    if (!isForOperators(code)) return;
    const { log, channels, clock, onFailure } = this.#deps;
    onFailure(provider, code);
    const key = `${channelId} ${code}`;
    const nowMs = clock();
    if (nowMs < (this.#loggedMs.get(key) ?? Number.NEGATIVE_INFINITY) + quietMs) return;
    this.#loggedMs.set(key, nowMs);
    const channel = (await channels.find(channelId))?.name ?? null;
    const what = { channelId, channel, provider, failureCode: code, providerCode, ...facts };
    log.warn({ ...what, remedy: remedies[code] }, messages[code]);
  }
}

const messages: Record<keyof typeof remedies, string> = {
  credentials_refused: 'A provider refuses the credentials of a channel: its payments and setups fail',
  invalid_operation: 'A provider refuses a request of Florin, which is no decline',
};

function isForOperators(code: FailureCode): code is keyof typeof remedies {
  return code in remedies;
}
