/** Settings of an account as a whole (Rule: access#organization-settings). */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { dataOf, uuid } from "./primitives.ts"

export const OrganizationSettings = z
  .object({
    id: uuid.describe("Id of the account that the settings belong to."),
    is_filtered_model_catalog_enabled: z
      .boolean()
      .describe("Whether `GET /models` lists for an API key only the models that it may use.")
  })
  .meta({ id: "OrganizationSettings", description: "Settings of an account." })
export type OrganizationSettings = z.output<typeof OrganizationSettings>

export const UpdateOrganizationSettings = z
  .object({
    is_filtered_model_catalog_enabled: z
      .boolean()
      .describe(
        "`true`: `GET /models` lists for an API key only the models that it may use, as `GET /models/user` does."
      )
  })
  .meta({ id: "UpdateOrganizationSettings", description: "Settings to change. Absent fields stay." })
export type UpdateOrganizationSettings = z.output<typeof UpdateOrganizationSettings>

const example: OrganizationSettings = {
  id: "f3b0b7a2-6a5e-4d5e-8a7b-0f5f7a1c2d33",
  is_filtered_model_catalog_enabled: false
}

const path = "/organization/settings"
const tag = "Organization"

export const getOrganizationSettings = operation({
  id: "getOrganizationSettings",
  method: "GET",
  path,
  tag,
  changes: "nothing",
  summary: "Read the settings of the account",
  description: "Every account has them: what was never set has its default.",
  access: "managementKey",
  success: { schema: dataOf(OrganizationSettings) },
  errors: [401, 403, 500],
  example: { response: { data: example } }
})

export const updateOrganizationSettings = operation({
  id: "updateOrganizationSettings",
  method: "PATCH",
  path,
  tag,
  changes: { noun: "organization_settings", action: "update" },
  summary: "Change the settings of the account",
  access: "managementKey",
  body: json(UpdateOrganizationSettings),
  success: { schema: dataOf(OrganizationSettings) },
  errors: [400, 401, 403, 500],
  example: {
    body: { is_filtered_model_catalog_enabled: true },
    response: { data: { ...example, is_filtered_model_catalog_enabled: true } }
  }
})
