import { ORPCError } from '@orpc/client'
import type { CampaignDraft } from '@x-automated/contract/outreach/campaign-drafts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createCampaignSaves, type DraftFields, type DraftStatus, type StoredDraft } from './draft-saves'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Creates a fake server that stores drafts like the product's. */
function openServer() {
  const drafts = new Map<string, CampaignDraft>()
  let changes = 0
  let isOnline = true
  const refuse = (code: string) => Promise.reject(new ORPCError(code, { status: 409 }))
  const answer = <T>(value: () => T | Promise<T>) => (isOnline ? Promise.resolve(value()) : Promise.reject(new Error()))
  return {
    drafts,
    setOnline: (online: boolean) => {
      isOnline = online
    },
    calls: {
      list: () => answer(() => ({ drafts: [...drafts.values()].reverse() })),
      find: ({ id }: { id: string }) => answer(() => drafts.get(id) ?? refuse('DRAFT_NOT_FOUND')),
      save: ({ id, version, ...fields }: { id: string; version: number } & DraftFields) =>
        answer(() => {
          const stored = drafts.get(id)
          if (stored && stored.version !== version) return refuse('DRAFT_CHANGED')
          if (!stored && version > 0) return refuse('DRAFT_NOT_FOUND')
          changes += 1
          const saved = { ...fields, id, version: version + 1, updatedAt: `time ${changes}` }
          drafts.set(id, saved)
          return saved
        }),
      remove: ({ id }: { id: string }) => answer(() => drafts.delete(id) || refuse('DRAFT_NOT_FOUND')),
    },
  }
}

/** Opens the form in a browser. Opening it again with the same `storage` simulates a reload. */
function openForm(server: ReturnType<typeof openServer>, storage: { draft: StoredDraft | null } = { draft: null }) {
  const page = { fields: null as DraftFields | null, status: { kind: 'empty' } as DraftStatus, isOwner: true }
  const saves = createCampaignSaves({
    calls: server.calls,
    store: {
      read: () => storage.draft,
      write: (draft) => {
        storage.draft = draft
      },
    },
    isOwner: () => page.isOwner,
    show: (status) => {
      page.status = status
    },
    apply: (fields) => {
      page.fields = fields
    },
  })
  return {
    saves,
    storage,
    page,
    async open() {
      await saves.start()
      await vi.advanceTimersByTimeAsync(0)
    },
    async type(name: string | null) {
      page.fields = name === null ? null : { name }
      saves.change(page.fields)
      await vi.advanceTimersByTimeAsync(1_000)
    },
  }
}

test('stores each change in the browser at once, and on the server after a pause', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  form.saves.change({ name: 'Fou' })
  expect(form.storage.draft).toMatchObject({ fields: { name: 'Fou' }, isSaved: false })
  expect(server.drafts.size).toBe(0)
  await form.type('Founders')
  expect([...server.drafts.values()]).toMatchObject([{ version: 1, name: 'Founders' }])
  expect(form.page.status).toEqual({ kind: 'saved', at: 'time 1' })
  await form.type('Founders!')
  expect([...server.drafts.values()]).toMatchObject([{ version: 2, name: 'Founders!' }])
})

test('fills the form after a reload, also before the last change was sent, and on another device', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  await form.type('Founders')
  form.saves.change({ name: 'Founders, again' })
  const reloaded = openForm(server, { draft: form.storage.draft })
  await reloaded.open()
  expect(reloaded.page.fields).toEqual({ name: 'Founders, again' })
  await vi.advanceTimersByTimeAsync(1_000)
  const elsewhere = openForm(server)
  await elsewhere.open()
  expect(elsewhere.page.fields).toEqual({ name: 'Founders, again' })
})

test('keeps the draft in the browser while offline, and sends it afterwards', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  server.setOnline(false)
  await form.type('Founders')
  expect(form.page.status).toEqual({ kind: 'local' })
  const reloaded = openForm(server, form.storage)
  await reloaded.open()
  expect(reloaded.page.fields).toEqual({ name: 'Founders' })
  server.setOnline(true)
  await reloaded.saves.save()
  expect([...server.drafts.values()]).toMatchObject([{ name: 'Founders' }])
})

test.each(['theirs', 'mine'] as const)('asks which version to keep if both changed: %s', async (choice) => {
  const server = openServer()
  const [here, there] = [openForm(server), openForm(server)]
  await here.open()
  await here.type('One')
  await there.open()
  await there.type('Two')
  await here.type('Three')
  expect(here.page.status).toEqual({ kind: 'conflict', at: 'time 2' })
  expect([...server.drafts.values()]).toMatchObject([{ name: 'Two' }])
  await here.type('Four')
  expect([...server.drafts.values()]).toMatchObject([{ name: 'Two' }])
  here.saves.choose(choice)
  await vi.advanceTimersByTimeAsync(1_000)
  const name = choice === 'theirs' ? 'Two' : 'Four'
  expect(here.page.fields).toEqual(choice === 'theirs' ? expect.objectContaining({ name }) : { name })
  expect([...server.drafts.values()]).toMatchObject([{ name }])
})

test('takes a version changed elsewhere without a question if nothing was changed here', async () => {
  const server = openServer()
  const here = openForm(server)
  await here.open()
  await here.type('One')
  const there = openForm(server)
  await there.open()
  await there.type('Two')
  const reloaded = openForm(server, here.storage)
  await reloaded.open()
  expect(reloaded.page.fields).toMatchObject({ name: 'Two' })
})

test('clears a form whose draft became a campaign elsewhere, but keeps what was changed since', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  await form.type('One')
  const changed = { draft: { ...form.storage.draft!, fields: { name: 'Two' }, isSaved: false } }
  server.drafts.clear()
  const reloaded = openForm(server, form.storage)
  await reloaded.open()
  expect(reloaded.page.fields).toBeNull()
  const other = openForm(server, changed)
  await other.open()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([...server.drafts.values()]).toMatchObject([{ version: 1, name: 'Two' }])
})

test('deletes the draft of a form that was cleared, and forgets that of a campaign', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  await form.type('One')
  await form.type(null)
  expect(server.drafts.size).toBe(0)
  expect(form.storage.draft).toBeNull()
  await form.type('Two')
  expect(await form.saves.settle()).toBe([...server.drafts.keys()][0])
  server.drafts.clear()
  form.saves.forget()
  await form.type(null)
  expect(form.storage.draft).toBeNull()
  expect(form.page.status).toEqual({ kind: 'empty' })
  expect(await form.saves.settle()).toBeUndefined()
})

test('asks nothing if the server has the same already, because a response was lost', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  await form.type('One')
  const before = { ...form.storage.draft!, isSaved: false, version: 0, savedAt: null }
  const reloaded = openForm(server, { draft: before })
  await reloaded.open()
  expect(reloaded.page.status).toEqual({ kind: 'saved', at: 'time 1' })
})

test('stops with its form: nothing is sent for anyone who signs in next', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  server.setOnline(false)
  await form.type('Mine')
  form.page.isOwner = false
  form.saves.close()
  server.setOnline(true)
  await vi.advanceTimersByTimeAsync(60_000)
  await form.saves.save()
  expect(server.drafts.size).toBe(0)
})

test('saves nothing between the launch and its outcome', async () => {
  const server = openServer()
  const form = openForm(server)
  await form.open()
  await form.type('One')
  expect(await form.saves.settle()).toBeDefined()
  await form.type('Two')
  await form.saves.save()
  expect([...server.drafts.values()]).toMatchObject([{ name: 'One' }])
  form.saves.resume()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([...server.drafts.values()]).toMatchObject([{ name: 'Two' }])
})

test('does not delete a version that was changed somewhere else', async () => {
  const server = openServer()
  const [here, there] = [openForm(server), openForm(server)]
  await here.open()
  await here.type('One')
  await there.open()
  await there.type('Two')
  await here.type(null)
  expect(here.page.status).toEqual({ kind: 'conflict', at: 'time 2' })
  expect(await here.saves.settle()).toBeUndefined()
  expect([...server.drafts.values()]).toMatchObject([{ name: 'Two' }])
})

test('says why the server refuses a draft, and does not repeat it', async () => {
  const server = openServer()
  const refusal = new ORPCError('TOO_MANY', { status: 409, message: 'You have 20 campaign drafts.' })
  const save = vi.fn(() => Promise.reject(refusal))
  const form = openForm({ ...server, calls: { ...server.calls, save } })
  await form.open()
  await form.type('One')
  expect(form.page.status).toMatchObject({ kind: 'refused' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(save).toHaveBeenCalledTimes(1)
})

describe('the next form of the tab, while the save of the closed one is still on its way', () => {
  /** Types a campaign and closes the form. Its save arrives at the server, which answers with `answer`. */
  async function closeWhileSaving(server: ReturnType<typeof openServer>) {
    const form = openForm(server)
    await form.open()
    form.saves.change({ name: 'Founders' })
    const { save } = server.calls
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    server.calls.save = async (input) => {
      const saved = await save(input)
      await isAnswered
      return saved
    }
    form.saves.close()
    await vi.advanceTimersByTimeAsync(0)
    server.calls.save = save
    const next = openForm(server, form.storage)
    const opening = next.open()
    expect(next.page.fields).toEqual({ name: 'Founders' })
    return { next, opening, answer }
  }

  test('continues with its version', async () => {
    const server = openServer()
    const { next, opening, answer } = await closeWhileSaving(server)
    await next.type('Founders, again')
    answer()
    await opening
    await vi.advanceTimersByTimeAsync(1_000)
    expect([...server.drafts.values()]).toMatchObject([{ name: 'Founders, again', version: 2 }])
    expect(next.page.status.kind).toBe('saved')
    expect(next.storage.draft).toMatchObject({ fields: { name: 'Founders, again' }, version: 2, isSaved: true })
  })

  test('hands over its draft when it becomes a campaign', async () => {
    const server = openServer()
    const { next, opening, answer } = await closeWhileSaving(server)
    const settling = next.saves.settle()
    answer()
    await opening
    expect(await settling).toBe([...server.drafts.keys()][0])
  })

  test('deletes its draft if it is discarded', async () => {
    const server = openServer()
    const { next, opening, answer } = await closeWhileSaving(server)
    await next.type(null)
    answer()
    await opening
    await vi.advanceTimersByTimeAsync(1_000)
    expect(server.drafts.size).toBe(0)
    expect(next.storage.draft).toBeNull()
  })

  test('waits a few seconds at most, then asks which version to keep', async () => {
    const { next } = await closeWhileSaving(openServer())
    await next.type('Founders, again')
    expect(next.page.status.kind).not.toBe('conflict')
    await vi.advanceTimersByTimeAsync(6_000)
    expect(next.page.status.kind).toBe('conflict')
    expect(next.storage.draft).toMatchObject({ fields: { name: 'Founders, again' } })
  })
})
