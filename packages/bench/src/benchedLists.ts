/** The lists that are measured: how the port and the API read a page of each, and the statements that a person would write for it. */
import type { Services } from "@gatewarden/core/effect"
import {
  ApiKeys,
  Assignments,
  ByokCredentials,
  Destinations,
  Files,
  Guardrails,
  Presets,
  WorkspaceMembers
} from "@gatewarden/core/store"
import { Effect } from "effect"
import { guardrailColumns } from "./bareStatements.ts"
import { account, filePlace, guardrail, workspace } from "./growth/seedRows.ts"

/** Rows of each list. */
export const keptRows = 100_000

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface BenchedList {
  readonly name: string
  readonly rows: (page: Page) => string
  /** Where the envelope has the count. */
  readonly count?: string
  readonly port: (
    page: Page
  ) => Effect.Effect<readonly unknown[] | { readonly data: readonly unknown[] }, never, Services>
  /** Below the base path. */
  readonly path: (page: Page) => string
  /** Where the API answers other pages than the port, or more: their size, and what is read besides. */
  readonly ofFetch?: { readonly limit: number; readonly besides: (page: Page) => string }
}

interface Table {
  readonly columns: string
  /** The table, and what it is joined to. */
  readonly from: string
  readonly where: string
  readonly order?: string
}

const pageOf =
  ({ columns, from, where, order = "created_at, id" }: Table) =>
  ({ limit, offset }: Page): string =>
    `select ${columns} from ${from} where ${where} order by ${order} limit ${limit} offset ${offset}`

const pageAndCount = (table: Table): Pick<BenchedList, "rows" | "count"> => ({
  rows: pageOf(table),
  count: `select count(*) from ${table.from} where ${table.where}`
})

const inWorkspace = `account_id = '${account}' and workspace_id = '${workspace}'`
const ofWorkspace = { workspace_id: workspace }
const search = ({ limit, offset }: Page) => `limit=${limit}&offset=${offset}`
const searchInWorkspace = (page: Page) => `workspace_id=${workspace}&${search(page)}`

const keyRows: Table = {
  columns: `hash, name, label, workspace_id, disabled, limit_nanos, limit_reset, include_byok_in_limit, creator_user_id, external_user,
    expires_at, created_at, updated_at`,
  from: "gatewarden_api_key",
  where: `${inWorkspace} and not disabled`,
  order: "created_at, hash"
}

/** What the keys of a page have spent: in all, this month, this week and today. */
const spentByKeys = ({ limit, offset }: Page): string => {
  const since = (unit: string) =>
    `sum(charged_nanos) filter (where day >= date_trunc('${unit}', now())) as ${unit}, sum(charged_byok_nanos) filter (where day >= date_trunc('${unit}', now())) as byok_${unit}`
  return `select entity, sum(charged_nanos) as total, sum(charged_byok_nanos) as byok_total, ${["day", "week", "month"].map(since).join(", ")}
    from gatewarden_spent where account_id = '${account}' and spender = 'key' and entity in (
      select hash from gatewarden_api_key where ${keyRows.where} order by ${keyRows.order} limit ${limit} offset ${offset}
    ) group by entity`
}

export const benchedLists: readonly BenchedList[] = [
  {
    name: "keys",
    rows: pageOf(keyRows),
    port: (page) =>
      Effect.flatMap(ApiKeys, (keys) => keys.list(account, { kind: "normal", disabled: false, ...ofWorkspace }, page)),
    path: ({ offset }) => `/keys?workspace_id=${workspace}&offset=${offset}`,
    ofFetch: { limit: 100, besides: spentByKeys }
  },
  {
    name: "guardrails",
    ...pageAndCount({ columns: guardrailColumns, from: "gatewarden_guardrail", where: inWorkspace }),
    port: (page) => Effect.flatMap(Guardrails, (guardrails) => guardrails.list(account, ofWorkspace, page)),
    path: (page) => `/guardrails?${searchInWorkspace(page)}`
  },
  {
    name: "members",
    ...pageAndCount({
      columns: "id, workspace_id, user_id, role, created_at",
      from: "gatewarden_workspace_member",
      where: inWorkspace
    }),
    port: (page) => Effect.flatMap(WorkspaceMembers, (members) => members.list(account, workspace, page)),
    path: (page) => `/workspaces/${workspace}/members?${search(page)}`
  },
  {
    name: "assigned keys",
    rows: (page) =>
      `select held.id, held.key_hash, held.guardrail_id, held.assigned_by, held.created_at, key.name as key_name, key.label as key_label
       from gatewarden_guardrail_key held left join gatewarden_api_key key on key.hash = held.key_hash
       where held.account_id = '${account}' order by held.created_at, held.id limit ${page.limit} offset ${page.offset}`,
    count: `select count(*) from gatewarden_guardrail_key where account_id = '${account}'`,
    port: (page) => Effect.flatMap(Assignments, (assignments) => assignments.listKeys(account, {}, page)),
    path: (page) => `/guardrails/assignments/keys?${search(page)}`
  },
  {
    name: "assigned members",
    ...pageAndCount({
      columns: "id, user_id, guardrail_id, assigned_by, account_id as organization_id, created_at",
      from: "gatewarden_guardrail_member",
      where: `account_id = '${account}' and guardrail_id = '${guardrail}'`
    }),
    port: (page) =>
      Effect.flatMap(Assignments, (assignments) => assignments.listMembers(account, { guardrail_id: guardrail }, page)),
    path: (page) => `/guardrails/${guardrail}/assignments/members?${search(page)}`
  },
  {
    name: "BYOK credentials",
    ...pageAndCount({
      columns: `id, workspace_id, provider, name, label, disabled, is_fallback, is_required, is_byok_only, declared_region, declared_zdr,
        sort_order, allowed_api_key_hashes, allowed_models, allowed_user_ids, created_at`,
      from: "gatewarden_byok_credential",
      where: inWorkspace
    }),
    port: (page) =>
      Effect.flatMap(ByokCredentials, (credentials) =>
        credentials.list(account, { ...ofWorkspace, provider: undefined }, page)
      ),
    path: (page) => `/byok?${searchInWorkspace(page)}`
  },
  {
    name: "destinations",
    ...pageAndCount({
      columns: `id, workspace_id, name, type, enabled, privacy_mode, sampling_rate, broadcast_generation_cost,
        broadcast_generation_identity, broadcast_generation_request_context, api_key_hashes, filter_rules, regions, config, created_at,
        updated_at`,
      from: "gatewarden_destination",
      where: inWorkspace
    }),
    port: (page) => Effect.flatMap(Destinations, (destinations) => destinations.list(account, ofWorkspace, page)),
    path: (page) => `/observability/destinations?${searchInWorkspace(page)}`
  },
  {
    name: "presets",
    ...pageAndCount({
      columns: `id, workspace_id, name, slug, description, status, status_updated_at, creator_user_id, designated_version_id, created_at,
        updated_at`,
      from: "gatewarden_preset",
      where: inWorkspace,
      order: "updated_at desc, id desc"
    }),
    port: (page) => Effect.flatMap(Presets, (presets) => presets.list(account, workspace, page)),
    path: (page) => `/presets?${searchInWorkspace(page)}`
  },
  {
    // A page is found by the place where it begins, for a person, too.
    name: "files",
    rows: ({ limit, offset }) =>
      `select id, filename, mime_type, size_bytes, created_at from gatewarden_file
       where ${inWorkspace} and state = 'stored' and (created_at, id) > ('${filePlace(offset).created_at}', '${filePlace(offset).id}')
       order by created_at, id limit ${limit}`,
    port: ({ limit, offset }) =>
      Effect.flatMap(Files, (files) => files.list(account, workspace, { after: filePlace(offset), limit })),
    path: ({ limit, offset }) => {
      const { id, created_at } = filePlace(offset)
      return `/files?workspace_id=${workspace}&limit=${limit}&cursor=${Date.parse(created_at).toString(36)}_${id}`
    }
  }
]
