import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const restorePresetVersion = command("restorePresetVersion", {
  weight: 1,
  params: { ...presetParams, version: fc.constantFrom("1", "2", "3") },
  query: { workspace_id: some("workspace") },
  keeps: { preset: dataOf }
})
