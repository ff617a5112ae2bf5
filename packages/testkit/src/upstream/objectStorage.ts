/**
 * An S3-compatible bucket on loopback: a real HTTP server that checks signatures as the service does.
 *
 * Source: AWS Signature Version 4 for S3, from the side that verifies.
 */
import { Effect, type Scope } from "effect"
import { createHash, createHmac } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { listenOnLoopback } from "@gatewarden/conformance/internal/upstream/listenOnLoopback"

export const objectStorageAccess = {
  bucket: "gatewarden-files",
  region: "eu-test-1",
  accessKeyId: "AKIDTEST",
  secretAccessKey: "secret/with+signs="
}

export interface ObjectStorage {
  readonly endpoint: string
  readonly objects: ReadonlyMap<string, Uint8Array>
  /** From now on every request is answered so; `endless`: 500 with an error that has no end; undefined: well again. */
  readonly answerWith: (fault: Fault | undefined) => void
  /** Bytes of endless errors that were sent. */
  readonly endlessBytes: () => number
}

type Fault = number | "hang up" | "endless"

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text).digest()

const isSigned = (request: IncomingMessage, body: Uint8Array): boolean => {
  const { region, accessKeyId, secretAccessKey } = objectStorageAccess
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? ""
    )
  const [, id, day = "", where, names = "", signature] = match ?? []
  const payload = createHash("sha256").update(body).digest("hex")
  if (id !== accessKeyId || where !== region || request.headers["x-amz-content-sha256"] !== payload) return false
  if (!names.split(";").includes("host") || request.url?.includes("?")) return false
  const headers = names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const canonical = [request.method, request.url, "", headers.join(""), names, payload].join("\n")
  const time = String(request.headers["x-amz-date"])
  if (!time.startsWith(day)) return false
  const text = [
    "AWS4-HMAC-SHA256",
    time,
    `${day}/${region}/s3/aws4_request`,
    createHash("sha256").update(canonical).digest("hex")
  ]
  const key = [day, region, "s3", "aws4_request"].reduce<string | Uint8Array>(hmac, `AWS4${secretAccessKey}`)
  return hmac(key, text.join("\n")).toString("hex") === signature
}

/** Listens as long as the scope lives. */
export const startObjectStorage: Effect.Effect<ObjectStorage, never, Scope.Scope> = Effect.gen(function* () {
  const objects = new Map<string, Uint8Array>()
  let fault: Fault | undefined
  let endlessBytes = 0
  const sendEndlessly = (response: ServerResponse) => {
    const part = "<Error>".repeat(10_000)
    const more = () => {
      do endlessBytes += part.length
      while (!response.destroyed && response.write(part))
    }
    response.writeHead(500).on("drain", more)
    more()
  }
  const endpoint = yield* listenOnLoopback((request, response) => {
    const parts: Uint8Array[] = []
    request.on("data", (part: Uint8Array) => parts.push(part))
    request.on("end", () => {
      const body = new Uint8Array(Buffer.concat(parts))
      if (fault === "hang up") return void response.destroy()
      if (fault === "endless") return sendEndlessly(response)
      if (fault !== undefined) return void response.writeHead(fault).end("<Error/>")
      if (!isSigned(request, body))
        return void response.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>")
      const prefix = `/${objectStorageAccess.bucket}/`
      if (!request.url?.startsWith(prefix))
        return void response.writeHead(404).end("<Error><Code>NoSuchBucket</Code></Error>")
      const name = decodeURIComponent(request.url.slice(prefix.length))
      if (request.method === "PUT") {
        objects.set(name, body)
        return void response.writeHead(200).end()
      }
      if (request.method === "DELETE") {
        objects.delete(name)
        return void response.writeHead(204).end()
      }
      const object = objects.get(name)
      if (object === undefined) return void response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>")
      response.writeHead(200).end(object)
    })
  })
  return {
    endpoint,
    objects,
    answerWith: (given) => {
      fault = given
    },
    endlessBytes: () => endlessBytes
  }
})
