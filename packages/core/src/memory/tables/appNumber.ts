import type { Tables } from "./Tables.ts"

/** The number of an account's app by its origin; new ones of an account are numbered one after the other. */
export const appNumber = ({ apps }: Tables, account_id: string, origin: string): number => {
  const known = apps.get(account_id) ?? new Map<string, number>()
  apps.set(account_id, known)
  const app_id = known.get(origin) ?? known.size + 1
  known.set(origin, app_id)
  return app_id
}
