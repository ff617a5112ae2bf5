import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const getPresetVersion = command("getPresetVersion", {
  params: { ...presetParams, version: fc.constantFrom("1", "2", "3", "04", "x") },
  query: { workspace_id: some("workspace") }
})
