/** What a channel is told: an alert, or a test of the channel. */
import type { AlertKind } from "@gatewarden/contract"

export interface AlertMessage {
  /** The same at each attempt. */
  readonly id: string
  readonly type: AlertKind | "channel.test"
  readonly workspace_id: string
  /** Its name now; `null` if it was deleted, and absent from a test. */
  readonly workspace_name?: string | null
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
}
