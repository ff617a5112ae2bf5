/** The examples of the Signature Version 4 documentation for S3, whose signatures are published, and what AWS's own `@smithy/signature-v4` signs. */
import { assert, describe, it } from "@effect/vitest"
import type * as client from "@smithy/signature-v4"
import { build } from "esbuild"
import { Effect } from "effect"
import * as fc from "fast-check"
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto"
import { fileURLToPath } from "node:url"
import {
  type SigningCredentials,
  emptyBodyHash,
  encodeRfc3986,
  signAwsRequest
} from "../../core/src/platform/signAwsRequest.ts"

/** Its modules name files without extensions, which a bundler finds and Node does not. */
const bundled = async (): Promise<typeof client> => {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { SignatureV4 } from "@smithy/signature-v4"',
      resolveDir: fileURLToPath(new URL(".", import.meta.url))
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    // What is CommonJS asks for modules of Node.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("/")' }
  })
  const source = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64")
  return (await import(`data:text/javascript;base64,${source}`)) as typeof client
}

const { SignatureV4 } = await bundled()

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
}
const now = Date.parse("2013-05-24T00:00:00Z")
const bucket = "https://examplebucket.s3.amazonaws.com"

const cases: readonly (readonly [
  name: string,
  request: Parameters<typeof signAwsRequest>[0],
  signed: string,
  signature: string
])[] = [
  [
    "GET object with a range",
    { method: "GET", url: `${bucket}/test.txt`, headers: { range: "bytes=0-9" }, bodyHash: emptyBodyHash },
    "host;range;x-amz-content-sha256;x-amz-date",
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
  ],
  [
    "PUT object",
    {
      method: "PUT",
      url: `${bucket}/test%24file.text`,
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      bodyHash: createHash("sha256").update("Welcome to Amazon S3.").digest("hex")
    },
    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
  ],
  [
    "GET bucket lifecycle",
    { method: "GET", url: `${bucket}/?lifecycle`, bodyHash: emptyBodyHash },
    "host;x-amz-content-sha256;x-amz-date",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
  ],
  [
    "GET bucket, list objects",
    { method: "GET", url: `${bucket}/?max-keys=2&prefix=J`, bodyHash: emptyBodyHash },
    "host;x-amz-content-sha256;x-amz-date",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
  ]
]

/** What the client hashes with: a hash, or with a secret a HMAC. */
class Sha256 {
  readonly #hash: Hash | Hmac
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash("sha256")
        : createHmac("sha256", typeof secret === "string" ? secret : Buffer.from(secret as Uint8Array))
  }
  update(data: Uint8Array | string): void {
    this.#hash.update(data)
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }
  reset(): void {}
}

/** The headers that the client of AWS sends. */
const signedByClient = async (
  url: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  bodyHash: string,
  access: SigningCredentials & { readonly sessionToken?: string }
) => {
  // As its client of S3 does.
  const kept = { service: "s3", region: "eu-central-1", uriEscapePath: false }
  const signer = new SignatureV4({ ...kept, credentials: access, sha256: Sha256 })
  const { hostname, pathname: path } = new URL(url)
  const sent = { ...headers, host: hostname, "x-amz-content-sha256": bodyHash }
  const asked = { method: "PUT", protocol: "https:", hostname, path, query: { ...query }, headers: sent }
  const { host: _, ...signed } = (await signer.sign(asked, { signingDate: new Date(now) })).headers
  return signed
}

/** Characters that paths, queries and headers encode differently. */
const awkward = fc.string({
  unit: fc.constantFrom("a", "Z", "0", "-", "~", "!", "'", "(", "*", ")", "+", " ", "/", "%", "ü", "𐐷")
})

describe("signAwsRequest", () => {
  for (const [name, request, signed, signature] of cases)
    it.effect(name, () =>
      Effect.gen(function* () {
        const headers = yield* signAwsRequest(request, credentials, "us-east-1", now)
        assert.strictEqual(
          headers["authorization"],
          `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request, SignedHeaders=${signed}, Signature=${signature}`
        )
        assert.strictEqual(headers["x-amz-date"], "20130524T000000Z")
      })
    )

  it.effect("signs an encoded slash as a slash, which it is to S3", () =>
    Effect.gen(function* () {
      const signed = (path: string) =>
        signAwsRequest(
          { method: "GET", url: `${bucket}/${path}`, bodyHash: emptyBodyHash },
          credentials,
          "us-east-1",
          now
        )
      assert.deepStrictEqual(yield* signed("a%2Fb"), yield* signed("a/b"))
    })
  )

  const signatureOf = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      signAwsRequest({ method: "PUT", url, headers, bodyHash: emptyBodyHash }, credentials, "eu-central-1", now),
      ({ authorization }) => authorization
    )

  it.effect("signs the parameters of a query by name and value, in whatever order they are", () =>
    Effect.gen(function* () {
      const signature = yield* signatureOf(`${bucket}/?a=1&a=2&a-b=0&b=0`)
      assert.strictEqual(yield* signatureOf(`${bucket}/?b=0&a-b=0&a=2&a=1`), signature)
      assert.notStrictEqual(yield* signatureOf(`${bucket}/?a=2&a-b=1&b=0`), signature)
      assert.strictEqual(yield* signatureOf(`${bucket}/?a&b=`), yield* signatureOf(`${bucket}/?b&a=`))
      const client = Effect.promise(() =>
        signedByClient(`${bucket}/`, { b: "1", a: "2" }, {}, emptyBodyHash, credentials)
      )
      assert.strictEqual(yield* signatureOf(`${bucket}/?b=1&a=2`), (yield* client)["authorization"])
    })
  )

  it.effect("signs a header without the blanks around it, and with one for several within", () =>
    Effect.gen(function* () {
      const signature = yield* signatureOf(bucket, { "x-amz-meta-a": "one two" })
      assert.strictEqual(yield* signatureOf(bucket, { "x-amz-meta-a": "  one   two " }), signature)
      assert.notStrictEqual(yield* signatureOf(bucket, { "x-amz-meta-a": "onetwo" }), signature)
    })
  )

  it.effect("signs a path that does not decode as it is", () =>
    Effect.gen(function* () {
      const url = `${bucket}/a%E0%A4b`
      const { authorization } = yield* Effect.promise(() => signedByClient(url, {}, {}, emptyBodyHash, credentials))
      assert.strictEqual(yield* signatureOf(url), authorization)
    })
  )

  it("percent-encodes all but the unreserved characters", () => {
    assert.strictEqual(encodeRfc3986("aZ09-_.~"), "aZ09-_.~")
    assert.strictEqual(encodeRfc3986("!'()*/ +ü"), "%21%27%28%29%2A%2F%20%2B%C3%BC")
  })

  it("signs every path, query, header and key as the client of AWS does", () =>
    fc.assert(
      fc.asyncProperty(
        // A key is cut at its slashes, so that no segment has one.
        fc.array(
          awkward.map((text) => encodeRfc3986(text.replaceAll("/", ""))),
          { maxLength: 4 }
        ),
        fc.dictionary(
          awkward.filter((name) => name !== ""),
          awkward,
          { maxKeys: 3 }
        ),
        fc.dictionary(
          fc.stringMatching(/^x-amz-[a-z]{1,5}$/),
          awkward.map((text) => encodeRfc3986(text)),
          { maxKeys: 3 }
        ),
        fc.string({ minLength: 1, maxLength: 90 }),
        fc.option(fc.stringMatching(/^[A-Za-z0-9+/=]{1,40}$/), { nil: undefined }),
        async (segments, query, headers, secretAccessKey, sessionToken) => {
          const url = `https://s3.eu-central-1.amazonaws.com/${segments.join("/")}?${new URLSearchParams(query).toString()}`
          const bodyHash = createHash("sha256").update(secretAccessKey).digest("hex")
          const access = {
            accessKeyId: "AKID",
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken })
          }
          const ours = await Effect.runPromise(
            signAwsRequest({ method: "PUT", url, headers, bodyHash }, access, "eu-central-1", now)
          )
          assert.deepStrictEqual(ours, await signedByClient(url, query, headers, bodyHash, access))
        }
      )
    ))
})
