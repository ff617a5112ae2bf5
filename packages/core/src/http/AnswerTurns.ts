/**
 * How many long answers a process makes at once, and how many changes. What a page holds is known only once it is read and printed, which
 * takes a multiple of its bytes, and those are counted only then; so few are made at once, and the others wait before they read anything.
 *
 * Rule: requests#answers-in-flight, requests#changes-at-once.
 */
import type { OperationShape } from "@gatewarden/contract"
import { Unavailable } from "../value/failure.ts"
import { makeTurns, type Turn, type Turns } from "../value/Turns.ts"

/** As many as a store has connections for short reads. */
const madeAtOnce = 4
/** Always fewer than all, so that one account leaves a turn to others, however long its answers are. */
const madeOfAccount = 3

/** Entities of at most about a megabyte. The statements of those that change together leave together, so few at once would cost a store more. */
const entitiesAtOnce = 32
const entitiesOfAccount = 24

/** Rows that a page passes before its first take the time of a statement: those are passed in turn. */
const farInList = 1_000

/** Requests that read, decrypt and encrypt stored bodies batch by batch, for minutes. */
const rewritesAtOnce = 2

/** Filters that search a list, page by page, and pages far in a list. */
const searchedAtOnce = 2

/** A third of a store's connections for transactions: each change of an account waits for the ones before it, and would keep one meanwhile. */
const changesOfAccount = 8

/** Changes of one account that wait, or are made. */
const waitingChanges = 1_024

/** Answers of one account that wait to be made, or are made. */
const waitingOfAccount = 256
/** Short ones, which nearly always come at once. */
const waitingReads = 4_096

const turns = (atOnce: number, ofAccount: number, waiting = waitingOfAccount, issue = tooMany) =>
  makeTurns({
    ...{ atOnce, ofAccount, waiting },
    refusal: () => new Unavailable({ reason: "answers_in_flight", issues: [issue], retryAfterSeconds: 5 })
  })

export interface AnswerTurns {
  readonly long: Turns<Unavailable>
  readonly entities: Turns<Unavailable>
  readonly searches: Turns<Unavailable>
  readonly usage: Turns<Unavailable>
  readonly rewrites: Turns<Unavailable>
  /** Around what is one transaction of the store. */
  readonly changes: Turns<Unavailable>
}

/** 503 if too many answers of the account wait. */
export const makeAnswerTurns = (): AnswerTurns => ({
  long: turns(madeAtOnce, madeOfAccount),
  entities: turns(entitiesAtOnce, entitiesOfAccount),
  searches: turns(searchedAtOnce, 1),
  usage: turns(Infinity, madeOfAccount, waitingReads),
  rewrites: turns(rewritesAtOnce, 1),
  changes: turns(Infinity, changesOfAccount, waitingChanges, tooManyChanges)
})

const isList = (query: unknown): boolean => typeof query === "object" && query !== null && "offset" in query

/**
 * The turn that an operation waits for; undefined for one whose answers are short, and begin near the beginning of a list. `query`: as it is
 * decoded. `isRestricted`: to workspaces, whose rows are counted for each page.
 */
export const answerTurn = (
  { long, entities, searches, usage, rewrites }: AnswerTurns,
  { success }: OperationShape,
  query: unknown,
  account_id: string,
  isRestricted = false
): Turn<Unavailable> | undefined => {
  const { offset = 0, filter } = (query ?? {}) as { readonly offset?: number; readonly filter?: unknown }
  const isSearch = offset >= farInList || (isRestricted && isList(query))
  if ((success.long === undefined || success.long === "usage") && isSearch) return searches.turnOf(account_id)
  if (success.long === undefined) return undefined
  if (success.long === "entity") return entities.turnOf(account_id)
  if (success.long === "usage") return usage.turnOf(account_id)
  if (success.long === "rewrite") return rewrites.turnOf(account_id)
  return (filter === undefined ? long : searches).turnOf(account_id)
}

const tooMany = {
  path: "",
  code: "too_many_answers",
  message: `Expected at most ${waitingOfAccount} long answers in the making for one account`
}

const tooManyChanges = {
  path: "",
  code: "too_many_changes",
  message: `Expected at most ${waitingChanges} changes at once for one account`
}
