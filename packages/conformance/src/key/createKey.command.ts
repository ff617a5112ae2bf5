import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { moment, some } from "../modelBased/Thing.ts"
import { ownText } from "../admission/traffic.ts"

export const createKey = command("createKey", {
  weight: 3,
  body: {
    expires_at: fc.option(moment(-1000, 30 * 60_000)),
    workspace_id: fc.option(some("workspace")),
    creator_user_id: fc.constantFrom("user-1", "user-2", null),
    external: fc.option(
      fc.record({ user: fc.constantFrom("eve", "é"), api_key: fc.option(ownText("a-key-that-its-host-issued-")) })
    )
  },
  keeps: { key: ({ data, key }) => ({ ...data, key }) }
})
