/**
 * A reference gateway: `POST /chat/completions` over Gatewarden's decisions and any OpenAI-compatible upstreams.
 *
 * Admit, dispatch to what was granted and nothing else, settle what was used.
 */
import { type AdmittedCandidate, errorMessages, type UsageStatus } from "@gatewarden/contract"
import { type Gatewarden, GatewardenRefusal, type GrantedAdmission } from "@gatewarden/core"
import { type Answer, answerJson, refusal } from "./Answer.ts"
import { chargeOf } from "./chargeOf.ts"
import { type Attempt, dispatch, type Dispatched } from "./dispatch.ts"
import { knownUpstreams } from "./knownUpstreams.ts"
import { printUsage } from "./printUsage.ts"
import { type Asking, type Chat, forwardedFields, readChat } from "./readChat.ts"
import { hidesReasoning } from "./reasoning.ts"
import { relayStream } from "./relayStream.ts"
import { type ChunkRestorer, restoreAnswer, restoreChunks } from "./restoreAnswer.ts"
import { shapeAnswer, type Shaping } from "./shapeAnswer.ts"
import { Tally } from "./Tally.ts"
import { upstreamName, type Upstreams } from "./Upstream.ts"

export interface GatewayOptions {
  readonly gatewarden: Pick<Gatewarden, "admit" | "renew" | "settle" | "cancel">
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
  /** Never rejects. */
  readonly complete: (asking: Asking) => Promise<Answer>
  /** Resolves when nothing waits to be settled. */
  readonly idle: () => Promise<void>
}

/** A request that was admitted. */
interface Admitted {
  readonly asked: Chat
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

/** A client's own `null` says nothing. */
const present = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))

/** What is wrong with the key or the name of the model is the caller's to mend. Other issues tell of rules and budgets of others. */
const issuesFor = ({ issues }: Pick<GrantedAdmission, "issues">) => {
  const own = issues.filter(({ code }) => code === "key" || code === "catalog")
  return own.length === 0 ? {} : { issues: own }
}

/** Tells a caller what the management API would. Money that was held is given back by whoever calls this. */
const unanswered = (attempts: readonly Attempt[], candidates: readonly AdmittedCandidate[], request_id: string) => {
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

const rejected = ({ candidate: { provider }, status, message }: Attempt, request_id: string): Answer =>
  refusal(status ?? 400, message ?? errorMessages[502], { request_id, provider_name: provider, raw: message })

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

  const admit = ({ api_key, chat, preset, forwarded }: Chat) =>
    gatewarden.admit({
      api_key,
      hold_seconds,
      // What is redacted is put back in the answer: providers do not see it, those who sent it do.
      reversible_redaction: true,
      // All that will be sent on is decided on, priced and looked into.
      ...forwarded,
      ...present({
        messages: chat.messages,
        model: chat.model,
        models: chat.models,
        preset,
        provider: chat.provider,
        stream: chat.stream,
        user: chat.user,
        session_id: chat.session_id
      }),
      max_completion_tokens: chat.max_completion_tokens ?? chat.max_tokens ?? null
    })

  const settling =
    ({ chat }: Chat, admission: GrantedAdmission, tally: Tally): Admitted["settle"] =>
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
          session_id: chat.session_id ?? null,
          external_user: chat.user ?? null,
          trace: chat.trace ?? null,
          guardrail_invoked: admission.findings.length > 0
        })
      )

  const answer = async (asking: Asking): Promise<Answer> => {
    const { request_id } = asking
    const asked = readChat(asking)
    if ("status" in asked) return asked
    const admission = await admit(asked)
    if (admission.error !== null) {
      const { message, metadata } = admission.error
      const status = admission.status ?? 403
      const headers = status === 429 ? { "retry-after": String(metadata["retry_after_seconds"] ?? 1) } : undefined
      // Written anew, as its address of the reason is that of the management API.
      return refusal(status, message, { request_id, ...metadata, ...issuesFor(admission) }, headers)
    }
    const { merged, fields, messages } = admission
    // After redaction: what filters found in tools and elsewhere is not sent as the client wrote it.
    const body = { ...forwardedFields({ ...(merged ?? asked.forwarded), ...fields }), messages }
    const tally = new Tally(body)
    const admitted = { asked, admission, tally, settle: settling(asked, admission, tally) }
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

  const send = async (admitted: Admitted, body: object, { request_id, left }: Asking): Promise<Answer> => {
    const { asked, admission, settle } = admitted
    const { gaveUp, over } = patience(left)
    const streamed = asked.chat.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}
    const dispatched = await dispatch({ admission, upstreams, body: { ...body, ...streamed }, left, gaveUp })
    if (dispatched.kind === "answered") return pass(admitted, dispatched, over)
    over()
    switch (dispatched.kind) {
      case "rejected": {
        const { attempt, attempts } = dispatched
        const abandoned = abandonedOf(attempts)
        if (abandoned.length === 0) await behind("cancelling", () => gatewarden.cancel(admission.id))
        else await settle(attempt.candidate, "error", abandoned, nothingUsed)
        return rejected(attempt, request_id)
      }
      case "failed": {
        const { attempts } = dispatched
        const last = attempts.at(-1)
        const status = last?.status === 429 ? "rate_limited" : last?.given_up && left.aborted ? "cancelled" : "error"
        if (last === undefined) await behind("cancelling", () => gatewarden.cancel(admission.id))
        else await settle(last.candidate, status, abandonedOf(attempts), nothingUsed)
        return unanswered(attempts, admission.candidates, request_id)
      }
    }
  }

  /** An answer has begun, and is charged for whether or not anyone waits for it. */
  const pass = async (
    { asked: { chat }, admission, tally, settle }: Admitted,
    { candidate, opened, attempts }: Extract<Dispatched, { kind: "answered" }>,
    over: () => void
  ): Promise<Answer> => {
    const shaping: Shaping = {
      id: admission.id,
      created: Math.floor(Date.now() / 1000),
      answering: { model: candidate.model, provider: candidate.provider },
      hidesReasoning: hidesReasoning(chat)
    }
    const abandoned = abandonedOf(attempts)
    const usage = () =>
      printUsage(
        tally.usage,
        chargeOf(admission, candidate, tally.settled, abandoned),
        chargeOf(admission, candidate, { ...tally.settled, completion_tokens: 0 }, abandoned)
      )
    if (opened.kind === "complete") {
      over()
      tally.add(opened.answer)
      // The answer is written down while the money is settled, and sent when it is.
      const settled = settle(candidate, "ok", abandoned)
      const shaped = shapeAnswer(opened.answer, shaping)
      const { restore } = admission
      const whole = { ...(restore === undefined ? shaped : restoreAnswer(shaped, restore)), usage: usage() }
      const answered = answerJson(200, whole)
      await settled
      return answered
    }
    const { events, abort } = opened
    const stop = every(
      hold_seconds * 500,
      () => void behind("renewing", () => gatewarden.renew(admission.id, hold_seconds))
    )
    const { include_usage } = (chat.stream_options ?? {}) as { readonly include_usage?: unknown }
    // Who asks for it gets OpenAI's event without choices, and who does not one that has them, as clients then expect.
    const choices =
      include_usage === true ? [] : [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]
    const { id, created, answering } = shaping
    const relay = {
      events,
      abort,
      tally,
      restore: admission.restore === undefined ? unchanged : restoreChunks(admission.restore),
      shaping,
      usageEvent: () => ({ id, object: "chat.completion.chunk", created, ...answering, choices, usage: usage() }),
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
    complete: async (asking) => {
      try {
        return await answer(asking)
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

const unchanged: ChunkRestorer = { push: (chunk) => chunk, end: () => undefined }
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
