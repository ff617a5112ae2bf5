/**
 * Answers the request of an operation: authenticate, apply rate limits, decode, call the handler, print.
 *
 * Chains instead of generators for speed, because every request passes here. Rule: requests#order-of-checks, access#who-may-call.
 */
import { isOwnOperation, type Operation, type OperationShape, scimMediaType } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { enforceOperator, enforceRestrictions } from "../access/enforceRestrictions.ts"
import { type Actor, actingAs } from "../ports/acting.ts"
import { BadRequest, type Failure, Forbidden, type NotFound, notFound } from "../value/failure.ts"
import { identifyCaller } from "./identifyCaller.ts"
import { consumeRateLimits } from "../limits/rateLimits.ts"
import { Digest } from "../platform/Digest.ts"
import { joinBytes } from "../value/bytes.ts"
import type { Services } from "./Services.ts"
import { namesForeignWorkspace } from "../access/workspaceOfRequest.ts"
import type { Turn } from "../value/Turns.ts"
import { answerTurn } from "./AnswerTurns.ts"
import type { AppAnswer, AppRequest } from "./AppRequest.ts"
import type { AppSettings } from "./AppSettings.ts"
import { inSlices, WorkingAccount } from "../value/inSlices.ts"
import { checkInput } from "../value/checkInput.ts"
import { handlers } from "./handlers.ts"
import { senderOf } from "./BytesInFlight.ts"
import { maxShortBytes } from "./BodyLimits.ts"
import { errorDocsFor } from "./target.ts"
import { type Input, type RequestFacts, readQuery } from "./readQuery.ts"
import type { Match } from "./matchPath.ts"
import { printed, printedInSteps } from "../value/printed.ts"
import { noBody, type ReadBody, type Reception, withBody } from "./readBody.ts"
import { PrintedAnswer, StreamedAnswer } from "../value/PrintedAnswer.ts"
import { cameInConfidence, publicAddress } from "./publicAddress.ts"
import { type Answer, type Prepared, type Repetitions, repeatings, replaying } from "./replaying.ts"
import { ambiguousHost, regionOf } from "./requestSpan.ts"
import { located, locationOf } from "./scimAnswers.ts"
import { rewriteAnswer, successStatus, wireProfileOf } from "./wireProfile.ts"

export interface Target {
  /** How the instance receives bodies. */
  readonly reception: Reception
  readonly repetitions: Repetitions
  readonly requestId: string
  /** Headers of the answer; later steps add theirs. */
  readonly headers: Record<string, string>
  /** Within the base path. */
  readonly path: string
  readonly search: string
}

/** An answer before its headers. */
type Printed = Answer | Streamed

interface Streamed {
  readonly status: number
  readonly body: ReadableStream<Uint8Array>
}

const isStream = (answer: Printed): answer is Streamed => answer.body instanceof ReadableStream

/** A browser saves such an answer and never shows it: what is in it may be anybody's. */
const downloadHeaders = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "x-content-type-options": "nosniff"
}

type Found = Extract<Match<Operation>, { kind: "found" }>

export const answerOperation = (
  settings: AppSettings,
  request: AppRequest,
  target: Target,
  found: Found
): Effect.Effect<AppAnswer, Failure, Services> => {
  const declared: OperationShape = found.operation
  if (declared.access === "anyone") return answerCaller(settings, request, target, found, undefined)
  return Effect.flatMap(identifyCaller(request), (caller) => {
    const allowed = answerAllowed(settings, request, target, found, caller)
    // A data plane acts for many accounts; where the account of a request is known, its long work is done in turn with that of others.
    const answered =
      caller.kind === "gateway" ? allowed : Effect.provideService(allowed, WorkingAccount, caller.account_id)
    return declared.rateLimits === undefined
      ? answered
      : Effect.flatMap(consumeRateLimits(declared, caller, target.headers), () => answered)
  })
}

const answerAllowed = (
  settings: AppSettings,
  request: AppRequest,
  target: Target,
  found: Found,
  caller: Caller
): Effect.Effect<AppAnswer, Failure, Services> => {
  const declared: OperationShape = found.operation
  if (caller.kind === "gateway") {
    if (!declared.gatewayKey) return Effect.fail(new Forbidden({ reason: "not_for_gateway_keys" }))
  } else if (declared.access === "managementKey" && caller.kind !== "management")
    return Effect.fail(new Forbidden({ reason: "management_key_required" }))
  if (declared.ownWorkspaceOnly && namesForeignWorkspace(caller, target.search))
    return Effect.fail(new Forbidden({ reason: "foreign_workspace" }))
  const answered = Effect.suspend(() => {
    const refused = declared.sharedWithout && enforceOperator(caller, declared.sharedWithout, target.search)
    return refused ? Effect.fail(refused) : answerCaller(settings, request, target, found, caller)
  })
  return caller.restrictions === null
    ? answered
    : Effect.andThen(enforceRestrictions(declared, caller, caller.restrictions, found.params), answered)
}

const answerCaller = (
  settings: AppSettings,
  request: AppRequest,
  { reception, repetitions, requestId, headers, path, search }: Target,
  { operation, params }: Found,
  caller: Caller | undefined
): Effect.Effect<AppAnswer, Failure, Services> => {
  const declared: OperationShape = operation
  const profile = wireProfileOf(settings.wire, request.headers["user-agent"])
  let turn: Turn<Failure> | undefined

  const callWith = (body: ReadBody, query: unknown, values: unknown): Effect.Effect<Printed, Failure, Services> => {
    const region = regionOf(settings.region, request.headers)
    if (region === undefined) return Effect.fail(ambiguousHost())
    const facts: RequestFacts = {
      id: requestId,
      headers: request.headers,
      region,
      // Not a getter: V8 makes a hidden class for each object literal with one, in old memory, which keeps the request until a full collection.
      docs: errorDocsFor(settings, request.url),
      profile: profile === "openrouter" ? "openrouter" : "spec",
      address: publicAddress(settings, request),
      isConfidential: cameInConfidence(settings, request),
      hasAuthPage: settings.authPage,
      answerHeaders: headers
    }
    const input = { caller, params: values, query, body: body.value, sent: body.sent, request: facts }
    const called = call(operation, input)
    const repeating = repeatings[operation.id]
    const again = repeating?.again
    const status = successStatus(profile, operation)
    if (declared.success.bytes === true)
      return Effect.map(called, (value) => {
        Object.assign(headers, downloadHeaders)
        if (!(value instanceof StreamedAnswer)) return { status, body: value as ReadableStream<Uint8Array> }
        Object.assign(headers, value.headers, { "content-type": value.contentType })
        return { status, body: value.body }
      })
    const atomic = isAtomic(declared)
    const { long } = declared.success
    // What is long beside an entity has a turn that leaves some to others already.
    const turns = (long === undefined || long === "entity") && atomic ? reception.turns.changes : undefined
    const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Failure, R> =>
      turns === undefined || caller === undefined ? work : turns.within(turnAccount(caller, body, params))(work)
    // The ledger takes the admissions and settlements of many requests together, unless each is stored with its answer.
    const inTurnAlone: typeof inTurn = (work) =>
      declared.gatewayKey === true && declared.changes === "usage" ? work : inTurn(work)
    // Nothing is printed where the status says that there is nothing.
    if (status === 204) return Effect.map(inTurnAlone(called), (): Answer => ({ status, body: "" }))
    // Of a repetition, too, which makes no new answer.
    if (declared.errorForm === "scim") headers["content-type"] = scimMediaType
    const rewritten = (value: unknown) => {
      if (declared.errorForm !== "scim") return rewriteAnswer(profile, operation.id, value)
      const answer = located(value, request.url)
      const location = status === 201 ? locationOf(answer) : undefined
      if (location !== undefined) headers["location"] = location
      return answer
    }
    const answered = (called: Effect.Effect<unknown, Failure, Services>) =>
      body.isLong === true || declared.success.long === true
        ? Effect.flatMap(called, (value) =>
            Effect.map(inSlices(printedInSteps(rewritten(value))), (pieces): Answer => ({ status, body: pieces }))
          )
        : Effect.map(called, (value): Answer =>
            value instanceof PrintedAnswer
              ? { status, body: [value.bytes], etag: value.etag, contentType: value.contentType }
              : { status, body: printed(rewritten(value)) }
          )
    const answeredOnce = (left: Effect.Effect<Prepared, Failure, Services>) =>
      Effect.flatMap(left, ({ answer, kept }) =>
        Effect.map(answered(Effect.succeed(answer)), (made): Answer =>
          kept === undefined ? made : { ...made, kept: JSON.stringify(kept) }
        )
      )
    const run = answered(called)
    const key = request.headers["idempotency-key"]
    return key !== undefined && operation.method === "POST" && caller !== undefined
      ? replaying(
          key,
          {
            ...{ route: `POST ${path}`, query, caller, body, repetitions },
            ...{ atomic, inTurn },
            changes: declared.changes !== "nothing",
            ofDataPlane: declared.gatewayKey === true,
            prepare: repeating && Effect.map(repeating.prepare(input), answeredOnce),
            again: again && ((kept) => Effect.flatMap(again(kept, input), (value) => inSlices(printedInSteps(value))))
          },
          run,
          headers
        )
      : inTurnAlone(run)
  }
  /** A long answer is made, or a stored one read, when it is the account's turn, which comes once the body is here: that takes as long as the client does. */
  const callInTurn: typeof callWith = (body, query, values) => {
    const work = callWith(body, query, values)
    turn = answerTurn(
      reception.turns,
      declared,
      query,
      caller?.account_id ?? "",
      caller?.restrictions?.workspace_ids != null
    )
    if (turn === undefined) return work
    return Effect.andThen(turn.come, declared.changes === "nothing" ? work : ifChangesFit(reception, caller, work))
  }
  // Query, then path.
  const decode = (body: ReadBody) =>
    Effect.flatMapEager(decodeQuery(declared, search), (query) =>
      Effect.flatMapEager(decodeParams(declared.params, params), (values) => callInTurn(body, query, values))
    )
  const work = Effect.suspend(() =>
    declared.body === undefined ? decode(noBody) : withBody(request, declared.body, reception, senderOf(caller), decode)
  )
  // A client that disconnects must not leave a change half done.
  const done = declared.changes === "nothing" ? work : Effect.uninterruptible(acting(declared, caller, requestId, work))
  const answered = declared.success.etag
    ? Effect.flatMap(done, (answer) => withEtag(request, headers, answer))
    : Effect.map(done, ({ status, body }): AppAnswer => ({
        status,
        body: status === 204 ? undefined : body,
        headers
      }))
  const inFlight =
    declared.changes === "nothing"
      ? Effect.flatMapEager(answered, (answer) => counted(reception, caller, answer))
      : countedChange(reception, caller, answered)
  if (declared.success.long === undefined && declared.query === undefined) return inFlight
  return Effect.ensuring(
    inFlight,
    Effect.suspend(() => turn?.end ?? Effect.void)
  )
}

/** A data plane acts for many accounts: what it asks of one key, or of one admission, takes turns with the rest. */
const turnAccount = (caller: Caller, { value }: ReadBody, params: Found["params"]): string => {
  if (caller.kind !== "gateway") return caller.account_id
  const { api_key_hash, api_key } = (value ?? {}) as { readonly api_key_hash?: unknown; readonly api_key?: unknown }
  return [api_key_hash, api_key, params["id"]].find((named) => typeof named === "string") ?? ""
}

/** Whoever changed something is told so, however much is in flight: too much refuses the next change, before its work. */
const ifChangesFit = <A, E, R>(
  { inFlight }: Reception,
  caller: Caller | undefined,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Failure, R> =>
  Effect.suspend((): Effect.Effect<A, E | Failure, R> => {
    const refused = inFlight.changes.hold(senderOf(caller)).take(0)
    return refused === undefined ? work : Effect.fail(refused)
  })

const countedChange = <E, R>(
  reception: Reception,
  caller: Caller | undefined,
  answered: Effect.Effect<AppAnswer, E, R>
): Effect.Effect<AppAnswer, E | Failure, R> =>
  ifChangesFit(
    reception,
    caller,
    Effect.map(answered, (answer) => {
      const size = sizeOf(answer)
      if (size <= maxShortBytes) return answer
      const held = reception.inFlight.changes.hold(senderOf(caller))
      held.add(size)
      return { ...answer, release: held.release }
    })
  )

/** Counts a long answer until its client has read it (Rule: requests#answers-in-flight). */
const counted = (
  { inFlight }: Reception,
  caller: Caller | undefined,
  answer: AppAnswer
): Effect.Effect<AppAnswer, Failure> => {
  const size = sizeOf(answer)
  if (size <= maxShortBytes) return Effect.succeed(answer)
  const held = inFlight.answers.hold(senderOf(caller))
  const refused = held.take(size)
  return refused === undefined ? Effect.succeed({ ...answer, release: held.release }) : Effect.fail(refused)
}

/** Bytes in memory. A text has at least as many as it has UTF-16 code units. */
const sizeOf = ({ body }: AppAnswer): number =>
  body === undefined || body instanceof ReadableStream
    ? 0
    : typeof body === "string"
      ? body.length
      : body.reduce((sum, piece) => sum + piece.length, 0)

/** Names the caller to the store, which records who changes what. */
const acting = <A, E, R>(
  { id, changes }: OperationShape,
  caller: Caller | undefined,
  request_id: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (changes === "nothing" || changes === "usage") return work
  return actingAs({ actor: actorOf(caller), operation: id, request_id }, work)
}

/** Who is recorded as the actor of what a caller changes. */
export const actorOf = (caller: Caller | undefined): Actor => {
  if (caller === undefined) return { type: "app", id: null }
  return caller.host === true ? { type: "user", id: caller.user_id } : { type: "key", id: caller.key_hash }
}

const none = Effect.succeed({})

const decodeQuery = (declared: OperationShape, search: string): Effect.Effect<unknown, BadRequest> => {
  const schema = declared.query
  const sent = readQuery(search, schema, isOwnOperation(declared) ? "refused" : "ignored")
  return schema === undefined ? sent : Effect.flatMapEager(sent, (query) => checkInput(schema, query, "query."))
}

/** A malformed id names nothing. */
const decodeParams = (schema: OperationShape["params"], sent: Found["params"]): Effect.Effect<unknown, NotFound> =>
  schema === undefined ? none : Effect.catchEager(checkInput(schema, sent), () => Effect.fail(notFound()))

const withEtag = (request: AppRequest, headers: Record<string, string>, answer: Printed): Effect.Effect<AppAnswer> => {
  if (isStream(answer)) return Effect.succeed({ ...answer, headers })
  const { status, body, etag, contentType } = answer
  const tagged = (tag: string): AppAnswer => {
    headers["etag"] = tag
    headers["cache-control"] = "private, no-cache"
    if (contentType !== undefined) headers["content-type"] = contentType
    return matchesEtag(request.headers["if-none-match"], tag)
      ? { status: 304, body: undefined, headers }
      : { status, body, headers }
  }
  if (etag !== undefined) return Effect.succeed(tagged(etag))
  return Effect.flatMap(Digest, (digest) =>
    Effect.map(digest.sha256Hex(typeof body === "string" ? body : joinBytes(body)), (hash) => tagged(`"${hash}"`))
  )
}

/**
 * Not for files, which are stored outside of the database, for lines, which take as long as the client does, for calls of others, which take
 * as long as they do, for batches of stored bodies, which may take minutes, and for operations that change nothing.
 */
const isAtomic = ({ body, changes, callsOut, success }: OperationShape): boolean =>
  (body === undefined || body.kind === "json") &&
  changes !== "nothing" &&
  callsOut !== true &&
  success.long !== "rewrite"

/** RFC 9110 13.1.2: `*` or a list of tags, compared weakly. */
const matchesEtag = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined &&
  condition.split(",").some((tag) => {
    const trimmed = tag.trim()
    return trimmed === "*" || trimmed.replace(/^W\//, "") === etag
  })

/** The table pairs each operation with its handler, so the validated input fits. */
const call = (operation: Operation, input: unknown): Effect.Effect<unknown, Failure, Services> =>
  (handlers[operation.id] as (input: Input<Operation>) => Effect.Effect<unknown, Failure, Services>)(
    input as Input<Operation>
  )
