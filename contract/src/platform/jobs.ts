import { z } from 'zod'
import { Id, Page, paging, Time } from '../fields.ts'
import { routes, type Scope } from '../route.ts'

const route = routes('Jobs', 'leads')

export const JOB_KINDS = [
  'openers',
  'tag',
  'untag',
  'add_to_list',
  'remove_from_list',
  'suppress',
  'basis',
  'delete',
  'queue',
] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** The scope that an API key needs in addition to `leads:write` to start, cancel or undo each kind of job. */
export const JOB_SCOPES: Record<JobKind, Scope> = {
  openers: 'writer:write',
  tag: 'leads:write',
  untag: 'leads:write',
  add_to_list: 'lists:write',
  remove_from_list: 'lists:write',
  suppress: 'suppressions:write',
  basis: 'leads:write',
  delete: 'leads:write',
  queue: 'campaigns:write',
}

export const JOB_STATUSES = ['queued', 'running', 'completed', 'canceled', 'failed'] as const

/** Number of days for which jobs are kept. */
export const JOB_DAYS = 30
/** Minutes for which a job can be undone after it ends. Messages can only be unqueued until they are due. */
export const UNDO_MINUTES = 60
/** Maximum number of unfinished jobs per workspace. */
export const UNFINISHED_JOBS_MAX = 5

/** Long work on leads that runs on the server, part by part. */
export const Job = z.object({
  id: z.string(),
  kind: z.enum(JOB_KINDS),
  status: z.enum(JOB_STATUSES),
  /** Number of leads that the job has processed. */
  done: z.number().int(),
  /** Number of leads that matched when the job was created. */
  total: z.number().int(),
  /** Number of leads that the job has changed. */
  changed: z.number().int(),
  /** Null if unknown, or once the job has ended. */
  secondsLeft: z.number().int().nullable(),
  /** The job can be undone until this time. Null if it has not ended, or cannot be undone. */
  undoUntil: Time.nullable(),
  /** The id of the job that this job undoes. */
  undoes: z.string().nullable(),
  undoneBy: z.string().nullable(),
  /** Why the job failed, or a problem that did not end it. */
  error: z.string().nullable(),
  /** Null if the creator's account was deleted. */
  createdBy: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: Time,
})
export type Job = z.output<typeof Job>

export const jobs = {
  list: route('GET /jobs', 'viewer', 'none', {
    summary: 'List jobs, newest first',
    description: `Jobs are kept ${JOB_DAYS} days.`,
  })
    .input(z.object({ status: z.enum(JOB_STATUSES).optional(), ...paging(20) }))
    .output(Page.extend({ jobs: z.array(Job) })),

  find: route('GET /jobs/{id}', 'viewer', 'none', {
    summary: 'Get the progress of a job',
    errors: ['JOB_NOT_FOUND'],
  })
    .input(z.object({ id: Id }))
    .output(Job),

  cancel: route('POST /jobs/{id}/cancel', 'member', 'rows', {
    summary: 'Cancel a job; what it has done stays',
    errors: ['JOB_NOT_FOUND', 'JOB_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Job),

  undo: route('POST /jobs/{id}/undo', 'member', 'rows', {
    summary: 'Undo a job with a new one',
    description: `Reverses what the job changed, until its \`undoUntil\`: for ${UNDO_MINUTES} minutes after its end, or until the messages that it queued are due. Leads, lists and tags that were deleted since are left out. Jobs of kind \`openers\` cannot be undone.`,
    errors: ['JOB_NOT_FOUND', 'JOB_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Job),
}
