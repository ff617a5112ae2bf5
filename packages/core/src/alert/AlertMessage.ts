/** What a channel is told: an alert, or a test of the channel. */
import type { AlertKind } from "@gatewarden/contract"

export interface AlertMessage {
  /** The same at each attempt. */
  readonly id: string
  readonly type: AlertKind | "channel.test"
  readonly workspace_id: string
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
  readonly created_at: string
}
