import { Refusal } from './errors.ts';
import type { Principal } from './principal.ts';
import { type BrokenRule, rule } from './refusal-rules.ts';

/** The response header with the mode in which a request was answered: `test` or `live`. */
export const modeHeader = 'x-florin-mode';

/** Every record is real business (`live`) or made for testing (`test`), and is shown and counted in that mode only. */
export const modeName = (livemode: boolean) => (livemode ? 'live' : 'test');

/** A caller with its mode: that of a developer key; undefined for a session, which sees both. */
type Caller = Pick<Principal, 'livemode'>;

/**
 * Refuses (`livemode_mismatch`) a test key that would change records which live and test share, such as users, or read
 * them where they include live ones. Test keys are stored less carefully, and a user created or changed with one could
 * reach live records. `doing` completes the message: `change users`.
 */
export function refuseTestKey({ livemode }: Caller, doing: string): void {
  if (livemode !== false) return;
  throw new Refusal('livemode_mismatch', rule('test_key', { doing }));
}

/** Whether the caller may see a record: a key sees its own mode, a session both. */
export function seesMode({ livemode }: Caller, recordLivemode: boolean): boolean {
  return livemode === undefined || livemode === recordLivemode;
}

/**
 * The modes that a list or a sum shows: that of the key, or the one that a session requests. A session that requests
 * none sees live records only, unless it names a record (`namesRecord`), which has one mode anyway.
 */
export function visibleModes(
  { livemode }: Caller,
  requested: boolean | undefined,
  { namesRecord = false }: { namesRecord?: boolean } = {},
): boolean[] {
  const mode = livemode ?? requested;
  if (mode !== undefined) return [mode];
  return namesRecord ? [true, false] : [true];
}

/** Like `visibleModes`, with the records that filters name; undefined instead of both modes. */
export function listedModes(
  caller: Caller,
  requested: boolean | undefined,
  named: readonly unknown[] = [],
): boolean[] | undefined {
  const modes = visibleModes(caller, requested, { namesRecord: named.some((record) => record !== undefined) });
  return modes.length === 2 ? undefined : modes;
}

/**
 * The mode of a new record: that of the key, else the one that the session requests, else that of the named channel,
 * else live. Refuses (`livemode_mismatch`) a channel of another mode.
 */
export function livemodeOfNew(
  { livemode }: Caller,
  requested: boolean | undefined,
  channel?: { id: number; livemode: boolean } | undefined,
  field = 'channelId',
): boolean {
  const mode = livemode ?? requested ?? channel?.livemode ?? true;
  if (channel !== undefined) requireSameMode(mode, channel.livemode, field, { noun: 'channel', id: channel.id });
  return mode;
}

/** The record that a field names. */
interface Named {
  noun: string;
  id: number;
}

/** Refuses to connect records of different modes. `named` is the record that `field` names. */
export function requireSameMode(livemode: boolean, ofNamed: boolean, field: string, named: Named): void {
  if (livemode !== ofNamed) throw otherModeRefusal(livemode, ofNamed, field, named);
}

export function otherModeRefusal(livemode: boolean, ofNamed: boolean, field: string, named: Named): Refusal {
  return livemodeMismatch(
    field,
    rule('other_mode', { mode: modeName(livemode), ...named, otherMode: modeName(ofNamed) }),
  );
}

/** Refuses to change the mode of a record. */
export function requireUnchangedMode(requested: boolean | undefined, livemode: boolean): void {
  if (requested === undefined || requested === livemode) return;
  throw livemodeMismatch('livemode', rule('mode_stays', { mode: modeName(livemode) }));
}

/** Refuses a key that names a channel of the other mode, or the other mode itself. */
export function requireModeOfKey({ livemode }: Caller, ofNamed: boolean, field: string, named: Named): void {
  if (livemode === undefined || livemode === ofNamed) return;
  throw livemodeMismatch(
    field,
    rule('key_of_other_mode', {
      mode: modeName(livemode),
      prefix: prefixOf(livemode),
      ...named,
      otherMode: modeName(ofNamed),
      otherPrefix: prefixOf(ofNamed),
    }),
  );
}

export function livemodeMismatch(field: string, message: BrokenRule): Refusal {
  return new Refusal('livemode_mismatch', message, { field });
}

/** The prefix of the developer keys of a mode. */
export const prefixOf = (livemode: boolean) => `sk_${modeName(livemode)}_`;
