/** The rows of configuration that name a person, and what is kept beside the person's usage. */
import type { GenerationFeedback } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Person, PersonalTableName } from "./personalTables.ts"

export interface PersonalRow {
  /** The value of the table's `place`. */
  readonly place: string
  /** Has the fields of `personalTables`, those that name persons too. */
  readonly row: Readonly<Record<string, unknown>>
}

export interface FeedbackOn extends GenerationFeedback {
  /** Of the event. */
  readonly id: string
}

export class PersonalRows extends Context.Service<
  PersonalRows,
  {
    /** At most `limit` rows of one table that name the person, behind a place, by place. */
    readonly naming: (
      account_id: string,
      person: Person,
      table: PersonalTableName,
      after: string,
      limit: number
    ) => Effect.Effect<readonly PersonalRow[]>
    /** The feedback on these events, in their order. */
    readonly feedbackOn: (account_id: string, ids: readonly string[]) => Effect.Effect<readonly FeedbackOn[]>
  }
>()("gatewarden/PersonalRows") {}
