import { publicReads } from "../privateEndpoint/publicReads.ts"
import { accessCases, type CasesOf, storeGone } from "../http/Case.ts"
import { filters } from "./getRankingsDaily/filters.ts"
import { freshness } from "./getRankingsDaily/freshness.ts"
import { limits } from "./getRankingsDaily/limits.ts"
import { ranks } from "./getRankingsDaily/ranks.ts"
import { refusals } from "./getRankingsDaily/refusals.ts"
import { reporters } from "./getRankingsDaily/reporters.ts"
import { samples } from "./getRankingsDaily/samples.ts"
import { rank } from "./getRankingsDaily/scene.ts"
import { windows } from "./getRankingsDaily/windows.ts"

export const getRankingsDaily: CasesOf = {
  operation: "getRankingsDaily",
  cases: [
    ...ranks,
    ...filters,
    ...samples,
    ...windows,
    ...freshness,
    ...reporters,
    ...publicReads,
    ...accessCases("getRankingsDaily", () => ({})),
    ...refusals,
    ...limits,
    storeGone("RankingsReader", 500, (world) => rank(world, {})),
    storeGone("RequestCounts", 500, (world) => rank(world, {}))
  ]
}
