import { re2jsEngine } from "../../core/src/filter/patterns/re2jsEngine.ts"
import type { ScanResult, Sought } from "../../core/src/filter/ScanJob.ts"
import { scanTexts } from "../../core/src/filter/scanTexts.ts"

/** What a scan finds in a text, and in what else it can be read as. */
export const scannedFor = (sought: readonly Sought[], text: string, engine = re2jsEngine): ScanResult => {
  const steps = scanTexts({ sought, texts: [text], budgetMillis: 60_000 }, engine, () => 0)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
