/** The examples of the Signature Version 4 documentation for S3, whose signatures are published. */
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { signRequest } from "../../src/file/signRequest.ts"

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
}
const now = Date.parse("2013-05-24T00:00:00Z")
const bucket = "https://examplebucket.s3.amazonaws.com"

const cases: readonly (readonly [
  name: string,
  request: Parameters<typeof signRequest>[0],
  signed: string,
  signature: string
])[] = [
  [
    "GET object with a range",
    { method: "GET", url: `${bucket}/test.txt`, headers: { range: "bytes=0-9" } },
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
    { method: "GET", url: `${bucket}/?lifecycle` },
    "host;x-amz-content-sha256;x-amz-date",
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
  ],
  [
    "GET bucket, list objects",
    { method: "GET", url: `${bucket}/?max-keys=2&prefix=J` },
    "host;x-amz-content-sha256;x-amz-date",
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
  ]
]

describe("signRequest", () => {
  for (const [name, request, signed, signature] of cases)
    it(name, async () => {
      const headers = await signRequest(request, credentials, "us-east-1", now)
      assert.strictEqual(
        headers["authorization"],
        `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request, SignedHeaders=${signed}, Signature=${signature}`
      )
      assert.strictEqual(headers["x-amz-date"], "20130524T000000Z")
    })

  it("a session's token is sent and signed", async () => {
    const session = { ...credentials, sessionToken: "t" }
    const headers = await signRequest({ method: "GET", url: bucket }, session, "eu-west-1", now)
    assert.strictEqual(headers["x-amz-security-token"], "t")
    assert.include(headers["authorization"], "x-amz-date;x-amz-security-token")
    assert.include(headers["authorization"], "/eu-west-1/s3/")
  })
})
