import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, minuteMs } from '../../core/clock.ts';
import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { networkOf } from '../../platform/http/limits/network-of.ts';
import { type Quota, RateLimiter } from '../../platform/http/limits/rate-limiter.ts';
import type { RateLimits } from '../../platform/http/server/steps.ts';
import type { OtherProcesses } from '../../platform/process/other-processes.ts';
import type { Settings } from '../config/settings.ts';

/** What a limit counts by, and the key of a request; undefined if the limit does not apply to it. */
const partitions = {
  address: ({ address }: FastifyRequest) => networkOf(address),
  key: ({ principal }: FastifyRequest) => principal?.keyId?.toString(),
  user: ({ principal }: FastifyRequest) => principal?.userId.toString(),
  tenant: ({ principal }: FastifyRequest) => principal?.tenantId.toString(),
} as const;

type Partition = keyof typeof partitions;

const settingOf = {
  address: 'app.rate-limit.address-requests-per-minute',
  key: 'app.rate-limit.key-requests-per-minute',
  user: 'app.rate-limit.requests-per-minute',
  tenant: 'app.rate-limit.tenant-requests-per-minute',
} as const satisfies Record<Partition, keyof Settings>;

/**
 * Limits requests per minute by address, key, user and tenant, each only where its setting is given. Answers carry the
 * fields of draft-ietf-httpapi-ratelimit-headers-10.
 */
export function rateLimitsOf(
  settings: Settings,
  { clock, otherProcesses }: { clock: Clock; otherProcesses: OtherProcesses },
): RateLimits {
  const limits = (Object.keys(partitions) as Partition[]).flatMap((partition) => {
    const max = settings[settingOf[partition]];
    if (max === undefined) return [];
    const shared = otherProcesses.sharedUses(`requests by ${partition}`);
    return [{ partition, limiter: new RateLimiter({ max, windowMs: minuteMs, clock, shared }) }];
  });
  const limitsOf = (some: typeof limits) => (request: FastifyRequest, reply: FastifyReply) => {
    for (const { partition, limiter } of some) {
      const key = partitions[partition](request);
      if (key === undefined) continue;
      const quota = limiter.take(key);
      addToHeader(reply, 'ratelimit-policy', `"${partition}";q=${quota.max};w=${minuteMs / 1000}`);
      addToHeader(reply, 'ratelimit', `"${partition}";r=${quota.remaining};t=${quota.resetSeconds}`);
      if (quota.isExceeded) throw refusalOf(partition, quota);
    }
  };
  return {
    ofAddress: limitsOf(limits.filter(({ partition }) => partition === 'address')),
    ofCaller: limitsOf(limits.filter(({ partition }) => partition !== 'address')),
  };
}

function addToHeader(reply: FastifyReply, name: string, item: string): void {
  const before = reply.getHeader(name);
  reply.header(name, before === undefined ? item : `${before}, ${item}`);
}

function refusalOf(partition: Partition, { max, resetSeconds }: Quota): Refusal {
  return new Refusal('too_many_requests', rule('requests_a_minute', { most: max, limit: partition }), {
    retryAfterSeconds: resetSeconds,
  });
}
