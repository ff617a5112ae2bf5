/** A recorded request that says nothing: what a test does not name is as if nobody had reported it. */
import { emptyEvent as unreported, type UsageEvent } from "@gatewarden/core/internal"

export const emptyEvent: Omit<UsageEvent, "id" | "created_at" | "model" | "recorded_at"> = {
  ...unreported,
  workspace_id: "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10",
  provider: "acme",
  self_reported: false
}
