/** What every measure shares: a database with its rows, and the server in front of it. */
import { hash, randomBytes, randomUUID } from "node:crypto"
import { startServerProcess, managementKey, type ServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { execute, startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"

export interface Bench {
  readonly databaseUrl: string
  /** Of PostgreSQL. */
  readonly version: string
  /** Of the server, base path included. */
  readonly url: URL
  readonly pid: number
  readonly authorization: string
  readonly key: string
  readonly keyHash: string
  readonly account_id: string
  readonly workspace_id: string
  readonly keyring: string
  /** Makes a workspace in the same account: what is numbered within a workspace is numbered apart. */
  readonly createWorkspace: () => Promise<string>
  /** Ids of 1,000 guardrails, which name 20 providers. */
  readonly guardrails: readonly string[]
  readonly providers: readonly string[]
  /** Makes another database on the same PostgreSQL, empty. */
  readonly createDatabase: () => Promise<string>
  /** Ends what several measures share, before the servers. */
  readonly onClose: (end: () => Promise<void>) => void
  readonly close: () => Promise<void>
}

export const connections = 32

const guardrailCount = 1_000

const providers = [
  "alibaba",
  "amazon-bedrock",
  "anthropic",
  "azure",
  "baseten",
  "cerebras",
  "chutes",
  "cloudflare",
  "cohere",
  "deepinfra",
  "deepseek",
  "fireworks",
  "google-vertex",
  "groq",
  "mistral",
  "nebius",
  "novita",
  "openai",
  "perplexity",
  "together"
] as const

/** One row in twenty names each provider; every list has a few entries, as lists have. */
const seedGuardrails = (workspace_id: string, account_id: string): string => `
  insert into gatewarden_guardrail (id, account_id, workspace_id, name, is_default, description, allowed_models,
    allowed_providers, content_filter_builtins, enable_free_model_publication, enable_free_model_training,
    enable_paid_model_training, enforce_zdr_anthropic, enforce_zdr_openai, enforce_zdr_google, enforce_zdr_xai,
    enforce_zdr_other, include_byok_in_budgets, limit_nanos, reset_interval, created_at)
  select gen_random_uuid(), '${account_id}', '${workspace_id}', 'guardrail ' || n, false, 'made for the bench',
    array['acme/large', 'acme/small', 'author' || n % 50 || '/model'],
    array[(array['${providers.join("','")}'])[1 + n % ${providers.length}]],
    '[{"slug":"email","action":"redact","label":"[EMAIL]"}]', true, true, true, false, false, false, false, false, false,
    25000000000, 'monthly', now()
  from generate_series(1, ${guardrailCount}) as n`

const insertWorkspace = (id: string, account_id: string): string => `
  insert into gatewarden_workspace (id, account_id, slug, name, description, created_by, default_text_model,
    default_image_model, default_provider_sort, default_guardrail_id, io_logging_sampling_rate,
    is_data_discount_logging_enabled, is_observability_broadcast_enabled, is_observability_io_logging_enabled,
    created_at, updated_at)
  values ('${id}', '${account_id}', '${id}', 'bench', '', 'system', '', '', '', gen_random_uuid(), 1, false, false, false,
    now(), now())`

/** Starts PostgreSQL, or uses the one of `DATABASE_URL`, and the built server on a database of its own. */
export const openBench = async (): Promise<Bench> => {
  const postgres = await startPostgresServer({ durable: true })
  let server: ServerProcess | undefined
  const shared: (() => Promise<void>)[] = []
  const close = async () => {
    for (const end of shared) await end()
    await server?.stop()
    await postgres.stop()
  }
  try {
    const databaseUrl = await postgres.createDatabase()
    const keyring = `bench:${randomBytes(32).toString("base64")}`
    server = await startServerProcess({
      environment: {
        DATABASE_URL: databaseUrl,
        GATEWARDEN_KEYRING: keyring,
        GATEWARDEN_LOG_LEVEL: "warn",
        // A long run creates more than an account may keep by default.
        GATEWARDEN_MAX_CREDENTIALS_PER_ACCOUNT: "1000000",
        // All connections read the longest list at once, as one account.
        GATEWARDEN_ANSWER_BYTES_IN_FLIGHT: String(2 ** 31),
        GATEWARDEN_ANSWER_BYTES_IN_FLIGHT_PER_KEY: String(2 ** 28)
      }
    })
    const [workspace] = await execute(databaseUrl, "select id, account_id from gatewarden_workspace")
    const owner = { account_id: String(workspace?.["account_id"]), workspace_id: String(workspace?.["id"]) }
    const rows = await execute(
      databaseUrl,
      seedGuardrails(owner.workspace_id, owner.account_id),
      // Only what has rows: a plan that was made for a table known to be empty would be kept while it grows.
      "analyze gatewarden_guardrail",
      "select id from gatewarden_guardrail order by id"
    )
    const [shown] = await execute(databaseUrl, "select split_part(version(), ' on ', 1) as version")
    return {
      ...owner,
      version: String(shown?.["version"]),
      databaseUrl,
      url: new URL(server.url),
      pid: server.child.pid ?? 0,
      authorization: `Bearer ${managementKey}`,
      key: managementKey,
      keyHash: hash("sha256", managementKey, "hex"),
      keyring,
      guardrails: rows.map(({ id }) => String(id)),
      providers,
      createDatabase: postgres.createDatabase,
      onClose: (end) => void shared.push(end),
      createWorkspace: async () => {
        const id = randomUUID()
        await execute(databaseUrl, insertWorkspace(id, owner.account_id))
        return id
      },
      close
    }
  } catch (cause) {
    await close()
    throw cause
  }
}
