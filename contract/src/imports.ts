import { z } from 'zod'
import { Id, Page, paging, Time } from './fields.ts'
import { IMPORTS_KEPT } from './import-limits.ts'
import { ImportResult } from './leads.ts'
import { route } from './route.ts'

export const IMPORT_STATUSES = ['running', 'completed', 'failed', 'canceled'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** A file's bytes are read, then its lines are saved as leads. */
export const IMPORT_STAGES = ['reading', 'saving'] as const
export type ImportStage = (typeof IMPORT_STAGES)[number]

/** A file of leads that is being taken in, or was (POST /leads/import begins one). */
export const Import = z.object({
  id: z.string(),
  /** As it was called where it came from; null: nobody said. */
  fileName: z.string().nullable(),
  status: z.enum(IMPORT_STATUSES),
  stage: z.enum(IMPORT_STAGES),
  /** Bytes that are read, or lines that are saved. */
  done: z.number().int(),
  of: z.number().int(),
  /** How long the rest will take; null while nobody can tell, and once it has ended. */
  secondsLeft: z.number().int().nullable(),
  imported: z.number().int(),
  updated: z.number().int(),
  rejectedCount: z.number().int(),
  /** Why it failed. */
  error: z.string().nullable(),
  createdAt: Time,
})
export type Import = z.output<typeof Import>

/** An import with its refused lines, as the answer of POST /leads/import names them. */
export const ImportDetail = Import.extend({ rejected: ImportResult.shape.rejected })
export type ImportDetail = z.output<typeof ImportDetail>

export const imports = {
  list: route({
    method: 'GET',
    path: '/imports',
    tag: 'Leads',
    summary: `Files that were taken in or are, newest first; the newest ${IMPORTS_KEPT} are remembered`,
    access: 'viewer',
    effect: 'none',
  })
    .input(z.object(paging(IMPORTS_KEPT)))
    .output(Page.extend({ imports: z.array(Import) })),

  find: route({
    method: 'GET',
    path: '/imports/{id}',
    tag: 'Leads',
    summary: 'How far an import is, and which lines it refused',
    access: 'viewer',
    effect: 'none',
    errors: ['IMPORT_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(ImportDetail),

  cancel: route({
    method: 'POST',
    path: '/imports/{id}/cancel',
    tag: 'Leads',
    summary: 'Stop an import; nothing of its file is kept',
    access: 'member',
    effect: 'rows',
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Import),
}
