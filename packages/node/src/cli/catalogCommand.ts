/** `gatewarden catalog import`. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { print, printJson } from "../control/CommandLine.ts"
import { callStore } from "../control/callStore.ts"
import { guardedFetch } from "../outgoing/guardedFetch.ts"
import { columns } from "./columns.ts"
import { json } from "./flags.ts"
import { readSource } from "./readSource.ts"
import { withConfiguration } from "./withConfiguration.ts"

const catalogImport = Command.make(
  "import",
  {
    source: Argument.String("source").pipe(
      Argument.withDescription(
        "JSON file or URL: the body of PUT /gateway/catalog, or a public model list as GET /models answers it."
      )
    ),
    provider: Flag.String("provider").pipe(
      Flag.withDescription(
        "Slug of the provider that serves every model of a public model list. Default: its author's."
      ),
      Flag.optional
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Print the changes and make none."),
      Flag.withDefault(false)
    ),
    json
  },
  ({ source, provider, dryRun, json }) =>
    withConfiguration((configuration) =>
      Effect.gen(function* () {
        const fetch = guardedFetch({ allowPrivate: configuration.values.GATEWARDEN_ALLOW_PRIVATE_NETWORKS })
        const { sent, isList, skipped } = yield* readSource(fetch, source, Option.getOrUndefined(provider))
        const result = yield* callStore(configuration, "putCatalog", {
          catalog: sent,
          keep_endpoints: isList,
          dry_run: dryRun
        })
        if (json) return yield* printJson({ ...result, skipped, dry_run: dryRun })
        yield* print(
          columns([
            ...result.added.map((id) => ["added", id]),
            ...result.changed.map(({ id, fields }) => ["changed", `${id}: ${fields.join(", ")}`]),
            ...skipped.map((id) => ["skipped", `${id}: its author is no known provider; name one with --provider`]),
            ["unchanged", String(result.unchanged)],
            [dryRun ? "would write" : "written", `${result.models} models, ${result.endpoints} endpoints`]
          ])
        )
      })
    )
).pipe(
  Command.withDescription(
    "Add models to the catalog or update them, all or none. A public model list updates prices and limits at the author's own provider; other endpoints stay, and so do regions and retention."
  ),
  Command.withExamples([
    { command: "gatewarden catalog import models.json", description: "Add or replace models" },
    {
      command: "gatewarden catalog import https://openrouter.ai/api/v1/models --dry-run",
      description: "See what a public model list would change"
    }
  ])
)

export const catalog = Command.make("catalog").pipe(
  Command.withDescription("Models and endpoints."),
  Command.withExamples([{ command: "gatewarden catalog import models.json", description: "Add or replace models" }]),
  Command.withSubcommands([catalogImport])
)
