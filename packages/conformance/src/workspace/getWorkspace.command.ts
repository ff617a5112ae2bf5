import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const getWorkspace = command("getWorkspace", {
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")) },
  reads: { kind: "workspace", params: { id: "id" } }
})
