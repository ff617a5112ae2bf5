/** What the cases of alert channels and alerts share. */
import type { Answer, World } from "../World.ts"

/** Where the installation under test has a receiver, which takes everything. */
export const receiver = "https://ops.example.com/gatewarden"
/** One that nobody answers at. */
export const silent = "https://silent.example.com/"

export const givenSecret = `whsec_${btoa("\u0001".repeat(24))}`

export const webhookBody = { type: "webhook", name: "On call", config: { url: receiver } }
export const slackBody = {
  type: "slack",
  name: "Chat",
  config: { url: "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnop" }
}

/** The answer of the creation. */
export const newChannel = async (world: World, fields: object = {}): Promise<Answer["json"]> => {
  const made = await world.call("createAlertChannel", { body: { ...webhookBody, ...fields } })
  if (made.status !== 200) throw new Error(made.text)
  return made.json
}
