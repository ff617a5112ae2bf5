/** A bucket that checks signatures, as a destination. */
import { Effect } from "effect"
import { objectStorageAccess, startObjectStorage } from "../../upstream/objectStorage.ts"

export const startS3 = Effect.map(startObjectStorage, ({ endpoint, objects, answerWith }) => {
  const { bucket, region, accessKeyId, secretAccessKey } = objectStorageAccess
  return {
    type: "s3" as const,
    config: {
      bucketName: bucket,
      accessKeyId,
      secretAccessKey,
      region,
      endpoint,
      prefix: "gatewarden-traces",
      pathTemplate: "{prefix}/{date}/{apiKeyName}"
    },
    objects,
    answerWith
  }
})
