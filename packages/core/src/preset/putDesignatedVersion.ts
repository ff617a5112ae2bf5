import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { Presets } from "../ports/presets.ts"
import { requireDesignation } from "./requireDesignation.ts"
import { requireSlug } from "./requireSlug.ts"

/** Applies at once on this process, within two seconds on every other. Rule: presets#choosing-a-version. */
export const putDesignatedVersion = operation("putDesignatedVersion")(function* (
  caller: Caller,
  slug: string,
  named: string | undefined,
  version: number
) {
  yield* requireSlug(slug)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  yield* requireDesignation(caller, workspace_id, slug)
  const now = yield* timestamp
  const found = yield* (yield* Presets).designate(caller.account_id, workspace_id, slug, version, now)
  return Option.isSome(found) ? found.value : yield* notFound()
})
