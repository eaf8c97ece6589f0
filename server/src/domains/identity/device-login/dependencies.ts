import type { Clock } from '../../../core/clock.ts';
import type { FailureLimiter, RateLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import type { Database } from '../../../platform/postgres/database.ts';

/** Dependencies of the endpoints of device logins. */
export interface DeviceLoginDeps {
  database: Database;
  clock: Clock;
  publicUrl: string;
  /** Counts logins that were begun, by address. */
  begun: FailureLimiter;
  /** Counts requests with an unknown device code, by address. */
  unknownDevices: FailureLimiter;
  /** Counts user codes that were entered and belong to no login, by user. */
  wrongCodes: RateLimiter;
}
