/** An OpenTelemetry collector on loopback that keeps the spans it is sent as OTLP/JSON. */
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code: number; readonly message?: string }
  readonly events: readonly unknown[]
  /** Of the process that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
}

export interface TraceCollector {
  readonly url: string
  readonly spans: () => readonly CollectedSpan[]
  /** As they came: path, headers and size of each. */
  readonly requests: readonly {
    readonly path: string
    readonly headers: Readonly<Record<string, unknown>>
    readonly bytes: number
  }[]
  readonly stop: () => Promise<void>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, "attributes" | "resource"> & {
        readonly attributes: readonly Attribute[]
      })[]
    }[]
  }[]
}

const record = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = ({ resourceSpans }: Sent): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: record(span.attributes),
        resource: record(resource.attributes)
      }))
    )
  )

export const startTraceCollector = async (): Promise<TraceCollector> => {
  const spans: CollectedSpan[] = []
  const requests: TraceCollector["requests"][number][] = []
  const server = createServer(async (request, response) => {
    const parts: Uint8Array[] = []
    for await (const part of request) parts.push(part as Uint8Array)
    const body = Buffer.concat(parts)
    requests.push({ path: request.url ?? "", headers: request.headers, bytes: body.length })
    if (request.headers["content-type"] === "application/json")
      spans.push(...spansOf(JSON.parse(body.toString()) as Sent))
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    requests,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
