import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertLeads, makeLeads, NOBODY } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { dmsOf, launch, makeList } from '../../../../test/outreach.ts'
import { findFirstNames } from '../../../core/people/first-names.ts'
import { upsertLeads } from '../../../core/people/stage.ts'
import { leads } from '../../../core/tables/leads.ts'
import { transact } from '../../../db/transact.ts'

let app: TestApp
let person: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
})

const importCsv = async (...lines: string[]) => {
  const { status } = await person.call('POST', '/leads/import', lines.join('\n'), { 'content-type': 'text/csv' })
  expect(status).toBe(200)
}
/** Stores a person's whole profile, as X shows it. */
const refresh = (twitterHandle: string, name: string, xUserId: string | null = null) =>
  transact(app.db, (tx) =>
    upsertLeads(
      tx,
      { workspaceId: person.workspaceId, userId: person.id },
      [{ ...NOBODY, twitterHandle, name, xUserId }],
      'whole',
    ),
  )
/** The first name of every lead, by handle. */
const firstNames = async () => {
  const { leads: all } = await person.client.leads.list({ pageSize: 100 })
  return Object.fromEntries(all.map(({ twitterHandle, firstName }) => [twitterHandle, firstName]))
}

describe('the first name of a lead', () => {
  it('follows its name, wherever that comes from', async () => {
    await importCsv('twitter_handle,name', 'ana_a,ana lima', 'bo_b,Bo Labs', 'cem_c,')
    await refresh('dea_d', 'Dea Kim 🎯')
    expect(await firstNames()).toEqual({ ana_a: 'Ana', bo_b: null, cem_c: null, dea_d: 'Dea' })
    await refresh('ana_a', 'Anna Lima')
    await refresh('cem_c', 'Cem Demir')
    await refresh('dea_d', 'Dea Labs')
    expect(await firstNames()).toEqual({ ana_a: 'Anna', bo_b: null, cem_c: 'Cem', dea_d: null })
    const lists = await makeList(app, person, ['eli_e'], { names: ['Eli Roth'] })
    const [member] = (await person.client.lists.leads({ id: lists.id })).leads
    expect(member?.firstName).toBe('Eli')
    const [detail] = await makeLeads(app, person, [{ name: 'Fay Ode' }])
    expect((await person.client.leads.find({ id: detail!.id })).firstName).toBe('Fay')
  })

  it('comes from a column of the file, and survives refreshes of the profile', async () => {
    await importCsv('twitter_handle,name,First Name', 'ana_a,Ana Lima,Anita', 'bo_b,Bo Ek,-')
    await refresh('ana_a', 'Building things')
    await refresh('bo_b', 'Bob Ek')
    expect(await firstNames()).toEqual({ ana_a: 'Anita', bo_b: 'Bob' })
    await importCsv('twitter_handle,first_name', 'bo_b,Bobby')
    await importCsv('twitter_handle,name', 'bo_b,Robert Ek')
    expect(await firstNames()).toEqual({ ana_a: 'Anita', bo_b: 'Bobby' })
  })

  it('is joined with the last name where the file has no name, and both columns stay', async () => {
    await importCsv(
      'twitter_handle,First Name,lastName',
      'ana_a,Ana,de la Cruz',
      'bo_b,Bo,',
      'cem_c,,Demir',
      `dea_d,${'D'.repeat(150)},${'K'.repeat(150)}`,
    )
    const { leads: all } = await person.client.leads.list({ sort: 'twitterHandle' })
    expect(all.map(({ name, metadata }) => [name, metadata])).toEqual([
      ['Ana de la Cruz', { 'First Name': 'Ana', lastName: 'de la Cruz' }],
      ['Bo', { 'First Name': 'Bo' }],
      ['', { lastName: 'Demir' }],
      ['', { 'First Name': 'D'.repeat(150), lastName: 'K'.repeat(150) }],
    ])
    expect(await firstNames()).toMatchObject({ ana_a: 'Ana', bo_b: 'Bo', cem_c: null })
    await importCsv('twitter_handle,name,first_name,last_name', 'ana_a,,Anita,Cruz')
    expect((await person.client.leads.list({ keyword: 'ana_a' })).leads[0]).toMatchObject({ name: 'Ana de la Cruz' })
  })

  it('survives a deletion that is undone, and a merge of the same person', async () => {
    await importCsv('twitter_handle,name,first_name', 'ana_a,Ana Lima,Anita', 'bo_b,Bo Ek,')
    const { removalId } = await person.client.leads.removeMany({ filter: {} })
    await person.client.leads.restore({ removalId: removalId! })
    expect(await firstNames()).toEqual({ ana_a: 'Anita', bo_b: 'Bo' })
    // X first shows the person under another handle.
    await refresh('old_ana', 'Ana M. Lima', '7001')
    await refresh('ana_a', 'Ana M. Lima', '7001')
    await refresh('ana_a', 'A. Lima', '7001')
    expect(await firstNames()).toEqual({ ana_a: 'Anita', bo_b: 'Bo' })
  })

  it('fills messages, and the template says what replaces it', async () => {
    const list = await makeList(app, person, ['kim_a', 'kim_b'], { names: ['kim berg', 'Berg Labs'] })
    const template = '{first_name}, {{first_name}}, {First Name|friend}'
    const { id } = await launch(person, list, { messageTemplate: template, channel: 'extension' })
    expect((await dmsOf(person, id)).map(({ message }) => message).sort()).toEqual([
      'Kim, Kim, Kim',
      'there, there, friend',
    ])
  })
})

describe('findFirstNames', () => {
  it('finds those of older leads once, in several processes', async () => {
    const { workspaceId } = person
    const people = Array.from({ length: 25 }, (_, i) => ({
      twitterHandle: `old_${i}`,
      name: `Ana${'b'.repeat(i % 9)} Lima`,
    }))
    await insertLeads(
      app,
      people.map((lead, i) => ({
        ...lead,
        workspaceId,
        firstNameFrom: null,
        metadata: i === 3 ? { 'first name': 'Anita' } : {},
      })),
    )
    const before = await app.db.select().from(leads).where(eq(leads.workspaceId, workspaceId))
    await Promise.all([1, 2, 3].map(() => findFirstNames(app.db, 4)))
    // A process skips leads that others have locked, and handles them in its next run.
    await findFirstNames(app.db, 4)
    const after = await app.db.select().from(leads).where(eq(leads.workspaceId, workspaceId))
    expect(await firstNames()).toMatchObject({ old_0: 'Ana', old_1: 'Anab', old_3: 'Anita' })
    expect(after.filter(({ firstName }) => firstName === null)).toEqual([])
    expect(after.map(({ updatedAt }) => +updatedAt).sort()).toEqual(before.map(({ updatedAt }) => +updatedAt).sort())
    await refresh('old_3', 'Someone Else')
    expect(await firstNames()).toMatchObject({ old_3: 'Anita' })
  })

  it('looks at an older lead after a refresh that came first', async () => {
    const { workspaceId } = person
    const lead = { workspaceId, twitterHandle: 'old_x', name: 'Old', metadata: { first_name: 'Anita' } }
    await insertLeads(app, [{ ...lead, firstNameFrom: null }])
    await refresh('old_x', 'Ana Lima')
    await findFirstNames(app.db)
    expect(await firstNames()).toEqual({ old_x: 'Anita' })
    const [row] = await app.db.select().from(leads).where(eq(leads.workspaceId, workspaceId))
    expect(row).toMatchObject({ name: 'Ana Lima', firstNameFrom: 'file' })
  })

  it('looks at the merged values, if an older lead was merged with a newer one', async () => {
    const { workspaceId } = person
    await refresh('new_handle', 'Ana Lima', '7002')
    const older = { workspaceId, twitterHandle: 'older', name: 'Old', metadata: { first_name: 'Anita' } }
    await insertLeads(app, [{ ...older, firstNameFrom: null }])
    await refresh('older', 'Ana Lima', '7002')
    await findFirstNames(app.db)
    expect(await firstNames()).toEqual({ older: 'Anita' })
    expect(await app.db.$count(leads, sql`workspace_id = ${workspaceId} and first_name_from is null`)).toBe(0)
  })
})
