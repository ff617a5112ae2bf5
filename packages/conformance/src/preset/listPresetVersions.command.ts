import { command } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const listPresetVersions = command("listPresetVersions", {
  params: presetParams,
  query: { workspace_id: some("workspace") },
  reads: { kind: "preset", params: { slug: "slug" } }
})
