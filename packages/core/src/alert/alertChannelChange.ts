/** Maps the fields of a request to the stored values that they set. Rule: requests#patches. */
import type { AlertChannel, UpdateAlertChannel } from "@gatewarden/contract"
import { sentFields } from "../value/sentFields.ts"

type ChangedFields = Pick<AlertChannel, "name" | "events" | "quiet_time_seconds" | "enabled">

/** Only the fields that a request sets; absent ones stay. */
export type AlertChannelChange = { readonly [K in keyof ChangedFields]?: ChangedFields[K] }

export const alertChannelChange = (fields: Omit<UpdateAlertChannel, "config">): AlertChannelChange =>
  sentFields(fields, [], ["name", "events", "quiet_time_seconds", "enabled"])
