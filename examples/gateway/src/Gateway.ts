/**
 * A reference gateway: `POST /chat/completions` over Gatewarden's decisions and any OpenAI-compatible upstreams.
 *
 * Admit, dispatch to what was granted and nothing else, settle what was used.
 */
import { type AdmittedCandidate, errorMessages, type UsageStatus } from "@gatewarden/contract"
import { type Gatewarden, GatewardenRefusal, type GrantedAdmission, mergePreset } from "@gatewarden/core"
import { type Attempt, dispatch } from "./dispatch.ts"
import { type Chat, forwardedFields, readChat } from "./readChat.ts"
import { refusal } from "./refusal.ts"
import { relayStream } from "./relayStream.ts"
import { type ChunkRestorer, restoreAnswer, restoreChunks } from "./restoreAnswer.ts"
import { Tally } from "./Tally.ts"
import type { Upstreams } from "./Upstream.ts"

export interface GatewayOptions {
  readonly gatewarden: Pick<Gatewarden, "admit" | "renew" | "settle" | "cancel">
  readonly upstreams: Upstreams
  /** How long money stays held without news; a stream renews it at half of that. Default 600. */
  readonly hold_seconds?: number
  /** Runs a task again and again until it is told to stop. Default: a timer that keeps no process alive. */
  readonly every?: (millis: number, task: () => void) => () => void
  /** What went wrong behind a client's back; neither prompts nor keys are in it. Default: the console. */
  readonly onFailure?: (what: string, cause: unknown) => void
}

export interface Gateway {
  /** Never rejects. */
  readonly complete: (request: Request) => Promise<Response>
  /** Resolves when nothing waits to be settled. */
  readonly idle: () => Promise<void>
}

const timer = (millis: number, task: () => void): (() => void) => {
  const running = setInterval(task, millis)
  running.unref()
  return () => clearInterval(running)
}

/** Tells a caller what the management API would. Money that was held is given back by whoever calls this. */
const unanswered = (attempts: readonly Attempt[]): Response => {
  if (attempts.length === 0) return refusal(503, "No upstream is configured for any provider that may answer this")
  const limited = attempts.every(({ status }) => status === 429)
  const metadata = { attempts: attempts.map(({ candidate, status }) => ({ provider: candidate.provider, status })) }
  return limited ? refusal(429, errorMessages[429], metadata) : refusal(502, errorMessages[502], metadata)
}

export const makeGateway = ({
  gatewarden,
  upstreams,
  hold_seconds = 600,
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

  const answer = async (request: Request): Promise<Response> => {
    const asked = await readChat(request)
    if (asked instanceof Response) return asked
    const { api_key, chat, preset } = asked
    const { model, models, provider, messages, stream, user, session_id } = chat
    const admission = await gatewarden.admit({
      api_key,
      hold_seconds,
      // What is redacted is put back in the answer: providers do not see it, those who sent it do.
      reversible_redaction: true,
      messages,
      ...Object.fromEntries(
        Object.entries({ model, models, preset, provider, stream, user, session_id }).filter(
          ([, value]) => value != null
        )
      ),
      max_completion_tokens: chat.max_completion_tokens ?? chat.max_tokens ?? null
    })
    if (admission.error !== null) return Response.json({ error: admission.error }, { status: admission.status ?? 403 })
    const response = await send(asked, admission, request.signal)
    response.headers.set("x-generation-id", admission.id)
    return response
  }

  const send = async (asked: Chat, admission: GrantedAdmission, signal: AbortSignal): Promise<Response> => {
    const { chat } = asked
    const stream = chat.stream === true
    const created_at = new Date().toISOString()
    const tally = new Tally(admission.messages)
    const settle = (candidate: AdmittedCandidate, status: UsageStatus, usage = tally.usage): Promise<void> =>
      behind("settling", () =>
        gatewarden.settle(admission.id, {
          created_at,
          model: candidate.model,
          provider: candidate.provider,
          endpoint_tag: candidate.endpoint_tag,
          ...usage,
          ...admission.costOf(candidate, usage),
          ...tally.timing,
          status,
          session_id: chat.session_id ?? null,
          external_user: chat.user ?? null,
          trace: chat.trace ?? null,
          guardrail_invoked: admission.findings.length > 0
        })
      )

    const dispatched = await dispatch({
      admission,
      upstreams,
      body: {
        ...forwardedFields(mergePreset(admission.merged ?? {}, asked.forwarded, { model: undefined })),
        messages: admission.messages,
        ...(stream ? { stream, stream_options: { include_usage: true } } : {})
      },
      // A complete answer is charged for whether or not anyone waits for it, so it is waited for.
      left: stream ? signal : new AbortController().signal
    })
    switch (dispatched.kind) {
      case "rejected": {
        await behind("cancelling", () => gatewarden.cancel(admission.id))
        const { candidate, status, message } = dispatched.attempt
        return refusal(status ?? 400, errorMessages[502], { provider: candidate.provider, message })
      }
      case "failed": {
        const { attempts } = dispatched
        const last = attempts.at(-1)
        if (last === undefined) await behind("cancelling", () => gatewarden.cancel(admission.id))
        else await settle(last.candidate, last.status === 429 ? "rate_limited" : "error", nothingUsed)
        return unanswered(attempts)
      }
      case "abandoned":
        await settle(dispatched.candidate, "cancelled")
        return refusal(499, "The client went away")
      case "answered": {
        const { candidate, opened } = dispatched
        const answering = { model: candidate.model, provider: candidate.provider }
        if (opened.kind === "complete") {
          tally.add(opened.answer)
          await settle(candidate, "ok")
          const { restore } = admission
          const answered = restore === undefined ? opened.answer : restoreAnswer(opened.answer, restore)
          // The public client insists on a fingerprint, which not all upstreams have.
          return Response.json({ system_fingerprint: null, ...answered, ...answering })
        }
        const stop = every(
          hold_seconds * 500,
          () => void behind("renewing", () => gatewarden.renew(admission.id, hold_seconds))
        )
        const { include_usage } = (chat.stream_options ?? {}) as { readonly include_usage?: unknown }
        const body = relayStream({
          events: opened.events,
          abort: opened.abort,
          tally,
          restore: admission.restore === undefined ? unchanged : restoreChunks(admission.restore),
          answering,
          wantsUsage: include_usage === true,
          onEnd: (how) => {
            stop()
            return settle(candidate, how)
          }
        })
        return new Response(body, {
          headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
        })
      }
    }
  }

  return {
    complete: async (request) => {
      try {
        return await answer(request)
      } catch (cause) {
        if (cause instanceof GatewardenRefusal) {
          const { status, reason, issues } = cause
          if (status >= 500) onFailure("answering", cause)
          return refusal(status, errorMessages[status as keyof typeof errorMessages] ?? cause.message, {
            reason,
            issues
          })
        }
        onFailure("answering", cause)
        return refusal(500, errorMessages[500])
      }
    },
    idle: async () => {
      while (open.size > 0) await Promise.all(open)
    }
  }
}

const unchanged: ChunkRestorer = { push: (chunk) => chunk, end: () => undefined }
const nothingUsed = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: null, reasoning_tokens: null }
