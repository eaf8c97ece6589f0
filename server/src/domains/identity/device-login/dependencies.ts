import type { Clock } from '../../../core/clock.ts';
import type { FailureLimiter, RateLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import type { Database } from '../../../platform/postgres/database.ts';

/** What the endpoints of device logins work with. */
export interface DeviceLoginDeps {
  database: Database;
  clock: Clock;
  publicUrl: string;
  /** Logins that were begun, by address. */
  begun: FailureLimiter;
  /** Device codes that nobody was given, by address. */
  unknownDevices: FailureLimiter;
  /** User codes under which nothing waits, by user. */
  wrongCodes: RateLimiter;
}
