/** Every measure, in the order in which they run and are printed. A new one is a row here and a file in `measures`. */
import { authenticateCached } from "./measures/authenticateCached.ts"
import { callLibrary } from "./measures/callLibrary.ts"
import { coldImport } from "./measures/coldImport.ts"
import { coreBundle } from "./measures/coreBundle.ts"
import { createByok } from "./measures/createByok.ts"
import { decideRequest } from "./measures/decideRequest.ts"
import { deliver } from "./measures/deliver.ts"
import { explainRequest } from "./measures/explainRequest.ts"
import { filterContent } from "./measures/filterContent.ts"
import { gateway } from "./measures/gateway.ts"
import { filterCorpora } from "./measures/filterCorpora.ts"
import { getGuardrail } from "./measures/getGuardrail.ts"
import { heldWithRowLevelSecurity, holdAndSettle } from "./measures/holdAndSettle.ts"
import { listModels } from "./measures/listModels.ts"
import { lists } from "./measures/lists.ts"
import type { Measure } from "./Measure.ts"
import { patchGuardrail } from "./measures/patchGuardrail.ts"
import { recordForWebhook } from "./measures/recordForWebhook.ts"
import { residentMemory } from "./measures/residentMemory.ts"
import { rowLevelSecurity } from "./measures/rowLevelSecurity.ts"
import { timeToReady } from "./measures/timeToReady.ts"

export const measures: readonly Measure[] = [
  getGuardrail,
  patchGuardrail,
  createByok,
  residentMemory,
  listModels,
  ...lists,
  callLibrary,
  ...rowLevelSecurity,
  heldWithRowLevelSecurity,
  authenticateCached,
  ...holdAndSettle,
  ...recordForWebhook,
  ...deliver,
  ...gateway,
  ...decideRequest,
  explainRequest,
  ...filterContent,
  ...filterCorpora,
  ...timeToReady,
  coldImport,
  coreBundle
]
