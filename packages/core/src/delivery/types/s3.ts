/**
 * S3 and services that are compatible with it: an object for each event, with its trace and, as an observation, the generation.
 *
 * The name of an object depends on the event alone, so an event that is sent again replaces what it was. A signature counts for a quarter of an
 * hour: a request that waits is rendered anew.
 *
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html,
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html,
 * https://openrouter.ai/docs/guides/features/broadcast/s3
 */
import { Effect } from "effect"
import { Digest } from "../../platform/Digest.ts"
import { encodeRfc3986, signAwsRequest } from "../../platform/signAwsRequest.ts"
import { formatUsd } from "../../value/money.ts"
import { loopPauses } from "../../value/inSlices.ts"
import { withoutTrailingSlashes } from "../../value/text.ts"
import { carrying, fittedEncoding, type UnsentRequest } from "../rendering/batchRenderer.ts"
import {
  type ConfigOf,
  type DeliveredEvent,
  type RenderedRequest,
  type Renderer,
  encodeJson,
  judgeStatus
} from "../rendering/Renderer.ts"
import { asObject, flatAttributes, requestAttributes } from "../rendering/genAiAttributes.ts"
import { objectKey } from "../rendering/objectKey.ts"
import { totalCostNanos } from "../rendering/includedAttributes.ts"
import { type RequestSpan, spanName } from "../rendering/RequestSpan.ts"
import { spanIdsOf, traceKeysOf } from "../rendering/spanIds.ts"
import { traceName } from "../rendering/traceRow.ts"

type Config = ConfigOf<"s3">

const limits = { events: 1, bytes: 16_777_216 }

const regionOf = ({ region }: Config): string => (region === undefined || region === "" ? "us-east-1" : region)

/** A name that is a label of a host, without dots, which TLS certificates of S3 do not cover. */
const isLabel = (name: string): boolean => /^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/.test(name)

const isRegion = (name: string): boolean => /^[a-z0-9-]{1,63}$/.test(name)

/** Where the bucket is. Path style for services other than S3 and for names that are no part of a host; nothing of a config becomes a host otherwise. */
const bucketAddress = (config: Config): string => {
  const { endpoint, bucketName } = config
  // A bucket of dots alone would lead upwards; no service has one.
  const bucket = encodeRfc3986(/^\.+$/.test(bucketName) ? bucketName.replaceAll(".", "_") : bucketName)
  if (endpoint !== undefined && endpoint !== "") return `${withoutTrailingSlashes(endpoint)}/${bucket}`
  const region = regionOf(config)
  const host = `s3.${isRegion(region) ? region : "us-east-1"}.amazonaws.com`
  return isLabel(bucketName) ? `https://${bucketName}.${host}` : `https://${host}/${bucket}`
}

/** S3 refuses `x-amz-` headers that are not signed. */
const signedHeaders = ({ headers = {} }: Config): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name.startsWith("x-amz-"))
  )

const put = Effect.fnUntraced(function* (
  config: Config,
  key: string,
  contentType: string,
  body: Uint8Array,
  now: number
) {
  const { sha256Hex } = yield* Digest
  const url = `${bucketAddress(config)}/${key.split("/").map(encodeRfc3986).join("/")}`
  const { accessKeyId, secretAccessKey, sessionToken } = config
  const headers = yield* signAwsRequest(
    {
      method: "PUT",
      url,
      headers: { ...signedHeaders(config), "content-type": contentType },
      bodyHash: yield* sha256Hex(body)
    },
    { accessKeyId, secretAccessKey, sessionToken: sessionToken === "" ? undefined : sessionToken },
    regionOf(config),
    now
  )
  return { method: "PUT", url, headers, body } satisfies UnsentRequest
})

const known = (name: string, value: unknown): Readonly<Record<string, unknown>> =>
  value === null || value === undefined ? {} : { [name]: value }

const traceOf = (request: RequestSpan): Readonly<Record<string, unknown>> => {
  const { delivered, ids, keys, include, leftOut, model } = request
  const { event } = delivered
  const metadata = leftOut === "metadata" ? {} : { metadata: Object.fromEntries(keys.metadata) }
  const bodies =
    leftOut === "nothing" ? { ...known("input", delivered.input), ...known("output", delivered.output) } : { leftOut }
  const [startTime, endTime] = [request.start, request.start + request.durationMillis].map((instant) =>
    new Date(Math.min(instant, 8.64e15)).toISOString()
  )
  const shared = { startTime, endTime, ...metadata }
  const generation = {
    ...shared,
    id: ids.span,
    type: "GENERATION",
    name: spanName(request),
    ...known("parentObservationId", keys.span_name === undefined ? ids.parent : ids.added),
    model,
    provider: event.provider,
    ...(delivered.input === undefined || leftOut !== "nothing"
      ? {}
      : { modelParameters: asObject(requestAttributes(delivered.input)) }),
    usage: {
      input: event.prompt_tokens,
      output: event.completion_tokens,
      total: event.prompt_tokens + event.completion_tokens,
      reasoning: event.reasoning_tokens,
      cached: event.cached_tokens,
      cacheWrite: event.cache_write_tokens,
      unit: "TOKENS"
    },
    ...(include.cost ? { totalCost: formatUsd(totalCostNanos(delivered)) } : {}),
    ...known("timeToFirstTokenMs", event.latency_ms),
    durationMs: request.durationMillis,
    level: event.status === "ok" ? "DEFAULT" : "ERROR",
    ...(event.status === "ok" ? {} : { statusMessage: event.status }),
    ...known("finishReason", event.finish_reason),
    attributes: flatAttributes(request),
    ...bodies
  }
  const span = {
    ...shared,
    id: ids.added,
    type: "SPAN",
    name: keys.span_name,
    ...known("parentObservationId", ids.parent)
  }
  return {
    id: traceName(request),
    name: keys.trace_name ?? event.model,
    timestamp: event.created_at,
    generationId: event.id,
    ...known("userId", event.external_user),
    ...known("sessionId", event.session_id),
    ...metadata,
    ...bodies,
    observations: keys.span_name === undefined ? [generation] : [span, generation]
  }
}

/** As the guide names it; of the traces that callers name there may be several requests at the same time. */
const fileName = Effect.fnUntraced(function* (delivered: DeliveredEvent) {
  const keys = traceKeysOf(delivered.event)
  const ids = yield* spanIdsOf(delivered, keys)
  const timestamp = Date.parse(delivered.event.created_at)
  if (keys.trace_id === undefined) return `${ids.trace}-${timestamp}.json`
  const name = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(keys.trace_id) ? keys.trace_id : ids.trace
  return `${name}-${timestamp}-${ids.span}.json`
})

const keyOf = (
  { pathTemplate, prefix }: Config,
  { created_at }: { readonly created_at: string },
  apiKeyName: string | null,
  name: string
) => objectKey(pathTemplate, { prefix, created_at, apiKeyName }, name)

/** What the operator of the bucket or of its credentials can change. */
const worthRetrying =
  /<Code>(?:PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|ExpiredToken|InvalidToken|TokenRefreshRequired|RequestTimeout|OperationAborted|InvalidBucketName)<\/Code>/

export const s3: Renderer<"s3"> = {
  type: "s3",
  limits,
  render: Effect.fnUntraced(function* (config, events, include, now) {
    const requests: RenderedRequest[] = []
    const breath = yield* loopPauses
    for (const delivered of events) {
      if (breath.isDue()) yield* breath.pause
      const body = yield* fittedEncoding(
        delivered,
        include,
        (request) => encodeJson(traceOf(request)),
        (encoded) => encoded.length <= limits.bytes
      )
      const key = keyOf(config, delivered.event, delivered.api_key_name, yield* fileName(delivered))
      requests.push(carrying(yield* put(config, key, "application/json", body, now), [delivered.event.id]))
    }
    return requests
  }),
  probe: (config, now) => {
    const created_at = new Date(now).toISOString()
    const key = keyOf(config, { created_at }, "connection-test", "gatewarden-connection-test.txt")
    const body = new TextEncoder().encode("Gatewarden can write traces here.\n")
    return Effect.map(put(config, key, "text/plain", body, now), (request) => carrying(request, []))
  },
  judge: (status, body) => {
    const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body)?.[1]
    if (code === "EntityTooLarge") return { kind: "too_large" }
    const verdict = judgeStatus(status)
    if (verdict.kind === "accepted" || code === undefined || !("message" in verdict)) return verdict
    return {
      kind: worthRetrying.test(body) ? "retry" : verdict.kind,
      message: `${verdict.message} ${code}`
    } as typeof verdict
  }
}
