import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const comparePresetVersions = command("comparePresetVersions", {
  params: { ...presetParams, version: fc.constantFrom("1", "2", "3") },
  query: { workspace_id: some("workspace"), from: fc.constantFrom("1", "2", "3") }
})
