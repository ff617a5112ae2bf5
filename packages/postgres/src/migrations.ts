/** Every migration, in order. Forward only: one that was released is never edited, a change is a new file. */
import { accounts } from "./migrations/0001_accounts.ts"
import { guardrails } from "./migrations/0002_guardrails.ts"
import { requests } from "./migrations/0003_requests.ts"

export const migrations = [accounts, guardrails, requests] as const
