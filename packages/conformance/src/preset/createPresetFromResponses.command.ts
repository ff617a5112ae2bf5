import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const createPresetFromResponses = command("createPresetFromResponses", {
  params: presetParams,
  query: { workspace_id: some("workspace") },
  body: { instructions: fc.constantFrom("", "Answer briefly.", null) },
  keeps: { preset: dataOf }
})
