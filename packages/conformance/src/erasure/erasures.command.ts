import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const erasureCommands = [
  command("createErasure", {
    body: fc.oneof(
      fc.record({ user_id: fc.constantFrom("user-1", "user-2", "nobody") }),
      fc.record({ external_user: fc.constantFrom("user-1", "guest") })
    ),
    keeps: { erasure: dataOf }
  }),
  command("getErasure", { params: { id: some("erasure") }, reads: { kind: "erasure", params: { id: "id" } } }),
  command("listErasures")
]
