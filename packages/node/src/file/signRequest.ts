/** Signs a request to an S3-compatible service, with Signature Version 4 as `aws4fetch` has it. */
import { AwsV4Signer } from "aws4fetch"
import { createHash } from "node:crypto"

export interface SigningCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface UnsignedRequest {
  readonly method: string
  /** Absolute, its path percent-encoded as it is sent. */
  readonly url: string
  /** Headers to sign beside those that are added. */
  readonly headers?: Readonly<Record<string, string>>
  /** Lowercase hex SHA-256 of the body; default: there is none. */
  readonly bodyHash?: string | undefined
}

const emptyHash = createHash("sha256").digest("hex")

/** Every header to send but `host`, which the connection adds. Names are in lower case. */
export const signRequest = async (
  { method, url, headers, bodyHash = emptyHash }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: SigningCredentials,
  region: string,
  now: number
): Promise<Readonly<Record<string, string>>> => {
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "x-amz-content-sha256": bodyHash },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: "s3",
    region,
    datetime: new Date(now).toISOString().replace(/[-:]|\.\d+/g, ""),
    allHeaders: true
  })
  return Object.fromEntries((await signer.sign()).headers)
}
