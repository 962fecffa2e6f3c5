import { once } from 'node:events'
import { get } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openX } from '../../test/open-x.ts'

const FIELDS =
  'user.fields=description,public_metrics,protected,connection_status,receives_your_dm,verified,location,url,profile_image_url'

describe('GET /2/users/by/username/:username', () => {
  test('returns id, name, username and only the requested fields', async () => {
    const me = await (await openX()).signIn()
    const plain = await me.get('/2/users/by/username/bigfounder')
    expect(plain.status).toBe(200)
    expect(plain.body).toEqual({ data: { id: '4614978299255472806', name: 'Ida Ibrahim', username: 'bigfounder' } })

    const full = (await me.get(`/2/users/by/username/bigfounder?${FIELDS}`)).body.data
    expect(full.public_metrics.followers_count).toBe(1_000_000)
    expect(full).toMatchObject({
      verified: true,
      protected: false,
      receives_your_dm: true,
      connection_status: [],
    })
    expect(full).not.toHaveProperty('created_at')
  })

  test('returns 200 with errors for an unknown or suspended account', async () => {
    const me = await (await openX()).signIn()
    const missing = await me.get('/2/users/by/username/missing_x')
    expect(missing.status).toBe(200)
    expect(missing.body).toEqual({
      errors: [
        expect.objectContaining({
          title: 'Not Found Error',
          detail: 'Could not find user with username: [missing_x].',
          type: 'https://api.x.com/2/problems/resource-not-found',
        }),
      ],
    })
    const suspended = await me.get('/2/users/by/username/suspended_x')
    expect(suspended.body.errors[0]).toMatchObject({
      title: 'Forbidden',
      detail: 'User has been suspended: [suspended_x].',
    })
  })

  test('returns 400 for an invalid handle, an unknown field and an unknown or repeated parameter', async () => {
    const me = await (await openX()).signIn()
    const wrong = [
      'a-b',
      'sixteencharacter',
      'ada?user.fields=shoe_size',
      'ada?fields=id',
      'ada?user.fields=id&user.fields=name',
    ]
    for (const path of wrong) {
      const response = await me.get(`/2/users/by/username/${path}`)
      expect(response.status, path).toBe(400)
      expect(response.headers.get('content-type')).toContain('application/problem+json')
      expect(response.body).toMatchObject({
        title: 'Invalid Request',
        type: 'https://api.x.com/2/problems/invalid-request',
      })
    }
  })

  test('returns 401 for a missing or unknown token and 403 without the scope', async () => {
    const x = await openX()
    expect(await x.call('/2/users/by/username/ada')).toMatchObject({
      status: 401,
      body: { title: 'Unauthorized', status: 401 },
    })
    expect((await x.as('nonsense').get('/2/users/by/username/ada')).status).toBe(401)
    const narrow = await x.signIn('me', 'tweet.read')
    expect(await narrow.get('/2/users/by/username/ada')).toMatchObject({ status: 403, body: { title: 'Forbidden' } })
  })
})

test('returns the token’s owner from GET /2/users/me', async () => {
  const me = await (await openX()).signIn('Ada_Lovelace')
  expect((await me.get('/2/users/me')).body.data.username).toBe('ada_lovelace')
})

describe('GET /2/users/:id', () => {
  test('returns the same person as by username, for short and long handles', async () => {
    const me = await (await openX()).signIn()
    for (const handle of ['ada', 'averylonghandle']) {
      const byName = await me.get(`/2/users/by/username/${handle}?${FIELDS}`)
      expect((await me.get(`/2/users/${byName.body.data.id}?${FIELDS}`)).body).toEqual(byName.body)
    }
  })

  test('returns 200 with errors for an unknown id and 400 for an invalid one', async () => {
    const me = await (await openX()).signIn()
    expect((await me.get('/2/users/9223372036854775807')).body.errors[0].parameter).toBe('id')
    expect((await me.get('/2/users/ada')).status).toBe(400)
  })
})

describe('GET /2/users/:id/followers and /following', () => {
  test('returns each follower exactly once, whatever the page sizes', async () => {
    const me = await (await openX()).signIn()
    const id = await me.idOf('f250_x')
    const full = (await me.get(`/2/users/${id}/followers?max_results=1000`)).body
    expect(full.meta).toEqual({ result_count: 250 })
    expect(new Set(full.data.map((user: { id: string }) => user.id)).size).toBe(250)

    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 20, max: 400 }), { minLength: 1, maxLength: 4 }), async (sizes) => {
        const seen: unknown[] = []
        let token = ''
        for (let page = 0; ; page++) {
          const path = `/2/users/${id}/followers?max_results=${sizes[page % sizes.length]}${token}`
          const { data, meta } = (await me.get(path)).body
          seen.push(...data)
          if (meta.next_token === undefined) break
          token = `&pagination_token=${meta.next_token}`
        }
        expect(seen).toEqual(full.data)
      }),
      { numRuns: 15 },
    )
  })

  test('returns all of a million followers, each with their own profile', async () => {
    const me = await (await openX()).signIn()
    const id = await me.idOf('bigfounder')
    const first = (await me.get(`/2/users/${id}/followers?max_results=1000&${FIELDS}`)).body
    expect(first.data).toHaveLength(1000)
    const follower = first.data[7]
    expect((await me.get(`/2/users/${follower.id}?${FIELDS}`)).body.data).toEqual(follower)
  })

  test('returns 100 by default, a previous_token, and nothing for an unfollowed account', async () => {
    const me = await (await openX()).signIn()
    const id = await me.idOf('f250_x')
    const first = (await me.get(`/2/users/${id}/followers`)).body
    expect(first.meta.result_count).toBe(100)
    const second = (await me.get(`/2/users/${id}/followers?pagination_token=${first.meta.next_token}`)).body
    const back = (await me.get(`/2/users/${id}/followers?pagination_token=${second.meta.previous_token}`)).body
    expect(back.data).toEqual(first.data)
    expect((await me.get(`/2/users/${await me.idOf('f0_x')}/followers`)).body).toEqual({ meta: { result_count: 0 } })
  })

  test('returns the connection status “followed_by” for followers and “following” for followed people', async () => {
    const me = await (await openX()).signIn('f5_g5_me')
    const id = await me.idOf('f5_g5_me')
    for (const [list, status] of [
      ['followers', 'followed_by'],
      ['following', 'following'],
    ]) {
      const { data } = (await me.get(`/2/users/${id}/${list}?user.fields=connection_status`)).body
      expect(data).toHaveLength(5)
      for (const user of data) expect(user.connection_status).toEqual([status])
    }
  })

  test('returns 200 with errors for the followers of a protected account, except to itself', async () => {
    const x = await openX()
    const me = await x.signIn()
    const id = await me.idOf('protected_f9')
    const refused = (await me.get(`/2/users/${id}/followers`)).body
    expect(refused.errors[0].type).toBe('https://api.x.com/2/problems/not-authorized-for-resource')
    const owner = await x.signIn('protected_f9')
    expect((await owner.get(`/2/users/${id}/followers`)).body.meta.result_count).toBe(9)
  })

  test('returns the followers of a protected account to its approved followers', async () => {
    const x = await openX()
    const friend = await x.signIn('g900_friend')
    const path = `/2/users/${await friend.idOf('g900_friend')}/following?max_results=1000&user.fields=protected`
    const approved = (await friend.get(path)).body.data.find((user: { protected: boolean }) => user.protected)
    expect((await friend.get(`/2/users/${approved.id}/followers`)).body.meta).toBeDefined()
    const stranger = await x.signIn()
    expect((await stranger.get(`/2/users/${approved.id}/followers`)).body.errors).toBeDefined()
  })

  test('returns 400 for an invalid size or another list’s cursor, and 403 without follows.read', async () => {
    const x = await openX()
    const me = await x.signIn()
    const id = await me.idOf('f250_x')
    const { next_token: token } = (await me.get(`/2/users/${id}/following?max_results=1`)).body.meta
    for (const query of [
      'max_results=0',
      'max_results=1001',
      'max_results=ten',
      'pagination_token=x',
      `pagination_token=${token}`,
    ]) {
      expect((await me.get(`/2/users/${id}/followers?${query}`)).status, query).toBe(400)
    }
    const narrow = await x.signIn('me', 'tweet.read users.read')
    expect((await narrow.get(`/2/users/${id}/followers`)).status).toBe(403)
  })
})

test('draws everyone a small face of their own, always the same', async () => {
  const x = await openX()
  const me = await x.signIn()
  const faceOf = async (handle: string) => {
    const { profile_image_url: picture } = (await me.get(`/2/users/by/username/${handle}?${FIELDS}`)).body.data
    expect(picture.startsWith(x.url)).toBe(true)
    const response = await fetch(picture)
    expect(response.headers.get('content-type')).toBe('image/webp')
    return Buffer.from(await response.arrayBuffer())
  }
  const [ada, again, bruno] = [await faceOf('ada'), await faceOf('ada'), await faceOf('bruno')]
  expect(ada.subarray(8, 12).toString()).toBe('WEBP')
  expect(ada.length).toBeLessThan(20_000)
  expect(again).toEqual(ada)
  expect(bruno).not.toEqual(ada)
})

test('returns X’s 404 for unknown paths and 421 for other host names', async () => {
  const x = await openX()
  expect(await x.call('/2/nowhere')).toMatchObject({ status: 404, body: { title: 'Not Found', status: 404 } })
  const [response] = await once(get(x.url, { headers: { host: 'rebound.example' } }), 'response')
  expect(response.statusCode).toBe(421)
  response.resume()
})
