import { NO_ID } from '@x-automated/contract/fields'
import { DEFAULT_MESSAGE } from '@x-automated/contract/leads/lead-limits'
import { sql } from 'drizzle-orm'
import type { Author } from '../../../actor.ts'
import { queueChosen } from '../../../core/messages/direct.ts'
import { lockQueueing } from '../../../core/messages/locks.ts'
import { deleteUnclaimed, setDue } from '../../../core/messages/release.ts'
import { readTemplate } from '../../../core/messages/render.ts'
import { type ChangedBasis, changeBasis, restoreBasis } from '../../../core/people/lead.ts'
import {
  addListEntries,
  type ListEntry,
  removeListEntries,
  undoAddListEntries,
  undoRemoveListEntries,
} from '../../../core/people/list-entries.ts'
import { removeForJob, restoreForJob } from '../../../core/people/removal.ts'
import { chooseMatching, selectLeads } from '../../../core/people/selection.ts'
import { removeEntries, suppressChosen } from '../../../core/people/suppression.ts'
import {
  addTags,
  countLeads,
  removeTags,
  type Tagging,
  undoAddTags,
  undoRemoveTags,
} from '../../../core/people/tagging.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { Services } from '../../../services.ts'
import { publishEvents } from '../../platform/events/events.ts'
import {
  deleteChanges,
  isBeingUndone,
  type JobKinds,
  type JobPart,
  type JobRow,
  type Kind,
  readChanges,
  type Saved,
  scheduleJob,
} from '../../platform/jobs/engine.ts'
import type { BulkInput } from './orders.ts'

/** Number of leads in the first part. */
export const FIRST_PART = 100
const PART_MIN = 20
const PART_MAX = 1_000
/** The target duration of a part: other calls wait this long for its locks. */
const PART_MS = 100

/** The size of the next part, which should take a tenth of a second. @param ms how long the last part took */
export function nextPartSize(size: number, ms: number): number {
  const wanted = Math.min(size * 2, Math.round((size * PART_MS) / Math.max(1, ms)))
  return Math.max(PART_MIN, Math.min(PART_MAX, wanted))
}

// Jobs that change a selection of leads: how each kind works

/** Leads read per query, without locks. */
const LEADS_AHEAD = 20_000
/** The due time of a job's messages. releaseMessages brings it forward once the job can no longer be undone. */
const LATEST_DUE = sql`now() + interval '1 day'`

interface Part {
  tx: Db
  services: Services
  job: JobRow
  /** Who started the job. The user is null once their account is deleted. */
  by: Author
  /** Subquery of the part's lead ids. */
  chosen: ReturnType<typeof sql>
}

type BulkKind = BulkInput['kind']

/** How a kind of job changes the leads of a part, and how that is undone. */
interface Changes<K extends BulkKind, C> {
  change(part: Part, input: BulkInput<K>): Promise<{ changed: number; changes: C }>
  undo(tx: Db, job: JobRow, changes: C, input: BulkInput<K>, services: Services): Promise<number>
  ended?: Kind<Services>['ended']
}

function kindOf<K extends BulkKind, C>({ change, undo, ended }: Changes<K, C>): Kind<Services> {
  return {
    run: (services, job) => walk(services, job, async (part) => change(part, job.input as BulkInput<K>)),
    undo: (tx, job, changes, services) => undo(tx, job, changes as C, job.input as BulkInput<K>, services),
    ...(ended && { ended }),
  }
}

/** Walks the leads of a job in the order of ids, and changes those of each part that still match. */
async function* walk(services: Services, job: JobRow, change: (part: Part) => Promise<Saved>): AsyncGenerator<JobPart> {
  const { db } = services.database
  const { leadIds, filter } = job.input as BulkInput
  const { rows: users } = await db.execute<{ id: string }>(sql`select id from auth_users where id = ${job.createdBy}`)
  const by = { workspaceId: job.workspaceId, userId: users[0]?.id ?? null }
  let size = FIRST_PART
  for (let position = job.place; ; ) {
    const { rows } = await db.execute<{ id: string }>(sql`
      ${selectLeads(by, { leadIds, filter })} and leads.id > ${position ?? NO_ID}::uuid
      and leads.created_at <= (select created_at from jobs where workspace_id = ${job.workspaceId} and id = ${job.id})
      order by leads.id limit ${LEADS_AHEAD}`)
    for (let from = 0; from < rows.length; ) {
      const ids = rows.slice(from, from + size).map(({ id }) => id)
      from += ids.length
      position = ids.at(-1) ?? position
      const began = performance.now()
      yield {
        place: position as string,
        done: ids.length,
        save: async (tx) => change({ tx, services, job, by, chosen: await chooseMatching(tx, by, ids, filter) }),
      }
      size = nextPartSize(size, performance.now() - began)
    }
    if (rows.length < LEADS_AHEAD) return
  }
}

/** Makes an ended job's messages due once the job can no longer be undone, unless its undo is running. */
async function releaseMessages({ database: { db }, jobs }: Services, job: JobRow): Promise<void> {
  const { workspaceId, undoUntil } = job
  // A job without `undoUntil` has queued nothing.
  if (!undoUntil) return
  if (undoUntil > new Date()) return scheduleJob(db, jobs, job, undoUntil)
  for await (const { place: position, changes } of readChanges(db, job))
    await transact(db, async (tx) => {
      if (await isBeingUndone(tx, job)) return
      await setDue(tx, workspaceId, changes as string[], undoUntil)
      await deleteChanges(tx, job, position)
    })
}

const publishCampaigns = (tx: Db, { workspaceId }: { workspaceId: string }) =>
  publishEvents(tx, workspaceId, 'campaign', [])

export const bulkKinds: JobKinds<Services> = {
  tag: kindOf<'tag', Tagging[]>({
    async change({ tx, by, chosen }, { tagIds }) {
      const changes = await addTags(tx, by, chosen, tagIds)
      return { changed: countLeads(changes), changes }
    },
    undo: (tx, job, changes) => undoAddTags(tx, job, changes),
  }),
  untag: kindOf<'untag', Tagging[]>({
    async change({ tx, by, chosen }, { tagIds }) {
      const changes = await removeTags(tx, by, chosen, tagIds)
      return { changed: countLeads(changes), changes }
    },
    undo: (tx, job, changes) => undoRemoveTags(tx, job, changes),
  }),
  add_to_list: kindOf<'add_to_list', ListEntry[]>({
    async change({ tx, by, chosen }, { listId }) {
      const changes = await addListEntries(tx, by, listId, chosen)
      return { changed: changes.length, changes }
    },
    undo: (tx, job, changes, { listId }) => undoAddListEntries(tx, job, listId, changes),
  }),
  remove_from_list: kindOf<'remove_from_list', ListEntry[]>({
    async change({ tx, by, chosen }, { listId }) {
      const changes = await removeListEntries(tx, by, listId, chosen)
      return { changed: changes.length, changes }
    },
    undo: (tx, job, changes, { listId }) => undoRemoveListEntries(tx, job, listId, changes),
  }),
  suppress: kindOf<'suppress', string[]>({
    async change({ tx, services: { sending }, by, chosen }, order) {
      const changes = await suppressChosen({ db: tx, sending }, by, chosen, order)
      await publishCampaigns(tx, by)
      return { changed: changes.length, changes }
    },
    undo: (tx, { workspaceId }, changes) => removeEntries(tx, workspaceId, changes),
  }),
  basis: kindOf<'basis', ChangedBasis[]>({
    async change({ tx, chosen }, order) {
      const changes = await changeBasis(tx, chosen, order)
      return { changed: changes.length, changes }
    },
    undo: (tx, job, changes, { basis }) => restoreBasis(tx, job, basis, changes),
  }),
  delete: kindOf<'delete', string>({
    async change({ tx, by, job, chosen }) {
      const { id, leadCount } = await removeForJob(tx, by, chosen, job.id)
      await publishCampaigns(tx, by)
      return { changed: leadCount, changes: id }
    },
    async undo(tx, job, id, _, { jobs, sending }) {
      await publishCampaigns(tx, job)
      return restoreForJob({ db: tx, jobs, sending }, job, id)
    },
  }),
  queue: kindOf<'queue', string[]>({
    async change({ tx, by, chosen }, { message }) {
      await lockQueueing(tx, by.workspaceId)
      const template = readTemplate('message', message || DEFAULT_MESSAGE)
      const { queued } = await queueChosen(tx, by, chosen, { template, dueAt: LATEST_DUE })
      await publishCampaigns(tx, by)
      return { changed: queued.length, changes: queued }
    },
    async undo(tx, job, ids) {
      await publishCampaigns(tx, job)
      return deleteUnclaimed(tx, job.workspaceId, sql`id = any(${sql.param(ids)}::uuid[])`)
    },
    ended: releaseMessages,
  }),
}
