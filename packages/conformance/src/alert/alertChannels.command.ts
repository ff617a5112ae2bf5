import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { receiver, silent, slackBody } from "./alertCases.ts"

const configs = fc.constantFrom<object>(
  { type: "webhook", config: { url: receiver } },
  { type: "webhook", config: { url: silent, signing_secret: null } },
  slackBody
)

export const createAlertChannel = command("createAlertChannel", {
  weight: 3,
  together: fc
    .tuple(configs, members({ workspace_id: fc.option(some("workspace")) }, ["workspace_id"]))
    .map(([config, place]) => ({ ...config, ...place })),
  keeps: { alert_channel: dataOf }
})

export const updateAlertChannel = command("updateAlertChannel", {
  weight: 2,
  params: { id: some("alert_channel") },
  body: {
    config: fc.constantFrom<object>(
      { url: receiver },
      { url: silent },
      { url: silent, signing_secret: null },
      { signing_secret: null },
      { url: "https://hooks.slack.com/se...mnop" }
    )
  }
})

export const getAlertChannel = command("getAlertChannel", {
  params: { id: some("alert_channel") },
  reads: { kind: "alert_channel", params: { id: "id" } }
})

export const listAlertChannels = command("listAlertChannels", { query: { workspace_id: some("workspace") } })

export const deleteAlertChannel = command("deleteAlertChannel", { params: { id: some("alert_channel") } })

export const testAlertChannel = command("testAlertChannel", { params: { id: some("alert_channel") } })

export const listAlerts = command("listAlerts", { weight: 2, query: { workspace_id: some("workspace") } })
