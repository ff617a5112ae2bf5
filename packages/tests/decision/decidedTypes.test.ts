/** After a look at `decision` the compiler knows what a denial has, over HTTP and in process. */
import type { Admission, Explanation } from "@gatewarden/contract"
import { Admission as AdmissionSchema } from "@gatewarden/contract"
import { assert, describe, expectTypeOf, it } from "vitest"
import type { GrantedAdmission } from "../../core/src/index.ts"

const compiled = (admission: Admission, granted: GrantedAdmission, explanation: Explanation): void => {
  if (admission.decision === "deny") {
    expectTypeOf(admission.status).toEqualTypeOf<number>()
    expectTypeOf(admission.error.message).toEqualTypeOf<string>()
  } else {
    expectTypeOf(admission.error).toEqualTypeOf<null>()
    expectTypeOf(admission.fields).not.toBeNullable()
  }
  if (granted.decision === "deny") expectTypeOf(granted.status).toEqualTypeOf<number>()
  if (explanation.decision === "deny") expectTypeOf(explanation.status).toEqualTypeOf<number>()
}

const denial = {
  id: "gwa_1",
  decision: "deny",
  status: 403,
  error: { code: 403, message: "No", metadata: { reason: "content_blocked", doc_url: "../errors/content_blocked" } },
  candidates: [],
  messages: null,
  fields: null,
  findings: [],
  holds: [],
  grant: { max_completion_tokens: null },
  expires_at: null,
  reasons: [],
  issues: []
}

describe("a decision", () => {
  it("is told apart by its type", () => {
    assert.isFunction(compiled)
  })

  it("has what to answer exactly when it is a denial", () => {
    assert.isTrue(AdmissionSchema.safeParse(denial).success)
    assert.isFalse(AdmissionSchema.safeParse({ ...denial, status: null }).success)
    assert.isFalse(AdmissionSchema.safeParse({ ...denial, error: null }).success)
    assert.isFalse(AdmissionSchema.safeParse({ ...denial, error: { ...denial.error, metadata: {} } }).success)
    assert.isFalse(AdmissionSchema.safeParse({ ...denial, decision: "allow" }).success)
  })
})
