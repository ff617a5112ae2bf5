/**
 * What the command line asks of a store: one row each, run where the store is open, which may be another process.
 *
 * Inputs and outputs are plain JSON, checked on both sides of that border.
 */
import { PutCatalog, text } from "@gatewarden/contract"
import {
  Accounts,
  ApiKeys,
  createAccount,
  defaultAccountName,
  KeyCache,
  newApiKey,
  putCatalog,
  type Services,
  Workspaces
} from "@gatewarden/core/effect"
import { migrations, migrationStatus, type SqlClients } from "@gatewarden/postgres/effect"
import { Context, Effect, Option, Redacted } from "effect"
import { z } from "zod"
import { exitCode } from "../exitCode.ts"
import { type Failed, failed } from "../Failed.ts"
import { orStartFailure } from "../store/openStore.ts"
import { describeIssues } from "./describeIssues.ts"

/** The SQL beneath the store that commands run on; the in-memory store has none. */
export class CommandSql extends Context.Service<
  CommandSql,
  { readonly sql: Context.Context<SqlClients> | undefined }
>()("gatewarden/CommandSql") {}

export type CommandServices = Services | CommandSql

export interface StoreCommand<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I
  readonly output: O
  readonly run: (input: z.output<I>) => Effect.Effect<z.output<O>, Failed, CommandServices>
}

const command = <I extends z.ZodType, O extends z.ZodType>(row: StoreCommand<I, O>): StoreCommand<I, O> => row

const accountNamed = Effect.fnUntraced(function* (name: string) {
  const found = yield* (yield* Accounts).findByName(name)
  if (Option.isSome(found)) return found.value
  return yield* failed(exitCode.failure, `There is no account "${name}"`)
})

const Key = z.object({
  hash: z.string(),
  label: z.string(),
  name: z.string(),
  kind: z.enum(["management", "normal"]),
  workspace_id: z.string().nullable(),
  disabled: z.boolean(),
  expires_at: z.string().nullable(),
  created_at: z.string()
})

export const storeCommands = {
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
      if (created === undefined) return yield* failed(exitCode.failure, `There is an account "${name}" already`)
      const { account, workspace, key } = created
      return { ...account, workspace_id: workspace.id, management_key: Redacted.value(key) }
    })
  }),
  createKey: command({
    input: z.object({
      account: z.string().default(defaultAccountName),
      /** Id or slug. */
      workspace: z.string().default("default"),
      name: text(1, 100),
      management: z.boolean()
    }),
    output: Key.extend({ key: z.string() }),
    run: Effect.fnUntraced(function* (input) {
      const account = yield* accountNamed(input.account)
      const workspace = input.management ? Option.none() : yield* (yield* Workspaces).find(account.id, input.workspace)
      const missing = failed(
        exitCode.failure,
        `There is no workspace "${input.workspace}" in the account "${input.account}"`
      )
      if (!input.management && Option.isNone(workspace)) return yield* missing
      const { key, record } = yield* newApiKey({
        account_id: account.id,
        kind: input.management ? "management" : "normal",
        workspace_id: Option.isSome(workspace) ? workspace.value.id : null,
        name: input.name
      })
      // False when the workspace was deleted meanwhile.
      if (!(yield* (yield* ApiKeys).insert(record))) return yield* missing
      ;(yield* KeyCache).clear()
      return { ...Key.parse(record), key: Redacted.value(key) }
    })
  }),
  listKeys: command({
    input: z.object({ account: z.string().default(defaultAccountName) }),
    output: z.object({ keys: z.array(Key) }),
    run: Effect.fnUntraced(function* (input) {
      const account = yield* accountNamed(input.account)
      return { keys: (yield* (yield* ApiKeys).list(account.id, {})).map((key) => Key.parse(key)) }
    })
  }),
  putCatalog: command({
    input: PutCatalog,
    output: z.object({ models: z.int(), endpoints: z.int() }),
    run: putCatalog
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
      )
    }),
    run: Effect.fnUntraced(function* () {
      const { sql } = yield* CommandSql
      if (sql === undefined) return { migrations: [] }
      return { migrations: [...(yield* orStartFailure(Effect.provideContext(migrationStatus(migrations), sql)))] }
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
  return result.success
    ? Effect.succeed(result.data)
    : Effect.fail(failed(exitCode.usage, ...describeIssues(result.error)))
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
  return Effect.flatMap(checked(name, input), (value) => row.run(value))
}
