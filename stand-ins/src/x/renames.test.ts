import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'

test('renames a person, whose old handle becomes free for another', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'x-renames-'))
  const x = await openX({ stateDir })
  const me = await x.signIn('sender')
  const rename = (handle: string, to: string) => x.json('POST', `/_people/${handle}/rename`, { to })
  const [ada, ben, new_] = [await me.idOf('open_ada'), await me.idOf('open_ben'), await me.idOf('brand_new')]
  expect((await rename('open_ada', 'Brand_New')).body).toEqual({ id: ada, handle: 'Brand_New' })
  expect((await me.get(`/2/users/${ada}`)).body.data.username).toBe('Brand_New')
  expect(await me.idOf('brand_new')).toBe(ada)
  expect((await me.get('/2/users/by/username/open_ada')).body).toHaveProperty('errors')
  expect((await me.get(`/2/users/${new_}`)).body).toHaveProperty('errors')

  await rename('open_ben', 'open_ada')
  expect(await me.idOf('open_ada')).toBe(ben)
  expect((await me.send(ada, 'Hello')).status).toBe(201)
  expect(await x.log('?to=brand_new')).toMatchObject([{ to: 'Brand_New', text: 'Hello' }])
  expect(await x.log('?to=open_ada')).toEqual([])
  expect((await rename('open_ben', 'x')).status).toBe(404)
  expect((await rename('brand_new', 'not a handle')).status).toBe(400)

  const restarted = await openX({ stateDir })
  expect(await (await restarted.signIn('other')).idOf('open_ada')).toBe(ben)
})
