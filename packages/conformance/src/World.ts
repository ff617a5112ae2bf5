/** One account of an installation, and requests made in its name. Every answer is held against the contract. */
import {
  ErrorEnvelope,
  OAuthError,
  type OperationId,
  operations,
  type OperationShape,
  type Reason,
  reasons,
  ScimError,
  scimMediaType,
  scimPath
} from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import type { Installation } from "./Installation.ts"

export interface WorldFacts {
  readonly account_id: string
  readonly workspace_id: string
  readonly default_guardrail_id: string
  readonly managementKey: string
  readonly normalKey: string
  readonly normalKeyHash: string
  /** A management key of the account `default`, whose holder operates the installation. */
  readonly operatorKey: string
  /** A gateway key of the installation. */
  readonly gatewayKey: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined when there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely; the contract has checked their shape
  readonly json: any
}

/** What an error tells beside its status, in either envelope. */
export const metadataOf = ({ json }: Answer): ErrorMetadata => json.error?.metadata ?? json.metadata

export interface ErrorMetadata {
  readonly reason: string
  readonly doc_url: string
  readonly issues: readonly { readonly path: string; readonly code: string; readonly message: string }[]
}

export interface Call {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>> | string
  /** A value is sent as JSON; a string, bytes or form data as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The bearer key; null sends no Authorization header. Default: the key of the world that the operation needs. */
  readonly key?: string | null
}

/** What belongs to the installation is written by its operator. */
const writesForAll = (id: OperationId, { query }: Call): boolean =>
  id === "putCatalog" && !JSON.stringify(query ?? "").includes("account")

const byId = new Map<string, OperationShape>(operations.map((operation) => [operation.id, operation]))

/** Operations whose errors have the form of OAuth. */
const oauthPaths: ReadonlySet<string> = new Set(
  operations.flatMap(({ method, path, errorForm }: OperationShape) =>
    errorForm === "oauth" ? [`${method} ${path}`] : []
  )
)

export class World implements WorldFacts {
  readonly installation: Installation
  readonly account_id: string
  readonly workspace_id: string
  readonly default_guardrail_id: string
  readonly managementKey: string
  readonly normalKey: string
  readonly normalKeyHash: string
  readonly operatorKey: string
  readonly gatewayKey: string

  constructor(installation: Installation, facts: WorldFacts) {
    this.installation = installation
    this.account_id = facts.account_id
    this.workspace_id = facts.workspace_id
    this.default_guardrail_id = facts.default_guardrail_id
    this.managementKey = facts.managementKey
    this.normalKey = facts.normalKey
    this.normalKeyHash = facts.normalKeyHash
    this.operatorKey = facts.operatorKey
    this.gatewayKey = facts.gatewayKey
  }

  /** Calls an operation of the table and checks that the answer is one that its declaration allows. */
  async call(id: OperationId, call: Call = {}): Promise<Answer> {
    const operation = byId.get(id)
    if (operation === undefined) throw new Error(`no operation ${id}`)
    const path = operation.path.replace(/:([a-z_]+)/g, (_, name: string) =>
      encodeURIComponent(call.params?.[name] ?? "")
    )
    const usual = writesForAll(id, call)
      ? this.operatorKey
      : { managementKey: this.managementKey, anyKey: this.normalKey, anyone: null }[operation.access]
    const answer = await this.send(operation.method, path, { ...call, key: call.key === undefined ? usual : call.key })
    if (answer.status < 300) {
      if (operation.success.status === undefined) assert.include([200, 201], answer.status)
      else assert.strictEqual(answer.status, operation.success.status)
      if (operation.success.bytes) {
        assert.include(
          operation.success.byteTypes ?? ["application/octet-stream"],
          answer.headers.get("content-type")?.split(";")[0]
        )
        return answer
      }
      const { textType } = operation.success
      if (textType !== undefined && answer.headers.get("content-type")?.startsWith(textType)) return answer
      const parsed = operation.success.schema.safeParse(answer.json)
      assert.isTrue(parsed.success, `${id}: ${parsed.error?.message}\n${answer.text}`)
    } else if (answer.status >= 400) {
      const declared: readonly number[] = [...operation.errors, 404, 405, 413, 415, 503]
      assert.include(declared, answer.status, `${id}: undeclared status\n${answer.text}`)
    }
    return answer
  }

  /** Sends a request below the base path; every error answer must be the envelope. */
  async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { origin, fetch } = this.installation.door
    const query = typeof call.query === "string" ? call.query : new URLSearchParams(call.query ?? {}).toString()
    const headers = new Headers(call.headers)
    const key = call.key === undefined ? this.managementKey : call.key
    if (key !== null && !headers.has("authorization")) headers.set("authorization", `Bearer ${key}`)
    const raw = typeof call.body === "string" || call.body instanceof Uint8Array || call.body instanceof FormData
    const body = call.body === undefined ? undefined : raw ? (call.body as BodyInit) : JSON.stringify(call.body)
    if (body !== undefined && !headers.has("content-type") && !(body instanceof FormData))
      headers.set("content-type", "application/json")
    const url = `${origin}${this.installation.basePath}${path}${query === "" ? "" : `?${query}`}`
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    const isScim = path.startsWith(`${scimPath}/`)
    const isJson = (response.headers.get("content-type") ?? "").startsWith(isScim ? scimMediaType : "application/json")
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : undefined
    }
    assert.isNotNull(response.headers.get("x-request-id"))
    if (answer.status >= 400 && method !== "HEAD" && oauthPaths.has(`${method} ${path}`)) {
      const parsed = OAuthError.safeParse(answer.json)
      assert.isTrue(parsed.success, `not an error of OAuth: ${text}`)
      const [reason = ""] = /[a-z_]+$/.exec(answer.json.error_uri) ?? []
      assert.include(reasons[reason as Reason].statuses, answer.status, `docs/reference/errors.md: ${reason}`)
      assert.match(answer.json.error_description, /^[ !#-[\]-~]+$/)
    } else if (answer.status >= 400 && method !== "HEAD") {
      const parsed = (isScim ? ScimError : ErrorEnvelope).safeParse(answer.json)
      assert.isTrue(parsed.success, `not the envelope: ${text}`)
      assert.strictEqual(Number(isScim ? answer.json.status : answer.json.error.code), answer.status)
      const { doc_url, reason } = metadataOf(answer)
      assert.include(reasons[reason as Reason].statuses, answer.status, `docs/reference/errors.md: ${reason}`)
      // Absolute where the installation has a public address.
      const page = new URL(doc_url, url)
      assert.strictEqual(page.pathname, `${this.installation.basePath}/errors/${reason}`)
      if (!URL.canParse(doc_url)) assert.strictEqual(page.origin, origin)
    }
    return answer
  }

  /** Another account of the same installation. */
  other(): Promise<World> {
    return this.installation.newWorld()
  }
}
