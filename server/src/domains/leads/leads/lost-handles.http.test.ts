import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { insertLeads } from '../../../../test/leads.ts'
import { connectX, makePerson } from '../../../../test/makers.ts'
import { openApp } from '../../../../test/open-app.ts'
import { findLostHandles } from '../../../core/people/lost-handles.ts'
import { leads } from '../../../core/tables/leads.ts'

it('asks X once about a suspended person whose handle is lost', async () => {
  const app = await openApp({ x: true })
  const person = await makePerson(app)
  await connectX(app, person)
  const { workspaceId } = person
  const xUserId = idOfHandle('suspended_a')
  await insertLeads(app, [{ workspaceId, name: 'Ann', twitterHandle: 'ann', xUserId, handleLostAt: new Date() }])
  let calls = 0
  const x = {
    ...app.services.x!,
    findUserById(token: string, id: string) {
      calls += 1
      return app.services.x!.findUserById(token, id)
    },
  }
  for (let run = 0; run < 2; run += 1) await findLostHandles({ ...app.services, x })
  expect(calls).toBe(1)
  const [lead] = await app.db.select().from(leads).where(eq(leads.workspaceId, workspaceId))
  expect(lead).toMatchObject({ twitterHandle: 'ann', handleLostAt: expect.any(Date), xUserCheckedAt: expect.any(Date) })
})
