/** What a thread loads that looks through texts: no Effect, no store, nothing of a platform. */
export { packHits } from "./contentFilter/packedHits.ts"
export { re2EngineOf, type Re2Constructor } from "./contentFilter/re2Engine.ts"
export { type PatternEngineFunctions, re2jsEngine } from "./contentFilter/re2jsEngine.ts"
export { receivingJobs, type ScanJob, type ScanResult, type ScanTexts } from "./contentFilter/ScanJob.ts"
export { scanTexts } from "./contentFilter/scanTexts.ts"
