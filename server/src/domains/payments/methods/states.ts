import { Type } from 'typebox';
import type { EventType } from '../../../core/event-types.ts';

/**
 * PENDING: the provider has not answered, or the payer has a step to take. ACTIVE: can be charged. FAILED: never became
 * usable. EXPIRED: the card's month is over, or the issuer said so. REVOKED: ended at the provider. DETACHED: removed
 * here. FAILED and DETACHED are final.
 */
export const methodStatuses = ['PENDING', 'ACTIVE', 'FAILED', 'EXPIRED', 'REVOKED', 'DETACHED'] as const;
export type MethodStatus = (typeof methodStatuses)[number];

export const methodStatus = Type.Enum([...methodStatuses], { $id: 'PaymentMethodStatus' });

/** The transitions of a method, each with its event. */
export const nextStatuses: Readonly<Record<MethodStatus, Partial<Record<MethodStatus, EventType>>>> = {
  PENDING: {
    ACTIVE: 'payment_method.attached',
    FAILED: 'payment_method.failed',
    DETACHED: 'payment_method.detached',
  },
  ACTIVE: {
    EXPIRED: 'payment_method.expired',
    REVOKED: 'payment_method.revoked',
    DETACHED: 'payment_method.detached',
  },
  EXPIRED: {
    ACTIVE: 'payment_method.updated',
    REVOKED: 'payment_method.revoked',
    DETACHED: 'payment_method.detached',
  },
  REVOKED: {
    ACTIVE: 'payment_method.updated',
    DETACHED: 'payment_method.detached',
  },
  FAILED: {},
  DETACHED: {},
};
