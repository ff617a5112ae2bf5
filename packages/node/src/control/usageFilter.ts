/** Which events a command of usage reads. */
import type { Issue, UsageEventFilter } from "@gatewarden/contract/internal"
import { readEventFilter } from "@gatewarden/core/internal"
import { Effect } from "effect"
import * as z from "zod"
import { failed } from "../failure/Failed.ts"

export const HistoryPlace = z.object({ created_at: z.string(), id: z.string() })

export const asUsage = ({ issues }: { readonly issues?: readonly Issue[] }) =>
  failed("usage", ...(issues ?? []).map(({ message }) => message))

export const filterOf = (filter: UsageEventFilter) =>
  Effect.catchTag(readEventFilter(filter), "BadRequest", (refused) => Effect.fail(asUsage(refused)))
