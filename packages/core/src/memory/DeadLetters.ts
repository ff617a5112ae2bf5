import { Effect } from "effect"
import { type DeadLetter, DeadLetters } from "../ports/deliveries.ts"
import { compareText } from "../value/text.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import type { Tables } from "./tables/Tables.ts"

const latestFirst = (a: DeadLetter, b: DeadLetter): number =>
  b.died_at - a.died_at || compareText(b.event_id, a.event_id)

export const deadLetters = (tables: Tables) => {
  const letters = tables.deadLetters
  onSweep(
    tables.sweeps,
    "dead_letters",
    sweepMap(letters, ({ died_at }, before) => died_at < before)
  )
  const own = (account_id: string, destination_id: string) =>
    tables.destinations.get(destination_id)?.account_id === account_id
      ? [...letters.values()].filter((letter) => letter.destination_id === destination_id)
      : []
  return DeadLetters.of({
    list: (account_id, destination_id, { limit, offset }) =>
      Effect.sync(() => {
        const found = own(account_id, destination_id).sort(latestFirst)
        const data = found.slice(offset, offset + limit).map(({ sealed_bodies: _, ...letter }) => letter)
        return { data, total_count: found.length }
      }),
    find: (account_id, destination_id, event_ids, bytes) =>
      Effect.sync(() => {
        const there = new Map(own(account_id, destination_id).map((letter) => [letter.event_id, letter]))
        const found: DeadLetter[] = []
        let sum = 0
        for (const letter of event_ids.flatMap((event_id) => there.get(event_id) ?? [])) {
          sum += letter.sealed_bodies?.length ?? 0
          if (found.length > 0 && sum > bytes) break
          found.push(letter)
        }
        return found
      }),
    diedUntil: (account_id, destination_id, until, limit) =>
      Effect.sync(() => {
        const last = Date.parse(until)
        return own(account_id, destination_id)
          .filter(({ died_at }) => died_at <= last)
          .sort((a, b) => latestFirst(b, a))
          .slice(0, limit)
          .map(({ event_id }) => event_id)
      }),
    requeue: (account_id, destination_id, asked, now) =>
      Effect.sync(() => {
        const there = new Map(own(account_id, destination_id).map((letter) => [letter.event_id, letter]))
        let requeued = 0
        for (const { event_id, sealed_bodies } of asked) {
          const letter = there.get(event_id)
          if (letter === undefined || !letters.delete(`${destination_id} ${event_id}`)) continue
          const event = { id: event_id, workspace_id: letter.workspace_id, recorded_at: now }
          // An erasure may have removed the bodies since they were read.
          const bodies = letter.sealed_bodies === null ? null : sealed_bodies
          tables.deliveries.add(account_id, event, { destinations: [destination_id], sealed_bodies: bodies })
          requeued++
        }
        return requeued
      })
  })
}
