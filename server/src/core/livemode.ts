import { Refusal } from './errors.ts';
import type { Principal } from './principal.ts';

/** The header that tells on which side of the two a request was answered: `test` or `live`. */
export const modeHeader = 'x-florin-mode';

/** Records belong to real business (`live`) or are tries (`test`). Nothing is ever shown or counted in both. */
export const modeName = (livemode: boolean) => (livemode ? 'live' : 'test');

/** The caller, as far as its mode is concerned. A developer key has one, a session none. */
type Moded = Pick<Principal, 'livemode'>;

/**
 * Refuses (`livemode_mismatch`) a test key that would change what live and test records share, such as users, or read it where it
 * holds live records: test keys are kept where people look less closely, and a user whom one could make or change would reach
 * live records. `doing`: such as `change users`.
 */
export function refuseTestKey({ livemode }: Moded, doing: string): void {
  if (livemode !== false) return;
  throw new Refusal('livemode_mismatch', `A test key cannot ${doing}: use a live key, or log in.`);
}

/** Whether the caller may see a record: a key sees its own mode, a session both. */
export function seesMode({ livemode }: Moded, recordLivemode: boolean): boolean {
  return livemode === undefined || livemode === recordLivemode;
}

/**
 * The modes that a list or a sum shows: those of a key, or the one that a session asks for. A session that asks for none sees
 * live records; or, if it names a record (`namesRecord`), those of that record, which are of one mode.
 */
export function visibleModes(
  { livemode }: Moded,
  requested: boolean | undefined,
  { namesRecord = false }: { namesRecord?: boolean } = {},
): boolean[] {
  const mode = livemode ?? requested;
  if (mode !== undefined) return [mode];
  return namesRecord ? [true, false] : [true];
}

/**
 * The modes that a list shows, as `visibleModes`; undefined: both, because a filter names a record, which has one mode.
 */
export function listedModes(
  caller: Moded,
  requested: boolean | undefined,
  named: readonly unknown[] = [],
): boolean[] | undefined {
  const modes = visibleModes(caller, requested, { namesRecord: named.some((record) => record !== undefined) });
  return modes.length === 2 ? undefined : modes;
}

/**
 * The mode of a new record: that of the key, or what the session asks for, or that of the channel that the record names, or
 * live. Refuses (`livemode_mismatch`) a channel of another mode.
 */
export function livemodeOfNew(
  { livemode }: Moded,
  requested: boolean | undefined,
  channel?: { id: number; livemode: boolean } | undefined,
  field = 'channelId',
): boolean {
  const mode = livemode ?? requested ?? channel?.livemode ?? true;
  if (channel !== undefined) requireSameMode(mode, channel.livemode, field, `channel ${channel.id}`);
  return mode;
}

/** Refuses to connect records of different modes. `named` is the record that `field` names. */
export function requireSameMode(livemode: boolean, ofNamed: boolean, field: string, named: string): void {
  if (livemode !== ofNamed) throw otherModeRefusal(livemode, ofNamed, field, named);
}

/** The refusal to connect a record with another, which is of the other mode. */
export function otherModeRefusal(livemode: boolean, ofNamed: boolean, field: string, named: string): Refusal {
  return livemodeMismatch(
    field,
    `This is for ${modeName(livemode)} use, but ${named} is for ${modeName(ofNamed)} use: name one for ${modeName(livemode)} use.`,
  );
}

/** Refuses to change the mode of a record. */
export function requireUnchangedMode(requested: boolean | undefined, livemode: boolean): void {
  if (requested === undefined || requested === livemode) return;
  throw livemodeMismatch('livemode', `This is for ${modeName(livemode)} use, which never changes: create another one.`);
}

/** Refuses a key that names a channel or a mode other than its own. */
export function requireModeOfKey({ livemode }: Moded, ofNamed: boolean, field: string, named: string): void {
  if (livemode === undefined || livemode === ofNamed) return;
  throw livemodeMismatch(
    field,
    `This is a ${modeName(livemode)} key (${prefixOf(livemode)}…), but ${named} is for ${modeName(ofNamed)} use. ` +
      `Use a ${modeName(ofNamed)} key (${prefixOf(ofNamed)}…).`,
  );
}

export function livemodeMismatch(field: string, message: string): Refusal {
  return new Refusal('livemode_mismatch', message, { field });
}

/** How the keys of a mode begin. */
export const prefixOf = (livemode: boolean) => `sk_${modeName(livemode)}_`;
