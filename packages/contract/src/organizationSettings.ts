/** Settings of an account as a whole (Rule: access#organization-settings). */
import * as z from "zod"
import { json, operation } from "./operation.ts"
import { dataOf, uuid } from "./primitives.ts"

export const OrganizationSettings = z
  .object({
    /** The account that the settings belong to. */
    id: uuid,
    /** Whether `GET /models` lists for an API key only the models that it may use. */
    is_filtered_model_catalog_enabled: z.boolean()
  })
  .meta({ id: "OrganizationSettings" })
export type OrganizationSettings = z.output<typeof OrganizationSettings>

export const UpdateOrganizationSettings = z
  .object({
    is_filtered_model_catalog_enabled: z
      .boolean()
      .describe(
        "`true`: `GET /models` lists for an API key only the models that it may use, as `GET /models/user` does."
      )
  })
  .meta({ id: "UpdateOrganizationSettings" })
export type UpdateOrganizationSettings = z.output<typeof UpdateOrganizationSettings>

const example: OrganizationSettings = {
  id: "6a0c1d4e-7a2b-4c3d-8e9f-0a1b2c3d4e5f",
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
