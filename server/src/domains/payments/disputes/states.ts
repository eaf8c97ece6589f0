import { Type } from 'typebox';
import {
  type DisputeStage,
  type DisputeStatus,
  disputeActions,
  disputeReasons,
  disputeStages,
  disputeStatuses,
  type ProviderDisputeStatus,
} from '../providers/dispute.ts';

export const disputeStage = Type.Enum([...disputeStages], { $id: 'DisputeStage' });
export const disputeStatus = Type.Enum([...disputeStatuses], { $id: 'DisputeStatus' });
export const disputeReason = Type.Enum([...disputeReasons], { $id: 'DisputeReason' });
export const disputeAction = Type.Enum([...disputeActions], { $id: 'DisputeAction' });

/**
 * What can follow at the same stage. At a higher stage everything can: a dispute that goes on is OPEN again. An EXPIRED
 * one is OPEN again when its provider names a later deadline.
 */
export const nextStatuses: Readonly<Record<DisputeStatus, readonly DisputeStatus[]>> = {
  OPEN: ['SUBMITTED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST', 'CLOSED'],
  SUBMITTED: ['WON', 'LOST', 'CLOSED'],
  ACCEPTED: ['WON', 'LOST', 'CLOSED'],
  EXPIRED: ['OPEN', 'WON', 'LOST', 'CLOSED'],
  WON: ['LOST'],
  LOST: ['WON'],
  CLOSED: [],
};

/** Whether the provider has decided. */
export const isDecided = (status: DisputeStatus): boolean =>
  status === 'WON' || status === 'LOST' || status === 'CLOSED';

export interface Standing {
  stage: DisputeStage;
  status: DisputeStatus;
  respond_by: string | null;
}

export interface ReportedStanding {
  stage: DisputeStage;
  status: ProviderDisputeStatus;
  respondBy: string | null;
}

/** Where a dispute stands after a report. A report that is older than what is known changes nothing. */
export function standingAfter(
  before: Standing,
  { stage, status, respondBy }: ReportedStanding,
): Pick<Standing, 'stage' | 'status'> {
  const rise = disputeStages.indexOf(stage) - disputeStages.indexOf(before.stage);
  if (rise > 0) return { stage, status };
  const stays = { stage: before.stage, status: before.status };
  if (status === before.status || !nextStatuses[before.status].includes(status)) return stays;
  // An offer to go on that nobody took leaves the former decision.
  if (rise < 0) return isDecided(status) ? { stage: before.stage, status } : stays;
  if (status !== 'OPEN') return { stage, status };
  return respondBy !== null && (before.respond_by === null || respondBy > before.respond_by)
    ? { stage, status }
    : stays;
}
