/** The examples of the Signature Version 4 documentation for S3, whose signatures are published, and what `aws4fetch` signs. */
import { assert, describe, it } from "@effect/vitest"
import { AwsV4Signer } from "aws4fetch"
import { Effect } from "effect"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { emptyBodyHash, encodeRfc3986, signAwsRequest } from "../../src/platform/signAwsRequest.ts"

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

  it("signs every path, query, header and key as aws4fetch does", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(awkward.map(encodeRfc3986), { maxLength: 4 }),
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
          const access = { accessKeyId: "AKID", secretAccessKey, sessionToken }
          const ours = await Effect.runPromise(
            signAwsRequest({ method: "PUT", url, headers, bodyHash }, access, "eu-central-1", now)
          )
          const signer = new AwsV4Signer({
            method: "PUT",
            url,
            headers: { ...headers, "x-amz-content-sha256": bodyHash },
            accessKeyId: access.accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
            service: "s3",
            region: "eu-central-1",
            datetime: "20130524T000000Z",
            allHeaders: true
          })
          assert.deepStrictEqual(ours, Object.fromEntries((await signer.sign()).headers))
        }
      )
    ))
})
