import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createXApi, type XApi } from './x.ts'

/** The body of X's next response, with status 200. */
let says = ''
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(says)
})
let x: XApi
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  x = createXApi({ apiUrl: `http://127.0.0.1:${port}`, clientId: 'id', clientSecret: null })
})
afterAll(() => void server.close())

const ana = { id: '7', username: 'ana' }
const follows = (answer: unknown, cursor: string | null = null) => {
  says = JSON.stringify(answer)
  return x.listUsers('token', '1', 'followers', { cursor, size: 100 })
}

describe('a page of followers', () => {
  it('contains people, or states that it has none', async () => {
    expect(await follows({ data: [ana], meta: { result_count: 1, next_token: 'b' } }, 'a')).toMatchObject({
      users: [{ id: '7', handle: 'ana' }],
      next: 'b',
    })
    expect(await follows({ meta: { result_count: 0 } })).toEqual({ users: [], next: null })
  })
  it.each([
    [{}],
    [{ meta: {} }],
    [{ meta: { result_count: 5 } }],
    [{ data: [ana] }],
    [{ data: [{ id: 7 }], meta: { result_count: 1 } }],
    [{ data: { ana }, meta: { result_count: 1 } }],
    [{ data: [ana], meta: { result_count: 1, next_token: 'a' } }],
    [{ data: [ana], meta: { result_count: 1, next_token: 5 } }],
    [{ data: [ana], meta: { result_count: 1, next_token: '' } }],
  ])('is not taken for the end of the list if X answers %j', async (answer) => {
    await expect(follows(answer, 'a')).rejects.toMatchObject({ kind: 'unknown' })
  })
  it("is refused with X's explanation", async () => {
    const detail = 'Not authorized.'
    await expect(
      follows({ errors: [{ detail, type: 'https://api.x.com/2/problems/not-authorized-for-resource' }] }),
    ).rejects.toMatchObject({ kind: 'forbidden', message: detail })
  })
})

it('findUser returns null only if X says that the handle does not exist', async () => {
  const find = (answer: unknown) => {
    says = JSON.stringify(answer)
    return x.findUser('token', 'ana')
  }
  expect(await find({ data: ana })).toMatchObject({ id: '7', isFollowed: null })
  expect(await find({ data: { ...ana, connection_status: ['none'] } })).toMatchObject({ isFollowed: false })
  expect(await find({ data: { ...ana, connection_status: ['following'] } })).toMatchObject({ isFollowed: true })
  expect(await find({ errors: [{ title: 'Not Found Error' }] })).toBeNull()
  for (const nothing of [{}, { errors: [] }, { data: null }])
    await expect(find(nothing)).rejects.toMatchObject({ kind: 'unknown' })
})
