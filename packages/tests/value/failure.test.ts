/** What a failure says, to the word: a caller acts on nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { invalid, notFound, notFoundAt, restrictedKey, unknownAdmission } from "../../core/src/value/failure.ts"

describe("a failure", () => {
  it("names its status, its reason, and the place", () => {
    for (const [failure, tag, status, told] of [
      [notFound(), "NotFound", 404, { reason: "not_found" }],
      [
        notFoundAt("query.user_id", "user"),
        "NotFound",
        404,
        {
          reason: "not_found",
          issues: [
            {
              path: "query.user_id",
              code: "not_found",
              message: "This key sees no user with this id: it does not exist, was deleted, or is another account's"
            }
          ]
        }
      ],
      [
        unknownAdmission(),
        "NotFound",
        404,
        {
          reason: "unknown_admission",
          issues: [
            {
              path: "path.id",
              code: "unknown_admission",
              message:
                "No admission of this account has this id. It was made with a key of another account, or by an installation with another keyring, or it was changed on the way: send the whole id of POST /gateway/admissions with the same account's key"
            }
          ]
        }
      ],
      [
        invalid("invalid_request", "limit", "Expected a number"),
        "BadRequest",
        400,
        {
          reason: "invalid_request",
          issues: [{ path: "limit", code: "invalid_request", message: "Expected a number" }]
        }
      ],
      [
        restrictedKey("path.id", "other_workspace", "This key is of another workspace"),
        "Forbidden",
        403,
        {
          reason: "restricted_key",
          issues: [{ path: "path.id", code: "other_workspace", message: "This key is of another workspace" }]
        }
      ]
    ] as const) {
      assert.strictEqual(failure._tag, tag)
      assert.strictEqual(failure.status, status)
      const { reason, issues } = failure
      assert.deepStrictEqual(issues === undefined ? { reason } : { reason, issues }, told)
    }
  })
})
