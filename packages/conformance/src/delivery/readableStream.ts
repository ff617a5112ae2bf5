/**
 * Waits until everything that was recorded can be noticed: a database shows rows of the stream once all earlier transactions of its server have
 * ended, and tests share the server.
 */
import { DeliveryQueue } from "@gatewarden/core/store"
import { Effect } from "effect"

/** Reads the whole stream, as a dispatcher does that has just been started; answers how many rows it has noticed. */
const noticeAll = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  let noticed = 0
  for (let position: string | null = null; ;) {
    const read: { readonly position: string | null; readonly noticed: number } = yield* queue.notice(position, 100)
    if (read.noticed === 0) return noticed
    noticed += read.noticed
    position = read.position
  }
})

export const readableStream = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  for (;;) {
    const { waiting } = yield* queue.backlog
    if ((yield* noticeAll) >= waiting) return
    yield* Effect.sleep("5 millis")
  }
})
