import type { AlertChannel, AlertDelivery, AlertKind } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"
import { type Page, type PageRequest } from "../value/Page.ts"
import type { WantedSlots } from "./limits.ts"

type Stored<Channel> = Channel extends unknown ? Omit<Channel, "unconfirmed_recipients"> : never

/** An alert channel without what its recipients did. */
export type ChannelFields = Stored<AlertChannel>

export interface StoredAlertChannel {
  /** With the masked config. */
  readonly channel: ChannelFields
  /** The real config, encrypted. */
  readonly sealed_config: Uint8Array
}

/** Puts a config in the place of the one that it was made from. */
export interface ReplacedChannelConfig {
  /** The ciphertext that was read. If the row has another one, nothing is written. */
  readonly replaces: Uint8Array
  readonly config: AlertChannel["config"]
  readonly sealed_config: Uint8Array
}

/** A new channel is told of at most so many budgets, and of as many other crossings. */
export const maxStandingAlerts = 100

/** The alert channels of workspaces: the masked config in plain text, the real config encrypted. */
export class AlertChannels extends Context.Service<
  AlertChannels,
  {
    /**
     * `full`: the workspace has as many as it may; `missing`: it does not exist (any more). An enabled channel that was inserted gets a
     * delivery of each crossing that it hears of and that still holds, the latest ones, at most `maxStandingAlerts`: of a budget the highest
     * threshold that it hears of. Rule: alerts#alerts-for-a-new-channel.
     */
    readonly insert: (
      account_id: string,
      channel: ChannelFields,
      sealed_config: Uint8Array
    ) => Effect.Effect<"inserted" | "full" | "missing">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<StoredAlertChannel>>
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<ChannelFields>>
    /**
     * Applies a change; `updated_at` becomes `now` exactly when a stored value changed. `superseded`: another request has replaced the
     * config that `replaced` was made from; nothing was written.
     */
    readonly update: (
      account_id: string,
      id: string,
      change: AlertChannelChange,
      replaced: ReplacedChannelConfig | undefined,
      now: string
    ) => Effect.Effect<ChannelFields | "missing" | "superseded">
    /** Deletes a channel with its ciphertext. False when there is none. */
    readonly remove: (account_id: string, id: string) => Effect.Effect<boolean>
  }
>()("gatewarden/AlertChannels") {}

export interface Alert {
  readonly id: string
  readonly workspace_id: string
  readonly type: AlertKind
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
}

export interface ListedAlert extends Alert {
  readonly deliveries: readonly AlertDelivery[]
}

/** The lease of a delivery. */
export interface AlertLease {
  readonly account_id: string
  readonly alert: Alert
  readonly channel: StoredAlertChannel
  /** Grows with each turn. A turn with an older token has lost its lease. */
  readonly token: number
  /** Attempts before this one. */
  readonly attempts: number
  /** The last attempt of the channel failed, with this alert or another one. */
  readonly is_failing: boolean
  /** Seconds since the alert was recorded, or since the channel was made if that is later. */
  readonly age_seconds: number
}

/** What to claim, in messages: of channels that are well, and of those whose last attempt failed, which get a small part of the slots. */
export interface WantedAlerts {
  readonly well: WantedSlots
  readonly failing: WantedSlots
  /** Channels to which something is being sent: the next claim is for them. */
  readonly busy: ReadonlySet<string>
}

/** `retry`: what waits for the channel is not tried before so many seconds have passed. */
export type AlertOutcome =
  | { readonly kind: "delivered"; readonly status: number | null; readonly message: string | null }
  | {
      readonly kind: "retry" | "failed"
      readonly status: number | null
      /** Bounded, and without secrets. */
      readonly message: string
      readonly due_in_seconds: number
    }

/**
 * Alerts: recorded once for each crossing, and delivered to the channels that heard of it.
 *
 * An alert is one row, unique by account, kind, subject and crossing, so of any number of processes that detect the same crossing one
 * records it. Alerts of budgets are recorded by the ledger, in the step that records the warning; `detect` finds the others. Each channel
 * that hears the kind has a delivery of its own, which one process at a time works on under a lease.
 *
 * Rule: alerts#crossings, alerts#attempts, alerts#quiet-time.
 */
export class Alerts extends Context.Service<
  Alerts,
  {
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<ListedAlert>>
    /**
     * Records alerts of keys that are about to expire and of dead destinations, at most so many of each kind; answers how many. Accounts
     * share those of keys, so none waits for the keys of another.
     */
    readonly detect: (atMost: number) => Effect.Effect<number>
    /**
     * Takes deliveries that are due, as `claimFairly` chooses, the earliest due first. Those that quiet time silences, and those of channels
     * that were deleted or disabled, end instead; those that wait for the outcome of one alike are postponed. A claim may overlook accounts
     * behind a thousand deliveries; one that takes something is repeated.
     */
    readonly claim: (wanted: WantedAlerts, leaseSeconds: number) => Effect.Effect<readonly AlertLease[]>
    /** Ends a turn. What waited for its outcome becomes due when it ends for good. `false`, and nothing happens: the lease was lost. */
    readonly acknowledge: (turn: AlertLease, outcome: AlertOutcome) => Effect.Effect<boolean>
  }
>()("gatewarden/Alerts") {}

/** A key is alerted of so many days before it expires, if it was made to live longer. */
export const expiryDays = [7, 1] as const

/** A delivery that waits for one alike is postponed by this at least. */
export const quietWaitSeconds = 1

/** How long a destination fails until it counts as dead. */
export const failingSeconds = 3_600

/** The same for a platform that refuses everything: time heals no refusal. */
export const refusingSeconds = 300

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

/**
 * Which addresses have agreed to get an account's alerts by mail.
 *
 * An address is in lower case, so that one mailbox confirms once. A store forgets an address once no channel of the account names it. Rule:
 * alerts#recipients.
 */
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

type ChangedFields = Pick<AlertChannel, "name" | "events" | "quiet_time_seconds" | "enabled">

/**
 * Maps the fields of a request to the stored values that they set. Rule: requests#patches.
 *
 * Only the fields that a request sets; absent ones stay.
 */
export type AlertChannelChange = { readonly [K in keyof ChangedFields]?: ChangedFields[K] }
