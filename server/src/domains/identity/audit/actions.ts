import { auditActions } from './generated/actions.ts';

export { auditActions };

/** Modules declare their actions (`auditActions` in `module.ts`); `npm run docs` collects them. */
export type AuditAction = keyof typeof auditActions;

export const auditActionNames = Object.keys(auditActions) as AuditAction[];

/** The type of the record that an action concerns: `channel` for `channel.update`. */
export function recordTypeOf(action: AuditAction): string {
  return action.slice(0, action.indexOf('.'));
}
