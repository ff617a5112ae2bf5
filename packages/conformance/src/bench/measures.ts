/** Every measure, in the order in which they run and are printed. A new one is a row here and a file. */
import { authenticateCached } from "./authenticateCached.ts"
import { callLibrary } from "./callLibrary.ts"
import { coldImport } from "./coldImport.ts"
import { coreBundle } from "./coreBundle.ts"
import { createByok } from "./createByok.ts"
import { decideRequest } from "./decideRequest.ts"
import { explainRequest } from "./explainRequest.ts"
import { filterContent } from "./filterContent.ts"
import { gateway } from "./gateway.ts"
import { filterCorpora } from "./filterCorpora.ts"
import { getGuardrail } from "./getGuardrail.ts"
import { holdAndSettle } from "./holdAndSettle.ts"
import type { Measure } from "./Measure.ts"
import { patchGuardrail } from "./patchGuardrail.ts"
import { residentMemory } from "./residentMemory.ts"
import { timeToReady } from "./timeToReady.ts"

export const measures: readonly Measure[] = [
  getGuardrail,
  patchGuardrail,
  createByok,
  residentMemory,
  callLibrary,
  authenticateCached,
  ...holdAndSettle,
  ...gateway,
  ...decideRequest,
  explainRequest,
  ...filterContent,
  ...filterCorpora,
  ...timeToReady,
  coldImport,
  coreBundle
]
