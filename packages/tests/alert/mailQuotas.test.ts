import { assert, it } from "@effect/vitest"
import { quotaMailbox } from "../../core/src/alert/mail.ts"

it("addresses of one mailbox share a quota", () => {
  for (const [address, mailbox] of [
    ["jane@example.com", "jane@example.com"],
    ["Jane@EXAMPLE.com", "jane@example.com"],
    ["jane+1@example.com", "jane@example.com"],
    ["JANE+a+b@Example.com", "jane@example.com"],
    ["jane+@example.com", "jane@example.com"],
    ["jane.doe+x@mail.example.com", "jane.doe@mail.example.com"],
    ["+jane@example.com", "+jane@example.com"]
  ] as const)
    assert.strictEqual(quotaMailbox(address), mailbox, address)
})
