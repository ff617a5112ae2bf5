import { Clock, Effect } from "effect"
import { exceededRates, KeyRates, type KeyRateUse, rateSpanMillis } from "../enforcement/KeyRates.ts"

interface RunningRow {
  readonly account_id: string
  readonly key_hash: string
  readonly admitted_at: number
  tokens: number
  expires_at: number
  isOpen: boolean
}

export const keyRates = () => {
  const rows = new Map<string, RunningRow>()
  const placeOf = (account_id: string, admission_id: string) => `${account_id} ${admission_id}`

  const useOf = (account_id: string, key_hash: string, now: number): KeyRateUse => {
    for (const [place, row] of rows)
      if (row.admitted_at <= now - rateSpanMillis && (!row.isOpen || row.expires_at <= now)) rows.delete(place)
    const own = [...rows.values()].filter((row) => row.account_id === account_id && row.key_hash === key_hash)
    const recent = own.filter(({ admitted_at }) => admitted_at > now - rateSpanMillis)
    return {
      requests: recent.length,
      tokens: recent.reduce((sum, { tokens }) => sum + tokens, 0),
      parallel: own.filter(({ isOpen, expires_at }) => isOpen && expires_at > now).length,
      resets_at: recent.length === 0 ? null : Math.min(...recent.map(({ admitted_at }) => admitted_at)) + rateSpanMillis
    }
  }

  return KeyRates.of({
    admit: (account_id, { admission_id, key_hash, limits, tokens, hold_seconds }) =>
      Effect.map(Clock.currentTimeMillis, (admitted_at) => {
        const use = useOf(account_id, key_hash, admitted_at)
        const admitted = exceededRates(limits, use, tokens).length === 0
        const expires_at = admitted_at + hold_seconds * 1000
        if (admitted)
          rows.set(placeOf(account_id, admission_id), {
            account_id,
            key_hash,
            admitted_at,
            tokens,
            expires_at,
            isOpen: true
          })
        return { admitted, use }
      }),
    use: (account_id, key_hash) => Effect.map(Clock.currentTimeMillis, (now) => useOf(account_id, key_hash, now)),
    renew: (account_id, admission_id, hold_seconds) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = rows.get(placeOf(account_id, admission_id))
        if (row?.isOpen === true && row.expires_at > now) row.expires_at = now + hold_seconds * 1000
      }),
    finish: (account_id, admission_id, tokens) =>
      Effect.sync(() => {
        const row = rows.get(placeOf(account_id, admission_id))
        if (row?.isOpen !== true) return
        row.isOpen = false
        row.tokens = tokens ?? row.tokens
      }),
    withdraw: (account_id, admission_id) => Effect.sync(() => void rows.delete(placeOf(account_id, admission_id)))
  })
}
