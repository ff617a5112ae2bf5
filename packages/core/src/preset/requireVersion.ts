import { presetVersionPattern } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { notFound } from "../value/failure.ts"
import { Presets } from "../ports/presets.ts"

/** The version that a path names by its number; 404 for any other text, as for every name in a path. Rule: presets#reading-versions. */
export const requireVersion = Effect.fnUntraced(function* (
  account_id: string,
  workspace_id: string,
  slug: string,
  number: string
) {
  if (!presetVersionPattern.test(number)) return yield* notFound()
  const found = yield* (yield* Presets).findVersion(account_id, workspace_id, slug, Number(number))
  return Option.isSome(found) ? found.value : yield* notFound()
})
