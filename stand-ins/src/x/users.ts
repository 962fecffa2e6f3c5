import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { drawFace } from './faces.ts'
import { hash } from './hash.ts'
import { HANDLE } from './ids.ts'
import type { LimitedCall } from './limits.ts'
import { callerOf, type Network, personByHandle, personById } from './network.ts'
import { followedBy, followersOf, type Person, personOf } from './people.ts'
import type { People } from './population.ts'
import { invalidRequest, notAuthorizedToSee } from './problems.ts'
import { count, invalidToken, readId, readQuery, words } from './queries.ts'

type Ties = { followers: People; following: People }

/** The supported user fields. `ties` are the viewer's. */
const FIELDS: Record<string, (person: Person, network: Network, ties: () => Ties) => unknown> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  username: ({ handle }) => handle,
  created_at: ({ createdAt }) => createdAt,
  description: ({ bio }) => bio,
  location: ({ location }) => location || undefined,
  profile_image_url: ({ id }, network) => `${network.url()}/profile_images/${id}.webp`,
  protected: (person) => person.protected,
  public_metrics: (person) => ({
    followers_count: person.followerCount,
    following_count: person.followingCount,
    tweet_count: person.postCount,
    listed_count: person.listedCount,
    like_count: person.likeCount,
    media_count: Math.round(person.postCount / 9),
  }),
  receives_your_dm: ({ inboxOpen }) => inboxOpen,
  url: ({ website }) => website,
  entities: () => undefined,
  subscription_type: () => undefined,
  verified: ({ verified }) => verified,
  verified_type: ({ verified }) => (verified ? 'blue' : 'none'),
  connection_status({ handle }, _network, ties) {
    const { followers, following } = ties()
    const status = []
    if (following.includes(handle)) status.push('following')
    if (followers.includes(handle)) status.push('followed_by')
    return status.length > 0 ? status : ['none']
  },
}

/** The parameter with the requested user fields. */
export const userFields = words(Object.keys(FIELDS))

const READ_USERS = ['tweet.read', 'users.read']

type ById = FastifyRequest<{ Params: { id: string } }>

/** Routes that look up users, followers and followed people. */
export function addUsers(app: FastifyInstance, network: Network) {
  /** The caller, and how they see people with the requested fields. */
  function read(request: FastifyRequest, reply: FastifyReply, call: LimitedCall) {
    const person = callerOf(network, request, reply, call, READ_USERS)
    const { 'user.fields': fields } = readQuery(request.query, { 'user.fields': userFields })
    return { person, show: (found: Person) => userJson(network, found, fields, person) }
  }

  app.get('/2/users/me', async (request, reply) => {
    const { person, show } = read(request, reply, 'me')
    return { data: show(person) }
  })

  app.get<{ Params: { username: string } }>('/2/users/by/username/:username', async (request, reply) => {
    const { show } = read(request, reply, 'userByUsername')
    const { username } = request.params
    if (!HANDLE.test(username))
      throw invalidRequest('username', username, `The username [${username}] does not match ${HANDLE.source}`)
    const found = personByHandle(network, username)
    return 'error' in found ? { errors: [found.error] } : { data: show(found.person) }
  })

  app.get('/2/users/by', async (request, reply) => {
    const viewer = callerOf(network, request, reply, 'usersByUsernames', READ_USERS)
    const { usernames, 'user.fields': fields } = readQuery(request.query, {
      usernames: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(z.string().regex(HANDLE)).min(1).max(100)),
      'user.fields': userFields,
    })
    const found = usernames.map((username) => personByHandle(network, username))
    const ties = tiesOf(viewer)
    const data = found.flatMap((one) => ('person' in one ? [userJson(network, one.person, fields, viewer, ties)] : []))
    const errors = found.flatMap((one) => ('error' in one ? [one.error] : []))
    return { ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) }
  })

  app.get('/2/users/:id', async (request: ById, reply) => {
    const { show } = read(request, reply, 'userById')
    const found = personById(network, readId('id', request.params.id))
    return 'error' in found ? { errors: [found.error] } : { data: show(found.person) }
  })

  for (const [list, peopleOf] of [
    ['followers', followersOf],
    ['following', followedBy],
  ] as const)
    app.get(`/2/users/:id/${list}`, async (request: ById, reply) => {
      const viewer = callerOf(network, request, reply, list, [...READ_USERS, 'follows.read'])
      const query = readQuery(request.query, {
        max_results: count(1000),
        pagination_token: z.string().optional(),
        'user.fields': userFields,
      })
      const found = personById(network, readId('id', request.params.id))
      if ('error' in found) return { errors: [found.error] }
      const owner = found.person
      // Followers of a protected account were approved by it.
      const isApproved = owner.id === viewer.id || followedBy(viewer.handle).includes(owner.handle)
      if (owner.protected && !isApproved) return { errors: [notAuthorizedToSee(owner.id)] }

      const people = peopleOf(owner.handle)
      const key = `${list}:${owner.id}`
      const start = placeOf(key, query.pagination_token)
      const end = Math.min(start + query.max_results, people.count)
      const ties = tiesOf(viewer)
      const data = Array.from({ length: Math.max(0, end - start) }, (_, place) =>
        userJson(network, personOf(people.handleAt(start + place)), query['user.fields'], viewer, ties),
      )
      const meta = {
        result_count: data.length,
        ...(end < people.count && { next_token: tokenOf(key, end) }),
        ...(start > 0 && { previous_token: tokenOf(key, Math.max(0, start - query.max_results)) }),
      }
      return data.length > 0 ? { data, meta } : { meta }
    })

  app.get('/profile_images/:id.webp', async (request: ById, reply) => {
    const found = personById(network, readId('id', request.params.id))
    if ('error' in found) return reply.code(404).send()
    return reply
      .type('image/webp')
      .header('cache-control', 'public, max-age=86400')
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(await drawFace(found.person.handle))
  })
}

/** A user in X's format: id, name, username and the requested `fields`. */
export function userJson(
  network: Network,
  person: Person,
  fields: ReadonlySet<string>,
  viewer: Person,
  ties = tiesOf(viewer),
): object {
  const names = new Set(['id', 'name', 'username', ...fields])
  return Object.fromEntries([...names].map((name) => [name, FIELDS[name]?.(person, network, ties)]))
}

/** Whom the viewer follows and who follows them, computed once and only if needed. */
export function tiesOf({ handle }: Person): () => Ties {
  let ties: Ties | undefined
  return () => (ties ??= { followers: followersOf(handle), following: followedBy(handle) })
}

/** A cursor that is valid only for its list. */
export function tokenOf(list: string, place: number): string {
  return Buffer.from(`${place}.${hash(`${list}.${place}`).toString(36)}`).toString('base64url')
}

export function placeOf(list: string, token: string | undefined): number {
  if (token === undefined) return 0
  const place = Number.parseInt(Buffer.from(token, 'base64url').toString(), 10)
  if (Number.isSafeInteger(place) && place >= 0 && tokenOf(list, place) === token) return place
  throw invalidToken(token)
}
