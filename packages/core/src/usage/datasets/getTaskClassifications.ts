import type { TaskClassifications } from "@gatewarden/contract"
import { operation } from "../../tracing/operation.ts"
import { timestamp } from "../../value/timestamp.ts"
import { DatasetsReader } from "../../ports/analytics.ts"
import { addDays } from "../rankings/window.ts"
import { shareTasks } from "./shareTasks.ts"

const window_days = 7

/** Rule: datasets#task-classifications. The whole days before today. */
export const getTaskClassifications = operation("getTaskClassifications")(function* () {
  const as_of = addDays((yield* timestamp).slice(0, 10), -1)
  const tasks = yield* (yield* DatasetsReader).tasks({ first: addDays(as_of, 1 - window_days), last: as_of })
  return { as_of, window_days, ...shareTasks(tasks) } satisfies TaskClassifications
})
