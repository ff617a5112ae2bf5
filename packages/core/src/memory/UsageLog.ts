import { Effect, Stream } from "effect"
import { inSlices } from "../value/inSlices.ts"
import { type AccountEvents, type KeyOwner, type UsageEvent, UsageLog } from "../ports/usage.ts"
import { recordAdjustment, recordEvent } from "./tables/recordEvent.ts"
import type { Tables } from "./tables/Tables.ts"

const isRecorded = ({ usageEvents, droppedUsage }: Tables, account_id: string, id: string): boolean =>
  usageEvents.get(account_id)?.has(id) === true || droppedUsage.get(account_id)?.has(id) === true

export const usageLog = (tables: Tables) => {
  const recordAll = <E>(chunks: Stream.Stream<readonly AccountEvents[], E>) =>
    // All of them are there before the first is recorded, and from then on nothing fails.
    Effect.flatMap(Stream.runCollect(chunks), (collected) =>
      Effect.uninterruptible(
        inSlices(
          (function* () {
            let accepted = 0
            let duplicates = 0
            const adjusting: (readonly [account_id: string, event: UsageEvent])[] = []
            const count = (isNew: boolean) => (isNew ? accepted++ : duplicates++)
            for (const { account_id, events, selected } of collected.flat())
              for (const event of events) {
                const charged_at = Date.parse(event.created_at)
                if (event.adjusts !== null) adjusting.push([account_id, event])
                else count(recordEvent(tables, account_id, event, charged_at, selected?.get(event)))
                yield
              }
            for (const [account_id, event] of adjusting) {
              count(recordAdjustment(tables, account_id, event))
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
    requestsOf: (account_id, ids) =>
      Effect.sync(() => {
        const found = ids.flatMap((id) => tables.usageEvents.get(account_id)?.get(id) ?? [])
        return new Map(found.filter(({ adjusts }) => adjusts === null).map((event) => [event.id, event]))
      }),
    recordedOf: (account_id, ids) => Effect.sync(() => new Set(ids.filter((id) => isRecorded(tables, account_id, id)))),
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
