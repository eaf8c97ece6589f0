import type { Mail } from '../../../platform/mail/mailer.ts';
import type { QueuedUserMail, UserMailKind } from './statements.ts';

/** Writes a mail when it is sent, from what is true then. Undefined: there is no reason to send it any more. */
export type ComposeUserMail = (queued: QueuedUserMail) => Promise<Mail | undefined>;

/** Who writes the mails of each kind. An extension point: the module that queues a kind registers itself. */
export class UserMailComposers {
  readonly #composers = new Map<UserMailKind, ComposeUserMail>();

  register(kind: UserMailKind, compose: ComposeUserMail): void {
    this.#composers.set(kind, compose);
  }

  readonly compose = async (queued: QueuedUserMail): Promise<Mail | undefined> => {
    const compose = this.#composers.get(queued.kind);
    if (compose === undefined) throw new Error(`No module writes mails of the kind ${queued.kind}.`);
    return compose(queued);
  };
}
