import type { Clock } from '../../../core/clock.ts';
import type { FailureLimiter, RateLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import type { Database } from '../../../platform/postgres/database.ts';

export interface DeviceLoginDeps {
  database: Database;
  clock: Clock;
  publicUrl: string;
  /** Of one user: `app.developer-key.max-per-user`. */
  maxKeys: number;
  /** Counts the logins that are begun, by address. */
  beginLimiter: FailureLimiter;
  /** Counts requests with an unknown device code, by address. */
  unknownCodeLimiter: FailureLimiter;
  /** Counts user codes that belong to no login, by user. */
  wrongCodeLimiter: RateLimiter;
}
