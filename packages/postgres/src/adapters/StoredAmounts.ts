import { StoredAmounts, type StoredKind } from "@gatewarden/core/store"
import { Effect } from "effect"
import { noWorkspace } from "../statements/keptCount.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { reading } from "../statements/statements.ts"

const text = `select coalesce(sum(rows), 0) as rows, coalesce(sum(bytes), 0) as bytes from gatewarden_stored_amount
  where account_id = $1::uuid and kind = $2 and workspace_id = $3::uuid`

export const storedAmounts = Effect.map(fixedStatements, ({ read }) =>
  StoredAmounts.of({
    kept: (account_id: string, workspace_id: string | null, kind: StoredKind) =>
      reading(
        Effect.map(read(text, [account_id, kind, workspace_id ?? noWorkspace]), ([row]) => ({
          rows: Number(row?.["rows"] ?? 0),
          bytes: Number(row?.["bytes"] ?? 0)
        }))
      )
  })
)
