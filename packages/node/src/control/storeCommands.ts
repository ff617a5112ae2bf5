/**
 * What the command line asks of a store: one row each, run where the store is open, which may be another process.
 *
 * Inputs and outputs are plain JSON, checked on both sides of that border.
 */
import { text } from "@gatewarden/contract/internal"
import {
  actingAs,
  createAccount,
  deliveryHealth,
  jobHealth,
  resumeAccount,
  suspendAccount,
  Accounts,
  BackgroundJobs,
  DeliveryQueue
} from "@gatewarden/core/internal"
import { functionStatus, migrationStatus, schema } from "@gatewarden/postgres/internal"
import { Effect, Redacted } from "effect"
import * as z from "zod"
import { type Failed, failed } from "../failure/Failed.ts"
import { describeIssues } from "../failure/describeIssues.ts"
import { type CommandServices, CommandSql, type StoreCommand, command } from "../store/StoreCommand.ts"
import { orStartFailure } from "../store/openStore.ts"
import { auditCommands } from "./auditStoreCommands.ts"
import { backupCommands } from "./backupStoreCommands.ts"
import { catalogCommands } from "./catalogStoreCommands.ts"
import { creditCommands } from "./creditStoreCommands.ts"
import { destinationCommands } from "./destinationStoreCommands.ts"
import { focusCommands } from "./focusStoreCommands.ts"
import { keyCommands } from "./keyStoreCommands.ts"
import { keyringCommands } from "./keyringStoreCommands.ts"
import { usageCommands } from "./usageStoreCommands.ts"

const Account = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  suspended_at: z.string().nullable()
})

const JobHealth = z.object({
  job: z.string(),
  age_seconds: z.number().nullable(),
  lag_seconds: z.number(),
  failures: z.int()
})

const DeliveryHealth = z.object({
  waiting_events: z.int(),
  oldest_seconds: z.number().nullable(),
  destinations: z.array(
    z.object({ type: z.string(), waiting: z.int(), failing: z.int(), open: z.int(), refusing: z.int() })
  )
})

const suspension = Effect.fnUntraced(function* (name: string, change: typeof suspendAccount) {
  const changed = yield* change(name)
  if (changed === "missing") return yield* failed("missing", `There is no account "${name}"`)
  if (changed === "operator")
    return yield* failed("failure", `The account "${name}" operates this installation and cannot be suspended`)
  return changed
})

export const storeCommands = {
  ...catalogCommands,
  ...keyCommands,
  ...creditCommands,
  ...usageCommands,
  ...focusCommands,
  ...keyringCommands,
  ...backupCommands,
  ...auditCommands,
  ...destinationCommands,
  createAccount: command({
    input: z.object({ name: text(1, 100) }),
    output: z.object({
      id: z.string(),
      name: z.string(),
      workspace_id: z.string(),
      created_at: z.string(),
      management_key: z.string()
    }),
    run: Effect.fnUntraced(function* ({ name }) {
      const created = yield* createAccount(name)
      if (created === undefined) return yield* failed("failure", `There is an account "${name}" already`)
      const { account, workspace, key } = created
      return { ...account, workspace_id: workspace.id, management_key: Redacted.value(key) }
    })
  }),
  suspendAccount: command({
    input: z.object({ name: text(1, 100) }),
    output: Account,
    run: ({ name }) => suspension(name, suspendAccount)
  }),
  resumeAccount: command({
    input: z.object({ name: text(1, 100) }),
    output: Account,
    run: ({ name }) => suspension(name, resumeAccount)
  }),
  listAccounts: command({
    input: z.object({}),
    output: z.object({ accounts: z.array(Account) }),
    run: () =>
      Effect.map(
        Effect.flatMap(Accounts, ({ list }) => list),
        (accounts) => ({ accounts: [...accounts] })
      )
  }),
  listBackgroundJobs: command({
    input: z.object({}),
    output: z.object({ jobs: z.array(JobHealth) }),
    run: Effect.fnUntraced(function* () {
      const { now, jobs } = yield* (yield* BackgroundJobs).states
      return { jobs: [...jobHealth(now, jobs)] }
    })
  }),
  describeDeliveries: command({
    input: z.object({}),
    output: DeliveryHealth,
    run: Effect.fnUntraced(function* () {
      const health = deliveryHealth(yield* (yield* DeliveryQueue).backlog)
      return { ...health, destinations: [...health.destinations] }
    })
  }),
  listMigrations: command({
    input: z.object({}),
    output: z.object({
      migrations: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          state: z.enum(["applied", "pending", "changed", "skipped", "unknown"]),
          applied_at: z.string().nullable()
        })
      ),
      functions: z.array(z.object({ name: z.string(), state: z.enum(["applied", "pending", "edited", "undeclared"]) }))
    }),
    run: Effect.fnUntraced(function* () {
      const { sql } = yield* CommandSql
      if (sql === undefined) return { migrations: [], functions: [] }
      const statuses = Effect.all([migrationStatus(schema), functionStatus(schema)])
      const [migrations, functions] = yield* orStartFailure(Effect.provideContext(statuses, sql))
      return { migrations: [...migrations], functions: [...functions] }
    })
  })
} as const satisfies Record<string, unknown>

export type StoreCommandName = keyof typeof storeCommands
export type InputOf<N extends StoreCommandName> = z.input<(typeof storeCommands)[N]["input"]>
export type OutputOf<N extends StoreCommandName> = z.output<(typeof storeCommands)[N]["output"]>

/** The input of a command as its schema reads it, or what is wrong with it. */
const checked = (name: StoreCommandName, input: unknown): Effect.Effect<unknown, Failed> => {
  const row: StoreCommand = storeCommands[name]
  const result = row.input.safeParse(input)
  return result.success ? Effect.succeed(result.data) : Effect.fail(failed("usage", ...describeIssues(result.error)))
}

/** Fails with exit code 2 when a command would not accept its input, wherever it runs. */
export const checkInput = (name: StoreCommandName, input: unknown): Effect.Effect<void, Failed> =>
  Effect.asVoid(checked(name, input))

/** Runs a command in this process. */
export const runStoreCommand = (
  name: StoreCommandName,
  input: unknown
): Effect.Effect<unknown, Failed, CommandServices> => {
  const row: StoreCommand = storeCommands[name]
  return Effect.flatMap(checked(name, input), (value) =>
    actingAs({ actor: { type: "operator", id: null }, operation: name }, row.run(value))
  )
}
