import { Clock, Effect } from "effect"
import { KeyRateCounts, type KeyRateUse, rateSpanMillis } from "../ports/ledger.ts"
import { onSweep } from "./tables/sweeps.ts"
import type { Tables } from "./tables/Tables.ts"
import { ExpiryQueue } from "../value/ExpiryQueue.ts"
import { exceededRates } from "../ledger/judgeKeyRates.ts"

interface Row {
  readonly key: KeyState
  tokens: number
  isOpen: boolean
}

/** What a key uses, by places of its admissions: those of the last minute with the sum of their tokens, and those that run. */
interface KeyState {
  readonly recent: ExpiryQueue
  readonly running: ExpiryQueue
  tokens: number
}

export const keyRateCounts = ({ sweeps }: Tables) => {
  const keys = new Map<string, KeyState>()
  const rows = new Map<string, Row>()
  const placeOf = (account_id: string, admission_id: string) => `${account_id} ${admission_id}`

  /** A row goes when it neither counts nor runs any more. */
  const drop = (place: string, { recent, running }: KeyState): void => {
    if (!recent.has(place) && !running.has(place)) rows.delete(place)
  }

  /** A key that uses nothing is made again when it is asked for. */
  onSweep(sweeps, "key_admissions", (before, atMost) => {
    let swept = 0
    for (const [name, key] of keys) {
      if (swept >= atMost) break
      expire(key, before)
      if (key.recent.size > 0 || key.running.size > 0) continue
      keys.delete(name)
      swept++
    }
    return swept
  })

  /** The state of a key, without what has left the minute or expired since it was last asked for. */
  const keyAt = (account_id: string, key_hash: string, now: number): KeyState => {
    const name = placeOf(account_id, key_hash)
    const key = keys.get(name) ?? { recent: new ExpiryQueue(), running: new ExpiryQueue(), tokens: 0 }
    keys.set(name, key)
    expire(key, now)
    return key
  }

  const expire = (key: KeyState, now: number): void => {
    for (let place = key.recent.next(now); place !== undefined; place = key.recent.next(now)) {
      key.tokens -= rows.get(place)?.tokens ?? 0
      drop(place, key)
    }
    for (let place = key.running.next(now); place !== undefined; place = key.running.next(now)) drop(place, key)
  }

  const useOf = ({ recent, running, tokens }: KeyState): KeyRateUse => ({
    requests: recent.size,
    tokens,
    parallel: running.size,
    resets_at: recent.earliest ?? null
  })

  return KeyRateCounts.of({
    admit: (account_id, { admission_id, key_hash, limits, tokens, hold_seconds }) =>
      Effect.map(Clock.currentTimeMillis, (admitted_at) => {
        const key = keyAt(account_id, key_hash, admitted_at)
        const use = useOf(key)
        const admitted = exceededRates(limits, use, tokens).length === 0
        if (admitted) {
          const place = placeOf(account_id, admission_id)
          rows.set(place, { key, tokens, isOpen: true })
          key.recent.set(place, admitted_at + rateSpanMillis)
          key.running.set(place, admitted_at + hold_seconds * 1000)
          key.tokens += tokens
        }
        return { admitted, use }
      }),
    use: (account_id, key_hash) =>
      Effect.map(Clock.currentTimeMillis, (now) => useOf(keyAt(account_id, key_hash, now))),
    renew: (account_id, admission_id, hold_seconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const place = placeOf(account_id, admission_id)
        const running = rows.get(place)?.key.running
        if ((running?.expiryOf(place) ?? now) > now) running?.set(place, now + hold_seconds * 1000)
      }),
    finish: (account_id, admission_id, tokens) =>
      Effect.sync(() => {
        const place = placeOf(account_id, admission_id)
        const row = rows.get(place)
        if (row?.isOpen !== true) return
        row.isOpen = false
        if (row.key.recent.has(place)) row.key.tokens += (tokens ?? row.tokens) - row.tokens
        row.tokens = tokens ?? row.tokens
        row.key.running.delete(place)
        drop(place, row.key)
      }),
    withdraw: (account_id, admission_id) =>
      Effect.sync(() => {
        const place = placeOf(account_id, admission_id)
        const row = rows.get(place)
        if (row === undefined) return
        if (row.key.recent.delete(place)) row.key.tokens -= row.tokens
        row.key.running.delete(place)
        rows.delete(place)
      })
  })
}
