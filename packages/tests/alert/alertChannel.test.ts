import { assert, describe, it } from "@effect/vitest"
import { alertChannelConfigs } from "../../contract/src/alertChannel.ts"

describe("a channel of mails", () => {
  it("has each mailbox once, as it is written first", () => {
    const to = ["ops@example.com", "b@example.com", "Ops@Example.com", "b@example.com"]
    assert.deepEqual(alertChannelConfigs.email.parse({ to }), { to: ["ops@example.com", "b@example.com"] })
  })
})
