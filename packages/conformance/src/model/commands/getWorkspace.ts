import * as fc from "fast-check"
import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const getWorkspace = command("getWorkspace", {
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")) },
  reads: { kind: "workspace", params: { id: "id" } }
})
