/**
 * A reference gateway: the model APIs of OpenAI and Anthropic over Gatewarden's decisions and any upstreams that speak them.
 *
 * Admit, dispatch to what was granted and nothing else, settle what was used.
 */
import { type AdmittedCandidate, errorMessages, type UsageStatus } from "@gatewarden/contract"
import { type Gatewarden, GatewardenRefusal, type GrantedAdmission } from "@gatewarden/core"
import type { IncomingHttpHeaders } from "node:http"
import { type Answer, answerJson } from "./Answer.ts"
import { chargeOf } from "./chargeOf.ts"
import type { Asked, Dialect, Fields, Shaping } from "./dialects/Dialect.ts"
import { dialects } from "./dialects/dialects.ts"
import { type Attempt, dispatch, type Dispatched } from "./dispatch.ts"
import { knownUpstreams } from "./knownUpstreams.ts"
import { modelNames } from "./modelNames.ts"
import { relayStream } from "./relayStream.ts"
import { Tally } from "./Tally.ts"
import { upstreamName, type Upstreams } from "./Upstream.ts"

/** A request as it arrived. */
export interface Asking {
  /** Below the base path. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly authorization: string | undefined
  readonly body: string
  /** Told to the client, and what it can be found by. */
  readonly request_id: string
  /** Aborted when the client is gone. */
  readonly left: AbortSignal
}

export interface GatewayOptions {
  readonly gatewarden: Pick<Gatewarden, "admit" | "basePath" | "cancel" | "fetch" | "renew" | "settle">
  readonly upstreams: Upstreams
  /** How long money stays held without news; a stream renews it at half of that. Default 600. */
  readonly hold_seconds?: number
  /** How long an answer is read on whose client has left, in milliseconds. Default 120,000. */
  readonly read_on_ms?: number
  /** Runs a task again and again until it is told to stop. Default: a timer that keeps no process alive. */
  readonly every?: (millis: number, task: () => void) => () => void
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
  /** Charges what was used, by the tally unless it is said, and what was spent on attempts that were given up. */
  readonly settle: (
    candidate: AdmittedCandidate,
    status: UsageStatus,
    abandoned: readonly AdmittedCandidate[],
    used?: Tally["settled"]
  ) => Promise<void>
}

const timer = (millis: number, task: () => void): (() => void) => {
  const running = setInterval(task, millis)
  running.unref()
  return () => clearInterval(running)
}

/** Those that may bill for what nobody waited for. */
const abandonedOf = (attempts: readonly Attempt[]): readonly AdmittedCandidate[] =>
  attempts.flatMap(({ given_up, candidate }) => (given_up ? [candidate] : []))

/** As long as events have it: what was used is charged, whoever the client says that it was for. */
const nameOf = (user: string | null | undefined): string | null =>
  user == null ? null : [...user.slice(0, 1_024)].slice(0, 512).join("")

const deepest = 64

/** Whether every store can keep it: PostgreSQL refuses U+0000, and a structure without end in depth. */
const isStorable = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return !value.includes("\0")
  if (typeof value !== "object" || value === null) return true
  return (
    depth < deepest &&
    Object.entries(value)
      .flat()
      .every((member) => isStorable(member, depth + 1))
  )
}

/** What is recorded of a request is looked at before anything is bought: what cannot be settled would cost nothing. */
const unstorable = ({ decided: { user, session_id }, trace }: Asked) =>
  Object.entries({ user, session_id, trace }).flatMap(([path, value]) =>
    isStorable(value)
      ? []
      : [{ path, code: "not_storable", message: `Contains U+0000, or is deeper than ${deepest} levels` }]
  )

const bearer = /^Bearer +(\S+)$/i

/** A client's own `null` says nothing. */
const present = (fields: Fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))

/** What is wrong with the key or the name of the model is the caller's to mend. Other issues tell of rules and budgets of others. */
const issuesFor = ({ issues }: Pick<GrantedAdmission, "issues">) => {
  const own = issues.filter(({ code }) => code === "key" || code === "catalog")
  return own.length === 0 ? {} : { issues: own }
}

/** Tells a caller what the management API would. Money that was held is given back by whoever calls this. */
const unanswered = (
  { refusal }: Dialect,
  attempts: readonly Attempt[],
  candidates: readonly AdmittedCandidate[],
  request_id: string
) => {
  if (attempts.length === 0) {
    const providers = [...new Set(candidates.map(({ provider }) => provider))]
    const names = new Set(candidates.map((candidate) => upstreamName(knownUpstreams, candidate)))
    const variables = [...names].map((name) => knownUpstreams[name]?.variable ?? "GATEWAY_UPSTREAMS")
    return refusal(
      503,
      `No key for ${providers.join(" or ")}: start the gateway with ${variables.join(" or ")}, or bring one to the workspace (POST /byok)`,
      { request_id, reason: "no_upstream", providers }
    )
  }
  const told = attempts.map(({ candidate, status, message }) => ({ provider: candidate.provider, status, message }))
  const metadata = { request_id, attempts: told }
  if (attempts.some(({ status }) => status !== 429)) return refusal(502, errorMessages[502], metadata)
  const wait = Math.min(...attempts.map(({ retry_after }) => Math.max(retry_after ?? 1, 1)))
  return refusal(429, errorMessages[429], metadata, { "retry-after": String(wait) })
}

const rejected = (
  { refusal }: Dialect,
  { candidate: { provider }, status, message }: Attempt,
  request_id: string
): Answer =>
  refusal(status ?? 400, message ?? errorMessages[502], { request_id, provider_name: provider, raw: message })

/** Other models may be reached at this path, and this model at others. */
const unspoken = (
  { path, refusal }: Dialect,
  { candidates }: GrantedAdmission,
  spoken: readonly string[],
  request_id: string
): Answer => {
  const paths = dialects.filter(({ name }) => spoken.includes(name)).map((each) => each.path)
  const model = candidates[0]?.model ?? "this model"
  return refusal(404, `No provider of ${model} answers ${path}. It is answered at ${paths.join(", ")}.`, {
    request_id,
    reason: "api_not_spoken",
    paths
  })
}

const noKey = ({ refusal }: Dialect, request_id: string): Answer =>
  refusal(401, errorMessages[401], {
    request_id,
    reason: "missing_authentication",
    issues: [
      {
        path: "header.authorization",
        code: "missing_authentication",
        message: "Expected one header `Authorization: Bearer <key>`"
      }
    ]
  })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const byPath = new Map(dialects.map((dialect) => [dialect.path, dialect]))

const dialectAt = (path: string): Dialect => {
  const dialect = byPath.get(path)
  if (dialect === undefined) throw new TypeError(`Nothing is answered at ${path}`)
  return dialect
}

export const makeGateway = ({
  gatewarden,
  upstreams,
  hold_seconds = 600,
  read_on_ms = 120_000,
  every = timer,
  onFailure = (what, cause) => console.error(`gateway: ${what}:`, cause instanceof Error ? cause.name : "unknown")
}: GatewayOptions): Gateway => {
  const open = new Set<Promise<unknown>>()
  /** Remembered until it is over, and never thrown: the client has its answer. */
  const behind = async (what: string, task: () => Promise<unknown>): Promise<void> => {
    const running = task().catch((cause: unknown) => onFailure(what, cause))
    open.add(running)
    await running
    open.delete(running)
  }

  const idOf = modelNames(gatewarden, upstreams)

  const admit = async (api_key: string, { decided, forwarded }: Asked) =>
    gatewarden.admit({
      api_key,
      hold_seconds,
      // What is redacted is put back in the answer: providers do not see it, those who sent it do.
      reversible_redaction: true,
      // All that will be sent on is decided on, priced and looked into.
      ...forwarded,
      ...present({
        ...decided,
        model: decided.model && (await idOf(api_key, decided.model)),
        models: decided.models && (await Promise.all(decided.models.map((name) => idOf(api_key, name))))
      })
    })

  const settling =
    ({ decided, trace }: Asked, admission: GrantedAdmission, tally: Tally): Admitted["settle"] =>
    (candidate, status, abandoned, used = tally.settled) =>
      behind("settling", () =>
        gatewarden.settle(admission.id, {
          ...tally.timing,
          model: candidate.model,
          provider: candidate.provider,
          endpoint_tag: candidate.endpoint_tag,
          ...used,
          ...chargeOf(admission, candidate, used, abandoned),
          status,
          session_id: decided.session_id ?? null,
          external_user: nameOf(decided.user),
          trace: trace ?? null,
          guardrail_invoked: admission.findings.length > 0
        })
      )

  const answer = async (dialect: Dialect, asking: Asking): Promise<Answer> => {
    const { request_id } = asking
    const [, api_key] = bearer.exec(asking.authorization ?? "") ?? []
    if (api_key === undefined) return noKey(dialect, request_id)
    const asked = dialect.read(parsed(asking.body))
    if ("issues" in asked)
      return dialect.refusal(400, errorMessages[400], { request_id, reason: "invalid_request", ...asked })
    const issues = unstorable(asked)
    if (issues.length > 0)
      return dialect.refusal(400, errorMessages[400], { request_id, reason: "invalid_request", issues })
    const admission = await admit(api_key, asked)
    if (admission.error !== null) {
      const { message, metadata } = admission.error
      const status = admission.status ?? 403
      const headers = status === 429 ? { "retry-after": String(metadata["retry_after_seconds"] ?? 1) } : undefined
      // Written anew, as its address of the reason is that of the management API.
      return dialect.refusal(status, message, { request_id, ...metadata, ...issuesFor(admission) }, headers)
    }
    const { merged, fields, messages } = admission
    // After redaction: what filters found in tools and elsewhere is not sent as the client wrote it.
    const body = {
      ...dialect.forwarded({ ...(merged ?? asked.forwarded), ...fields }),
      ...(asked.decided.messages?.length === 0 ? {} : { messages }),
      ...(asked.decided.stream === true && dialect.stream !== undefined ? { stream: true } : {})
    }
    const tally = new Tally(dialect, body)
    const admitted = { dialect, asked, admission, tally, settle: settling(asked, admission, tally) }
    const answered = await send(admitted, body, asking)
    return { ...answered, headers: { ...answered.headers, "x-generation-id": admission.id } }
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

  const send = async (admitted: Admitted, body: Fields, { headers, request_id, left }: Asking): Promise<Answer> => {
    const { dialect, admission, settle } = admitted
    const { gaveUp, over } = patience(left)
    const dispatched = await dispatch({ admission, upstreams, body, dialect, headers, left, gaveUp })
    if (dispatched.kind === "answered") return pass(admitted, dispatched, over)
    over()
    const cancel = () => behind("cancelling", () => gatewarden.cancel(admission.id))
    switch (dispatched.kind) {
      case "unspoken":
        await cancel()
        return unspoken(dialect, admission, dispatched.dialects, request_id)
      case "rejected": {
        const { attempt, attempts } = dispatched
        const abandoned = abandonedOf(attempts)
        if (abandoned.length === 0) await cancel()
        else await settle(attempt.candidate, "error", abandoned, nothingUsed)
        return rejected(dialect, attempt, request_id)
      }
      case "failed": {
        const { attempts } = dispatched
        const last = attempts.at(-1)
        const status = last?.status === 429 ? "rate_limited" : last?.given_up && left.aborted ? "cancelled" : "error"
        if (last === undefined) await cancel()
        else await settle(last.candidate, status, abandonedOf(attempts), nothingUsed)
        return unanswered(dialect, attempts, admission.candidates, request_id)
      }
    }
  }

  /** An answer has begun, and is charged for whether or not anyone waits for it. */
  const pass = async (
    { dialect, asked: { form }, admission, tally, settle }: Admitted,
    { candidate, opened, attempts }: Extract<Dispatched, { kind: "answered" }>,
    over: () => void
  ): Promise<Answer> => {
    const abandoned = abandonedOf(attempts)
    const shaping: Shaping = {
      id: admission.id,
      created: Math.floor(Date.now() / 1000),
      answering: { model: candidate.model, provider: candidate.provider },
      form,
      restore: admission.restore,
      spent: () => ({
        used: tally.usage,
        cost: chargeOf(admission, candidate, tally.settled, abandoned),
        ofPrompt: chargeOf(admission, candidate, { ...tally.settled, completion_tokens: 0 }, abandoned)
      })
    }
    if (opened.kind === "complete") {
      over()
      tally.add(opened.answer)
      // The answer is written down while the money is settled, and sent when it is.
      const settled = settle(candidate, "ok", abandoned)
      const answered = answerJson(200, dialect.whole(opened.answer, shaping))
      await settled
      return answered
    }
    const { events, abort } = opened
    if (dialect.stream === undefined) throw new TypeError(`${dialect.path} has no streams`)
    const stop = every(
      hold_seconds * 500,
      () => void behind("renewing", () => gatewarden.renew(admission.id, hold_seconds))
    )
    const relay = {
      events,
      abort,
      dialect,
      tally,
      shape: dialect.stream(shaping),
      onEnd: (how: UsageStatus) => {
        stop()
        over()
        return settle(candidate, how, abandoned)
      }
    }
    return {
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
      body: (listener) => behind("relaying", () => relayStream(relay, listener))
    }
  }

  return {
    paths: [...byPath.keys()],
    idOf,
    refusal: (path) => dialectAt(path).refusal,
    complete: async (asking) => {
      const dialect = dialectAt(asking.path)
      const { refusal } = dialect
      try {
        return await answer(dialect, asking)
      } catch (cause) {
        const { request_id } = asking
        if (cause instanceof GatewardenRefusal) {
          const { status, reason, issues } = cause
          if (status >= 500) onFailure("answering", cause)
          const message = errorMessages[status as keyof typeof errorMessages] ?? cause.message
          return refusal(status, message, { request_id, reason, issues })
        }
        onFailure("answering", cause)
        return refusal(500, errorMessages[500], { request_id })
      }
    },
    idle: async () => {
      while (open.size > 0) await Promise.all(open)
    }
  }
}

/** Said of every unit: what is not reported is charged as it was held. */
const nothingUsed = {
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: null,
  reasoning_tokens: null,
  images: 0,
  requests: 0,
  server_tool_use: { web_search_requests: 0 }
}
