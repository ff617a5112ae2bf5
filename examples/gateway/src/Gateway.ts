/**
 * A reference gateway: the model APIs of OpenAI and Anthropic over Gatewarden's decisions and any upstreams that speak them.
 *
 * Admit, dispatch to what was granted and nothing else, settle what was used.
 */
import { type AdmittedCandidate, errorMessages, type UsageStatus } from "@gatewarden/contract"
import { type Gatewarden, GatewardenRefusal, type GrantedAdmission, type TokenUsage } from "@gatewarden/core"
import { parseBody } from "@gatewarden/core/effect"
import type { Served } from "@gatewarden/node"
import type { IncomingHttpHeaders } from "node:http"
import { type Answer, answerJson } from "./Answer.ts"
import { NoRoom, type Room, takeGrowth } from "./AnswerRoom.ts"
import { type Abandoned, chargeOf } from "./chargeOf.ts"
import { type Asked, type Dialect, type Fields, mostIssues, type Shaping } from "./dialects/Dialect.ts"
import { dialects } from "./dialects/dialects.ts"
import { referencesInFields } from "./dialects/references.ts"
import { type Attempt, dispatch, type Dispatched } from "./dispatch.ts"
import { modelNames } from "./modelNames.ts"
import { issuesFor, noKey, noRoom, rejected, unanswered, unreadable, unspoken } from "./refusals.ts"
import { relayList } from "./relayList.ts"
import { relayStream } from "./relayStream.ts"
import { retried } from "./retried.ts"
import { Tally } from "./Tally.ts"
import { postPrivate } from "./postPrivate.ts"
import type { Upstreams } from "./Upstream.ts"

/** A request as it arrived. */
export interface Asking {
  /** Below the base path. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly authorization: string | undefined
  readonly body: Uint8Array
  /** For its answer. */
  readonly room: Room
  /** Told to the client, and what it can be found by. */
  readonly request_id: string
  /** Aborted when the client is gone. */
  readonly left: AbortSignal
}

export const settleTimes = ["before", "behind"] as const
export type SettleTime = (typeof settleTimes)[number]

export interface GatewayOptions {
  readonly gatewarden: Pick<Gatewarden, "admit" | "basePath" | "cancel" | "fetch" | "renew" | "settle">
  readonly upstreams: Upstreams
  /** Sends requests to addresses that accounts chose: those of private endpoints. */
  readonly outgoing: Served["outgoing"]
  /** How long money stays held without news; a stream renews it at half of that. Default 600. */
  readonly hold_seconds?: number
  /** How long an answer is read on whose client has left, in milliseconds. Default 120,000. */
  readonly read_on_ms?: number
  /**
   * Whether an answer waits for its settlement, or leaves before it. `behind`: the hold is charged in full if the process dies in between.
   * Default `before`.
   */
  readonly settle?: SettleTime
  /** How many settlements may go on behind their answers. Further answers wait for theirs. Default 256. */
  readonly settled_behind?: number
  /** Runs a task again and again until it is told to stop. Default: a timer that keeps no process alive. */
  readonly every?: (millis: number, task: () => void) => () => void
  /** Waits so many milliseconds, before a settlement is tried again. */
  readonly pause?: (millis: number) => Promise<void>
  /** What went wrong behind a client's back; neither prompts nor keys are in it. Default: the console. */
  readonly onFailure?: (what: string, cause: unknown) => void
}

export interface Gateway {
  /** What it answers by `POST`, below the base path. */
  readonly paths: readonly string[]
  /** The catalog's id of a model's name. */
  readonly idOf: (api_key: string, name: string) => Promise<string>
  /** Writes an error as callers of a path read it. */
  readonly refusal: (path: string) => Dialect["refusal"]
  /** Never rejects. */
  readonly complete: (asking: Asking) => Promise<Answer>
  /** Resolves when nothing waits to be settled. */
  readonly idle: () => Promise<void>
}

/** A request that was admitted. */
interface Admitted {
  readonly dialect: Dialect
  readonly asked: Asked
  readonly admission: GrantedAdmission
  readonly tally: Tally
  /** Charges what was used, by the tally, or `null` for nothing, and what was spent on attempts that were given up. */
  readonly settle: (
    candidate: AdmittedCandidate,
    status: UsageStatus,
    abandoned: readonly Abandoned[],
    used?: TokenUsage | null
  ) => Promise<void>
}

const timer = (millis: number, task: () => void): (() => void) => {
  const running = setInterval(task, millis)
  running.unref()
  return () => clearInterval(running)
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Milliseconds before each further attempt to settle, which together last less than a server waits for its routes when it stops. */
const pauses = [250, 500, 1_000, 2_000, 4_000]

/** How long a settlement behind its answer waits for others. */
const gatherMillis = 10

/** Those that may bill for what nobody waited for. */
const abandonedOf = (attempts: readonly Attempt[]): readonly Abandoned[] => attempts.filter(({ given_up }) => given_up)

/**
 * What is recorded of a request that nobody answered. An account's own key may be wrong in any way, which says nothing of the endpoint, whose
 * uptime everybody sees. Rule: models#endpoint-statistics.
 */
const failureOf = ({ candidate: { source }, status, given_up }: Attempt, hasLeft: boolean): UsageStatus => {
  if (status === 429) return "rate_limited"
  if (given_up) return hasLeft ? "cancelled" : "error"
  return source === "byok" && (status === null || status < 500) ? "blocked" : "error"
}

/** As long as events have it: what was used is charged, whoever the client says that it was for. */
const nameOf = (user: string | null | undefined): string | null =>
  user == null ? null : [...user.slice(0, 1_024)].slice(0, 512).join("")

const bearer = /^Bearer +(\S+)$/i

/** A client's own `null` says nothing. */
const present = (fields: Fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))

/** Whether the answer comes in pieces. */
const isStream = (dialect: Dialect, { decided }: Asked): boolean =>
  decided.stream === true && dialect.stream !== undefined

/** Values of a body, as an admission may have them. */
const maxValues = 200_000

/** More than anybody reads. Rule: requests#body-sizes. */
const tooMuch: readonly string[] = ["too_many_values", "too_many_members"]

const byPath = new Map(dialects.map((dialect) => [dialect.path, dialect]))

const dialectAt = (path: string): Dialect => {
  const dialect = byPath.get(path)
  if (dialect === undefined) throw new TypeError(`Nothing is answered at ${path}`)
  return dialect
}

export const makeGateway = ({
  gatewarden,
  upstreams,
  outgoing,
  hold_seconds = 600,
  read_on_ms = 120_000,
  settle: settleTime = "before",
  settled_behind = 256,
  every = timer,
  pause = sleep,
  onFailure = (what, cause) => console.error(`gateway: ${what}:`, cause instanceof Error ? cause.name : "unknown")
}: GatewayOptions): Gateway => {
  const open = new Set<Promise<unknown>>()
  /** The end of the process waits for it. It never rejects. */
  const remembered = async <Result>(running: Promise<Result>): Promise<Result> => {
    open.add(running)
    const result = await running
    open.delete(running)
    return result
  }
  /** Not thrown: the client has its answer. */
  const behind = async (what: string, task: () => Promise<unknown>): Promise<void> =>
    void (await remembered(task().catch((cause: unknown) => onFailure(what, cause))))
  /** Resolves after the first attempt. Others follow while the store fails, and no client waits for them. */
  const surely = async (what: string, task: () => Promise<unknown>): Promise<void> => {
    try {
      await task()
    } catch (cause) {
      void behind(what, () => retried(task, cause, pauses, pause))
    }
  }

  let behindNow = 0
  let gathering: Promise<void> | undefined
  /** Those that come within this time are settled together, which the store does in few statements: nobody waits for them. */
  const gathered = async (): Promise<void> => {
    await sleep(gatherMillis)
    gathering = undefined
  }
  /** Resolves when the answer may leave: after the first attempt, or at once if it need not wait. */
  const charge = async (task: () => Promise<unknown>): Promise<void> => {
    if (settleTime === "before" || behindNow >= settled_behind) return surely("settling", task)
    behindNow++
    void behind("settling", async () => {
      await (gathering ??= gathered())
      try {
        await task().catch((cause: unknown) => retried(task, cause, pauses, pause))
      } finally {
        behindNow--
      }
    })
  }

  const sendPrivate = postPrivate(outgoing)
  const idOf = modelNames(gatewarden, upstreams)

  const admit = async (api_key: string, { decided, forwarded, trace }: Asked) =>
    gatewarden.admit({
      api_key,
      hold_seconds,
      on_expiry: settleTime === "before" ? "release" : "charge",
      // What is redacted is put back in the answer: providers do not see it, those who sent it do.
      reversible_redaction: true,
      // All that will be sent on is decided on, priced and looked into.
      ...forwarded,
      ...present({
        // Recorded and delivered, so that filters look into it, too.
        trace,
        ...decided,
        model: decided.model && (await idOf(api_key, decided.model)),
        models: decided.models && (await Promise.all(decided.models.map((name) => idOf(api_key, name))))
      })
    })

  const settling =
    (asked: Asked, admission: GrantedAdmission, tally: Tally): Admitted["settle"] =>
    (candidate, status, abandoned, used = tally.settled) => {
      const { session_id, user } = asked.decided
      const { model, provider, endpoint_tag } = candidate
      // As content filters left them.
      const recorded = { session_id, user, trace: asked.trace, ...admission.fields }
      const charged = chargeOf(admission, candidate, used, abandoned)
      // What is spread stands last: an object that begins as a copy takes a microsecond for each further field.
      const event = {
        model,
        provider,
        endpoint_tag,
        status,
        session_id: recorded.session_id ?? null,
        external_user: nameOf(recorded.user),
        trace: recorded.trace ?? null,
        guardrail_invoked: admission.findings.length > 0,
        ...tally.timing,
        ...(used ?? { prompt_tokens: 0, completion_tokens: 0 }),
        ...charged
      }
      /** A refused event costs nothing, so the same is charged without the fields that may have been refused. */
      const settleLess = (refusal: unknown) => {
        if (!(refusal instanceof GatewardenRefusal) || refusal.status !== 400) throw refusal
        onFailure("settling in full", refusal)
        return gatewarden.settle(admission.id, {
          model,
          provider,
          endpoint_tag,
          status,
          created_at: event.created_at,
          prompt_tokens: event.prompt_tokens,
          completion_tokens: event.completion_tokens,
          ...charged
        })
      }
      return charge(() => gatewarden.settle(admission.id, event).catch(settleLess))
    }

  const answer = async (dialect: Dialect, asking: Asking): Promise<Answer> => {
    const { request_id } = asking
    const [, api_key] = bearer.exec(asking.authorization ?? "") ?? []
    if (api_key === undefined) return noKey(dialect, request_id)
    // What is decided on is what is sent: nothing in it can be read in two ways, or too deep to be looked into.
    const read = await parseBody(asking.body, maxValues)
    if (!read.ok) {
      const { code, path, message } = read
      const issues = [{ path, code, message }]
      return tooMuch.includes(code)
        ? dialect.refusal(413, errorMessages[413], { request_id, reason: "payload_too_large", issues })
        : dialect.refusal(400, errorMessages[400], { request_id, reason: "invalid_json", issues })
    }
    const asked = dialect.read(read.value)
    if ("issues" in asked)
      return dialect.refusal(400, errorMessages[400], {
        request_id,
        reason: "invalid_request",
        ...asked,
        issues: asked.issues.slice(0, mostIssues)
      })
    const admission = await admit(api_key, asked)
    if (admission.error !== null) {
      const { message, metadata } = admission.error
      const status = admission.status ?? 403
      const headers = status === 429 ? { "retry-after": String(metadata["retry_after_seconds"] ?? 1) } : undefined
      // Written anew, as its address of the reason is that of the management API.
      return dialect.refusal(status, message, { request_id, ...metadata, ...issuesFor(admission) }, headers)
    }
    const { merged, fields, messages } = admission
    const unseen = merged === null ? [] : referencesInFields(merged, ["tools", "plugins"])
    if (unseen.length > 0) {
      await surely("cancelling", () => gatewarden.cancel(admission.id))
      return dialect.refusal(400, errorMessages[400], { request_id, reason: "invalid_request", issues: unseen })
    }
    // After redaction: what filters found in tools and elsewhere is not sent as the client wrote it.
    const body = {
      ...dialect.forwarded({ ...(merged ?? asked.forwarded), ...fields }),
      ...(asked.decided.messages?.length === 0 ? {} : { messages }),
      ...(isStream(dialect, asked) ? { stream: true } : {})
    }
    const tally = new Tally(dialect, body)
    const admitted = { dialect, asked, admission, tally, settle: settling(asked, admission, tally) }
    const answered = await send(admitted, body, asking)
    return { ...answered, headers: { "x-generation-id": admission.id, ...answered.headers } }
  }

  /**
   * What was sent is charged for, so the answer is read to the upstream's own count also when nobody waits for it, but not for ever.
   * `over` is called when there is nothing to wait for.
   */
  const patience = (left: AbortSignal) => {
    const late = new AbortController()
    let stop = (): void => {}
    const onLeft = () => (stop = every(read_on_ms, () => late.abort()))
    left.addEventListener("abort", onLeft, { once: true })
    const over = () => {
      left.removeEventListener("abort", onLeft)
      stop()
    }
    return { gaveUp: late.signal, over }
  }

  /** Whatever becomes of it, its hold is renewed and its client missed for as long as it lasts. */
  const send = async (admitted: Admitted, body: Fields, asking: Asking): Promise<Answer> => {
    const { gaveUp, over } = patience(asking.left)
    const { id } = admitted.admission
    const stop = every(hold_seconds * 500, () => void behind("renewing", () => gatewarden.renew(id, hold_seconds)))
    const end = () => {
      stop()
      over()
    }
    try {
      const answered = await sendWhile(admitted, body, asking, gaveUp)
      const { body: relay } = answered
      if (typeof relay === "string") {
        end()
        return answered
      }
      return { ...answered, body: (listener) => behind("relaying", () => relay(listener).finally(end)) }
    } catch (cause) {
      end()
      throw cause
    }
  }

  const sendWhile = async (
    admitted: Admitted,
    body: Fields,
    { headers, request_id, left, room }: Asking,
    gaveUp: AbortSignal
  ): Promise<Answer> => {
    const { dialect, asked, admission, settle } = admitted
    const dispatched = await dispatch({ admission, upstreams, sendPrivate, body, dialect, headers, left, gaveUp, room })
    const cancel = () => surely("cancelling", () => gatewarden.cancel(admission.id))
    switch (dispatched.kind) {
      case "answered":
        return pass(admitted, dispatched, request_id, room)
      case "unspoken":
        await cancel()
        return unspoken(dialect, admission, dispatched.dialects, request_id)
      case "rejected": {
        const { attempt, attempts } = dispatched
        const abandoned = abandonedOf(attempts)
        if (abandoned.length === 0) await cancel()
        else await settle(attempt.candidate, "error", abandoned, null)
        return rejected(dialect, attempt, request_id)
      }
      case "failed": {
        const { attempts } = dispatched
        const last = attempts.at(-1)
        if (last === undefined) await cancel()
        else {
          const { candidate, used } = last
          const others = abandonedOf(used === null ? attempts : attempts.slice(0, -1))
          await settle(candidate, failureOf(last, left.aborted), others, used)
        }
        return unanswered(dialect, dispatched, admission.candidates, asked, request_id)
      }
    }
  }

  /** An answer has begun, and is charged for whether or not anyone waits for it. */
  const pass = async (
    { dialect, asked, admission, tally, settle }: Admitted,
    { candidate, opened, attempts }: Extract<Dispatched, { kind: "answered" }>,
    request_id: string,
    room: Room
  ): Promise<Answer> => {
    const abandoned = abandonedOf(attempts)
    tally.grant(candidate.max_completion_tokens ?? admission.grant.max_completion_tokens)
    const chargedFor = (used: Tally["settled"]) => chargeOf(admission, candidate, used, abandoned)
    const shaping: Shaping = {
      id: admission.id,
      created: Math.floor(Date.now() / 1000),
      answering: { model: candidate.model, provider: candidate.provider },
      form: asked.form,
      restore: admission.restore,
      spent: () => ({
        used: tally.usage,
        cost: chargedFor(tally.settled),
        ofPrompt: chargedFor({ ...tally.settled, completion_tokens: 0 })
      })
    }
    if (opened.kind === "complete") {
      const written = async () => {
        try {
          tally.add(opened.answer)
          await room.turn(opened.text.length)
          await takeGrowth(opened.text, admission.restore, room)
          return answerJson(200, dialect.whole(opened.answer, shaping))
        } catch (cause) {
          if (cause instanceof NoRoom) return noRoom(dialect, request_id)
          onFailure("writing an answer", cause)
          return unreadable(dialect, candidate, request_id)
        }
      }
      const answered = await written()
      await settle(candidate, answered.status === 200 ? "ok" : "error", abandoned)
      return answered
    }
    const onEnd = (how: UsageStatus) => settle(candidate, how, abandoned)
    if (opened.kind === "list") {
      const relay = { list: opened.list, dialect, tally, shaping, onEnd }
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        body: (listener) => relayList(relay, listener)
      }
    }
    const { events, abort } = opened
    if (dialect.stream === undefined) throw new TypeError(`${dialect.path} has no streams`)
    const relay = {
      events,
      abort,
      dialect,
      tally,
      room,
      restore: admission.restore,
      shape: dialect.stream(shaping),
      onEnd
    }
    return {
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
      body: (listener) => relayStream(relay, listener)
    }
  }

  const complete = async (asking: Asking): Promise<Answer> => {
    const { path, request_id } = asking
    const dialect = dialectAt(path)
    try {
      return await answer(dialect, asking)
    } catch (cause) {
      if (cause instanceof GatewardenRefusal) {
        const { status, reason, issues } = cause
        if (status >= 500) onFailure("answering", cause)
        const message = errorMessages[status as keyof typeof errorMessages] ?? cause.message
        return dialect.refusal(status, message, { request_id, reason, issues })
      }
      onFailure("answering", cause)
      return dialect.refusal(500, errorMessages[500], { request_id })
    }
  }

  return {
    paths: [...byPath.keys()],
    idOf,
    refusal: (path) => dialectAt(path).refusal,
    complete: (asking) => remembered(complete(asking)),
    idle: async () => {
      while (open.size > 0) await Promise.all(open)
    }
  }
}
