/** What the query of the authorization page asks for. Rule: authorization#authorization-page. */
import { CreateAuthorizationCode, queryInstant, queryNumber, text } from "@gatewarden/contract"
import { Effect } from "effect"
import * as z from "zod"
import { type CodeRequest, readCodeRequest } from "../authorization/createAuthorizationCode.ts"
import { checkInput } from "../value/checkInput.ts"
import { readQuery } from "./readQuery.ts"

const { spawn_agent, spawn_cloud, ...shape } = CreateAuthorizationCode.shape

/** The fields of the operation, as a query has them. */
const AuthQuery = z.object({
  ...shape,
  callback_url: shape.callback_url.optional(),
  limit: queryNumber({ min: 0, max: 1e9 }),
  expires_at: queryInstant.optional(),
  spawn_agent,
  spawn_cloud,
  state: text(1, 1024).optional()
})

export interface AuthQuery {
  readonly asked: CodeRequest
  /** Goes back to the app as it came. */
  readonly state: string | undefined
}

/** 400 for whatever the operation would refuse of it, before anybody is asked. An empty parameter counts as absent. */
export const readAuthQuery = Effect.fnUntraced(function* (search: string) {
  const sent = yield* readQuery(search, AuthQuery)
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ""))
  const { state, limit, ...fields } = yield* checkInput(AuthQuery, given, "query.")
  const asked: CodeRequest = { ...fields, ...(limit === undefined ? {} : { limit }) }
  yield* readCodeRequest(asked)
  return { asked, state } satisfies AuthQuery
})
