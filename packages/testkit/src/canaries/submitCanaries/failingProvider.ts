/** A key that is on its way to where it belongs when that breaks. */
import type { CanarySender } from "../CanarySender.ts"

export const failingProvider = async ({ send, take, any }: CanarySender): Promise<void> => {
  await send("POST", "/byok", "accepted", { body: { key: take(), provider: "anthropic" } })
  const form = new FormData()
  form.append("file", new Blob(["content"]), "name.txt")
  await send("POST", "/files?provider=anthropic", 502, { body: form })
  await send("GET", `/files/${any()}?provider=anthropic`, 502)
  await send("DELETE", `/files/${any()}?provider=anthropic`, 502)
}
