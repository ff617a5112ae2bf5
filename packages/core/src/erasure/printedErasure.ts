import type { Erasure as PrintedErasure } from "@gatewarden/contract"
import type { Erasure } from "../ports/erasures.ts"

export const printedErasure = ({
  id,
  kind,
  status,
  pseudonym,
  in_the_way,
  erased,
  created_at,
  started_at,
  finished_at
}: Erasure): PrintedErasure => ({
  id,
  kind,
  status,
  pseudonym,
  in_the_way: [...in_the_way],
  erased: { ...erased },
  created_at,
  started_at,
  finished_at
})
