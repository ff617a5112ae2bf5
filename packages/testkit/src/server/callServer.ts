/** Requests to a server process. Every error must be the envelope, whatever state the server is in. */
import { assert } from "@effect/vitest"
import { ErrorEnvelope } from "@gatewarden/contract"
import { managementKey } from "./serverProcess.ts"

export interface ServerCall {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
  readonly signal?: AbortSignal
}

export interface ServerAnswer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly json: any
}

/** `target` is a path below the base path of `url`, or begins with a slash more for one outside of it: `//readyz`. */
export const callServer = async (
  url: string,
  method: string,
  target: string,
  { body, headers, key = managementKey, signal }: ServerCall = {}
): Promise<ServerAnswer> => {
  const response = await fetch(target.startsWith("//") ? new URL(url).origin + target.slice(1) : url + target, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
  const text = await response.text()
  const json: unknown = text === "" ? undefined : JSON.parse(text)
  if (response.status >= 400) {
    assert.isTrue(ErrorEnvelope.safeParse(json).success, `not the envelope: ${text}`)
    const { code, metadata } = (json as ErrorEnvelope).error
    assert.strictEqual(code, response.status)
    assert.strictEqual(new URL(metadata?.doc_url ?? "", response.url).href, `${url}/errors/${metadata?.reason}`)
  }
  return { status: response.status, headers: response.headers, json }
}
