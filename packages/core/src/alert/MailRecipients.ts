/**
 * Which addresses have agreed to get an account's alerts by mail.
 *
 * An address is in lower case, so that one mailbox confirms once. A store forgets an address once no channel of the account names it. Rule:
 * alerts#recipients.
 */
import { Context, type Effect } from "effect"

export interface UnconfirmedRecipient {
  readonly address: string
  /** Until when the link that was sent last confirms; `null` if none was sent. */
  readonly link_ends_at: string | null
}

/** A link that a mail is about to have. */
export interface ConfirmationLink {
  readonly address: string
  /** SHA-256 of the token in the link. */
  readonly token_hash: string
  readonly ends_at: string
}

export class MailRecipients extends Context.Service<
  MailRecipients,
  {
    /** Those of the addresses that have not confirmed for the account, in their order. */
    readonly unconfirmed: (
      account_id: string,
      addresses: readonly string[]
    ) => Effect.Effect<readonly UnconfirmedRecipient[]>
    /** Stores a link, in the place of the one that the address had. False, and nothing happens, if the address has confirmed. */
    readonly ask: (account_id: string, link: ConfirmationLink) => Effect.Effect<boolean>
    /** Confirms the address of a link, by its hash alone; also if it has confirmed before. False: the link has ended, or was replaced. */
    readonly confirm: (token_hash: string, now: string) => Effect.Effect<boolean>
  }
>()("gatewarden/MailRecipients") {}
