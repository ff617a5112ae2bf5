/** Words that readers search for, with the sections of the page that have their files, and notes. The page fails if a section is missing. */
export const words: Readonly<Record<string, readonly string[]>> = {
  alert: [
    "alert",
    "alert channel",
    "node/mail",
    "key (`postgres/src/functions/plan_expiry_notice.sql`, for the first alert of a key)"
  ],
  "account, organization": [
    "account",
    "organization settings",
    "organization member",
    "node/control (`accountNamed.ts`)",
    "access (suspended accounts)"
  ],
  "access token": ["token exchange"],
  "admission token": ["admission", "settlement", "access (`AdmissionTokens.ts`, for all who read one)"],
  "API key": ["key", "access"],
  "app name": ["authorization"],
  "actor, author": ["audit log", "access"],
  "admission, decision": ["admission", "decision", "policy", "ledger"],
  audit: ["audit log"],
  "authorization code, PKCE": ["authorization"],
  "BYOK credential": ["byok"],
  "backup, moving an installation": ["node/backup"],
  "budget, hold, window": [
    "ledger (`conformance/src/key/getCurrentKey/budgets.ts`, for what a key reads)",
    "Port BudgetLedger",
    "admission",
    "settlement",
    "request (its size)",
    "budget warning",
    "workspace budget"
  ],
  caller: ["access"],
  "content filter, detector, finding": ["filter", "node/filter", "guardrail (its table has the settings)"],
  "credit grant": ["credits"],
  "change log": [
    "Port ChangeLog (`postgres/src/functions/record/` writes it, `postgres/src/connection/ChangeChannel.ts` wakes its readers; `tests/postgres/changeChannel.test.ts` and `tests/stream/notifications.test.ts` hold it)",
    "cache",
    "audit log"
  ],
  "dead letter": ["delivery", "Port DeadLetters"],
  delivery: ["delivery (`tests/postgres/insertRuns.test.ts`, for what settlements insert)", "Port DeliveryQueue"],
  "effective policy, denial": ["policy", "guardrail", "explanation", "Port PolicySources"],
  "destination type": ["destination", "delivery (its folder `types`)"],
  "encryption, sealed secret": ["vault", "Port SealedSecrets"],
  "endpoint, price": ["model", "ledger (`endpointPrices.ts`)", "private endpoint", "catalog"],
  "endpoint statistics": ["Port EndpointStatisticsReader", "model"],
  "explanation, smallest change": ["explanation (`tests/decision/applyEdits.ts` checks edits)", "policy"],
  "federation, issuer": ["federation policy", "federation", "token exchange"],
  "first key": ["node/store", "management key"],
  "file storage, upload": [
    "file",
    "node/file",
    "node/store",
    "node/backup",
    "node/doctor (`checkBucket.ts`)",
    "Port FileContents"
  ],
  "guardrail assignment": ["assignment"],
  "hash chain, seal, signature": ["audit log"],
  "idempotency record, stored response, repetition": ["Port IdempotencyRecords", "http", "decision (`keptDenial.ts`)"],
  "key rotation": ["key (`rotateKey.ts`)", "access (`secretsOfKey.ts`, for both secrets)"],
  "key rate limit": ["key rate limits", "Port KeyRateCounts", "ledger"],
  keyring: ["vault", "rotation", "Port SealedSecrets", "Port Processes", "node/cli", "node/control"],
  "keyring rotation": ["rotation", "vault"],
  lease: ["background", "Port BackgroundJobs"],
  mail: ["alert", "node/mail"],
  "model, catalog": [
    "model",
    "model list",
    "model kinds",
    "provider",
    "catalog",
    "node/config",
    "node/server",
    "node/cli (`readSource.ts`)",
    "Port ModelCatalog (`tests/postgres/rowLists.test.ts`, for its rows)"
  ],
  "own model": ["private endpoint", "model"],
  "prompt logging, stored bodies": ["generation content", "prompt", "workspace", "settlement"],
  "quota, stored amount": ["limits (the quotas are in `core/src/ports/storageQuotas.ts`)", "Port StoredAmounts"],
  "rate limit": ["limits", "key rate limits", "Port RequestCounts"],
  "region of a request": ["http (`requestSpan.ts`)", "policy", "node/server (`settingsOf.ts`)", "node/instance"],
  replay: ["explanation", "delivery"],
  "restricted key": ["management key", "access"],
  retention: [
    "Port Retention (what becomes of the rows of a table is tested in the suite of its port: `KeyRateCounts.suite.ts` has the minute of grace)",
    "background",
    "node/config"
  ],
  SCIM: [
    "directory (`tests/clients/publicClientScim.test.ts`, for the public client)",
    "discovery",
    "directory user",
    "directory group",
    "group mapping",
    "sync job",
    "http (`scimAnswers.ts`, and `contract/src/scim/scimSchemas.ts` for the attributes)"
  ],
  "spending limit": ["ledger (`judgeHolds.ts` decides)", "guardrail", "Port BudgetLedger"],
  "stream of changes": ["Port ChangeLog", "cache"],
  "usage event": ["usage", "usage export", "node/usage", "Port UsageLog"],
  "user, member": ["organization member", "workspace member"],
  workspace: [
    "workspace (`conformance/src/http/bodyWorkspaceCases.ts`, for all that are made in one)",
    "workspace member",
    "workspace budget"
  ]
}
