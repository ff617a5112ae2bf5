import { Effect, Stream } from "effect"
import { inSlices } from "../value/inSlices.ts"
import { type AccountEvents, type KeyOwner, UsageLog } from "../ports/usage.ts"
import { recordEvent } from "./tables/recordEvent.ts"
import type { Tables } from "./tables/Tables.ts"

export const usageLog = (tables: Tables) => {
  const recordAll = <E>(chunks: Stream.Stream<readonly AccountEvents[], E>) =>
    // All of them are there before the first is recorded, and from then on nothing fails.
    Effect.flatMap(Stream.runCollect(chunks), (collected) =>
      Effect.uninterruptible(
        inSlices(
          (function* () {
            let accepted = 0
            let duplicates = 0
            for (const { account_id, events, selected } of collected.flat())
              for (const event of events) {
                const charged_at = Date.parse(event.created_at)
                if (recordEvent(tables, account_id, event, charged_at, selected?.get(event))) accepted++
                else duplicates++
                yield
              }
            return { accepted, duplicates }
          })()
        )
      )
    )
  return UsageLog.of({
    record: (account_id, chunks) => recordAll(Stream.map(chunks, (events) => [{ account_id, events }])),
    recordAll,
    recordedOf: (account_id, ids) =>
      Effect.sync(() => new Set(ids.filter((id) => tables.usageEvents.get(account_id)?.has(id)))),
    keysOf: (account_id, api_key_hashes) =>
      Effect.sync(() => {
        const owners = new Map<string, KeyOwner>()
        for (const named of api_key_hashes) {
          const key = tables.apiKeys.get(tables.keySecrets.keyOf(named))
          if (key === undefined || key.workspace_id === null || (account_id ?? key.account_id) !== key.account_id)
            continue
          const { hash, workspace_id, user_id, external_user, name } = key
          owners.set(named, { hash, account_id: key.account_id, workspace_id, user_id, external_user, name })
        }
        return owners
      }),
    outgoing: (limit) =>
      Effect.sync(() => {
        const waiting = (tables.outgoingEvents.waiting ??= new Map())
        return [...waiting].slice(0, limit).map(([position, { account_id, id }]) => ({
          position: `${position}`,
          account_id,
          event: tables.usageEvents.get(account_id)?.get(id) ?? null
        }))
      }),
    forgetOutgoing: (positions) =>
      Effect.sync(() => {
        for (const position of positions) tables.outgoingEvents.waiting?.delete(Number(position))
      }),
    forward: Effect.succeed(0)
  })
}
