import { accessCases, type CasesOf, storeGone } from "../http/Case.ts"
import { bodies } from "./createPreset/bodies.ts"
import { designation } from "./createPreset/designation.ts"
import { post, slug } from "./createPreset/scene.ts"
import { slugs } from "./createPreset/slugs.ts"
import { versions } from "./createPreset/versions.ts"
import { workspaces } from "./createPreset/workspaces.ts"
import { messages } from "./presetBodies.ts"

export const createPreset: CasesOf = {
  operation: "createPreset",
  cases: [
    ...versions,
    ...designation,
    ...bodies,
    ...slugs,
    ...workspaces,
    ...accessCases("createPreset", () => ({ params: { slug }, body: { messages } })),
    storeGone("Presets", 500, (world) => post(world))
  ]
}
