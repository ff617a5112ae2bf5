/** What a host answers on the server's own port, beside the operations. */
import type { BodyLimits, Enforcement, Gatewarden, GatewardenOptions } from "@gatewarden/core"
import type { NodeHandler } from "../http/toNodeHandler.ts"

/** What the server gives to a host's routes. */
export interface Served {
  /**
   * The server's instance. Within a request of one of the host's paths, its methods know the ingress region of that request, and their
   * spans belong to the span of that request.
   */
  readonly gatewarden: Enforcement & Pick<Gatewarden, "fetch" | "basePath">
  /** What the variables say of requests' bodies (`bodyReceiver`). */
  readonly bodies: BodyLimits
  /**
   * Sends a request to an address that an account chose, such as the `upstream` of a candidate. It connects to public addresses only, unless
   * `GATEWARDEN_ALLOW_PRIVATE_NETWORKS` is set, and judges the address that the name leads to when it opens the connection. It follows no redirect.
   *
   * @param url where to
   * @param init method, headers, body and signal, with `redirect: "manual"`
   * @returns the response, while its body arrives
   * @throws what ended the request: an Error with the code `ERR_ADDRESS_REFUSED` if the address is not public
   * @example
   * const signal = AbortSignal.timeout(10_000)
   * const response = await served.outgoing("https://inference.example.com/v1/models", { method: "GET", headers: {}, redirect: "manual", signal })
   */
  readonly outgoing: NonNullable<GatewardenOptions["fetch"]>
  /**
   * Tells what `doc_url` of an error begins with; the reason follows.
   *
   * @param url path and query of the request
   * @returns an address, relative to the request unless `GATEWARDEN_DOC_URL` is set
   * @throws nothing
   * @example
   * const doc_url = served.errorDocs("/api/v1/chat/completions") + "invalid_request"
   */
  readonly errorDocs: (url: string) => string
  /**
   * Tells whether the server has an operation or a page of its own at a path, whatever the method.
   *
   * @param url path and query of the request
   * @returns `false` if the server would answer 404 `unknown_path`
   * @throws nothing
   * @example
   * const isForeign = !served.serves("/api/v1/completions")
   */
  readonly serves: (url: string) => boolean
}

/** What a host serves beside the management API. */
export interface HostRoutes {
  /**
   * The paths that the host answers by `POST`, below the base path: `/chat/completions`. Logs, metrics and traces name them, and the server
   * refuses them with 503 while it drains. Their responses have an `X-Request-Id` already.
   */
  readonly paths: readonly string[]
  /** Gets every request, and calls `next` for what it leaves to the server. Headers that it sets are on the answer of the server, too. */
  readonly listener: NodeHandler
  /**
   * Waits for work that outlives its response, such as settlements. Called when no request is left, and before the store closes.
   *
   * @returns when nothing is left to do
   * @throws nothing
   * @example
   * const idle = async () => void (await Promise.allSettled(settlements))
   */
  readonly idle?: () => Promise<void>
  /** Fields of the log line `serving`. */
  readonly notes?: Readonly<Record<string, string>>
}

/** Where the server is and what it keeps, for a host's banner. */
export interface Started {
  /** `http://HOST:PORT<base path>`. */
  readonly url: string
  /** Address of the API page; `undefined` where it is switched off. */
  readonly pageUrl: string | undefined
  /** Where the data are: a directory, or `undefined` when they are in PostgreSQL or nowhere. */
  readonly dataDirectory: string | undefined
  /** The file with the first management key, where there is one. */
  readonly managementKeyFile: string | undefined
}
