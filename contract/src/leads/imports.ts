import { z } from 'zod'
import { Id, Page, paging, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { IMPORTS_KEPT } from './import-limits.ts'
import { ImportResult } from './leads.ts'

const route = routes('Leads', 'leads')

export const IMPORT_STATUSES = ['running', 'completed', 'failed', 'canceled'] as const
export type ImportStatus = (typeof IMPORT_STATUSES)[number]

/** First the file is read, then its lines are saved as leads. */
export const IMPORT_STAGES = ['reading', 'saving'] as const
export type ImportStage = (typeof IMPORT_STAGES)[number]

/** A running or finished import of leads (started by POST /leads/import). */
export const Import = z.object({
  id: z.string(),
  /** The original file name; null if unknown. */
  fileName: z.string().nullable(),
  status: z.enum(IMPORT_STATUSES),
  stage: z.enum(IMPORT_STAGES),
  /** Bytes read or lines saved so far, depending on the stage. `of` is their total. */
  done: z.number().int(),
  of: z.number().int(),
  /** Estimated time left; null if unknown or finished. */
  secondsLeft: z.number().int().nullable(),
  imported: z.number().int(),
  updated: z.number().int(),
  rejectedCount: z.number().int(),
  /** Rows that were imported without their X user id. */
  warningCount: z.number().int(),
  /** Why the import failed. */
  error: z.string().nullable(),
  createdAt: Time,
})
export type Import = z.output<typeof Import>

/** An import with its rejected rows and its warnings, as POST /leads/import returns them. */
export const ImportDetail = Import.extend({
  rejected: ImportResult.shape.rejected,
  warnings: ImportResult.shape.warnings,
  /** The list that the import has put its leads on; null if there is none, or it was deleted. */
  list: z.object({ id: z.string(), name: z.string() }).nullable(),
})
export type ImportDetail = z.output<typeof ImportDetail>

export const imports = {
  list: route('GET /imports', 'viewer', 'none', { summary: `List the newest ${IMPORTS_KEPT} imports, newest first` })
    .input(z.object(paging(IMPORTS_KEPT)))
    .output(Page.extend({ imports: z.array(Import) })),

  find: route('GET /imports/{id}', 'viewer', 'none', {
    summary: 'Get the progress and the rejected rows of an import',
    errors: ['IMPORT_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(ImportDetail),

  cancel: route('POST /imports/{id}/cancel', 'member', 'rows', {
    summary: 'Cancel an import; none of its leads are kept',
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Import),
}
