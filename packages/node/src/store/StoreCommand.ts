/** What a command does to an open store, with plain JSON in and out. */
import type { Services } from "@gatewarden/core/effect"
import type { SqlClients } from "@gatewarden/postgres/internal"
import { Context, type Effect } from "effect"
import type * as z from "zod"
import type { Failed } from "../failure/Failed.ts"

/** The SQL beneath the store that commands run on; the in-memory store has none. `filesBeside`: it has no contents of files. */
export class CommandSql extends Context.Service<
  CommandSql,
  { readonly sql: Context.Context<SqlClients> | undefined; readonly filesBeside: boolean }
>()("gatewarden/CommandSql") {}

export type CommandServices = Services | CommandSql

export interface StoreCommand<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly input: I
  readonly output: O
  readonly run: (input: z.output<I>) => Effect.Effect<z.output<O>, Failed, CommandServices>
}

export const command = <I extends z.ZodType, O extends z.ZodType>(row: StoreCommand<I, O>): StoreCommand<I, O> => row
