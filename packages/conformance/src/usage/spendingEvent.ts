/** A recorded request of which only the spending matters. */
import type { UsageEvent } from "@gatewarden/core/store"
import { emptyEvent } from "./emptyEvent.ts"

type Named = "id" | "created_at" | "workspace_id" | "api_key_hash" | "user_id"

export const spendingEvent = (fields: Partial<UsageEvent> & Pick<UsageEvent, Named>): UsageEvent => ({
  ...emptyEvent,
  recorded_at: fields.created_at,
  model: "acme/sonnet",
  prompt_tokens: 1,
  completion_tokens: 1,
  ...fields
})
