import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const exportUsageEvents = command("exportUsageEvents", {
  weight: 3,
  query: {
    format: fc.constantFrom("ndjson", "csv"),
    csv_safe: fc.constantFrom("true", "false"),
    limit: fc.constantFrom("1", "3", "1000"),
    api_key_hash: some("key", "hash"),
    user_id: fc.constantFrom("user-1", "user-2", ""),
    workspace_id: some("workspace")
  }
})
