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

/** What an API key needs to start, cancel or undo a job of each kind, besides `leads:write`. */
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

/** Jobs are kept this long. */
export const JOB_DAYS = 30
/** A job can be undone this long after its end; one that queues messages, until they are due. */
export const UNDO_MINUTES = 60
/** Unfinished jobs per workspace. */
export const UNFINISHED_JOBS_MAX = 5

/** Long work on leads that runs on the server, part by part. */
export const Job = z.object({
  id: z.string(),
  kind: z.enum(JOB_KINDS),
  status: z.enum(JOB_STATUSES),
  /** Leads that it has looked at. */
  done: z.number().int(),
  /** Leads that matched when it was created. */
  total: z.number().int(),
  /** Leads that it has changed. */
  changed: z.number().int(),
  /** Null if unknown, or if it has ended. */
  secondsLeft: z.number().int().nullable(),
  /** Until when it can be undone; null: it has not ended, or cannot be undone. */
  undoUntil: Time.nullable(),
  /** The job that it undoes. */
  undoes: z.string().nullable(),
  undoneBy: z.string().nullable(),
  /** Why it failed, or what went wrong without ending it. */
  error: z.string().nullable(),
  /** Null if their account was deleted. */
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
