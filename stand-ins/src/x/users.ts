import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from './apps.ts'
import { drawFace } from './faces.ts'
import { HANDLE } from './ids.ts'
import type { LimitedCall } from './limits.ts'
import { websiteLink } from './links.ts'
import { asNow, callerOf, type Network, personByHandle, personById } from './network.ts'
import { followedBy, followersOf, type Person, personOf } from './people.ts'
import type { People } from './population.ts'
import { invalidRequest, notAuthorizedToSee } from './problems.ts'
import { count, idList, longToken, positionIn, readId, readQuery, words } from './queries.ts'

type Ties = { followers: People; following: People }

/** The supported user fields. `ties` returns whom the viewer follows, and who follows the viewer. */
const FIELDS: Record<string, (person: Person, network: Network, ties: () => Ties) => unknown> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  username: (person, network) => asNow(network, person).handle,
  created_at: ({ createdAt }) => createdAt,
  description: ({ bio }) => bio,
  location: ({ location }) => location || undefined,
  profile_image_url: ({ id }, network) => `${network.url()}/profile_images/${id}.webp`,
  protected: (person) => person.protected,
  public_metrics: (person) => ({
    followers_count: person.followerCount,
    following_count: person.followingCount,
    tweet_count: person.postCount,
    post_count: person.postCount,
    listed_count: person.listedCount,
    like_count: person.likeCount,
    media_count: Math.round(person.postCount / 9),
  }),
  receives_your_dm: ({ inboxOpen }) => inboxOpen,
  url: ({ website }, { switches }) => (website && switches.reading.shortensLinks ? websiteLink(website).url : website),
  entities: ({ website }) => (website ? { url: websiteLink(website).entities } : undefined),
  verified: ({ verified }) => verified,
  verified_type: ({ verified }) => (verified ? 'blue' : 'none'),
  subscription_type: ({ verified }) => (verified ? 'Premium' : 'None'),
  connection_status({ key }, _network, ties) {
    const { followers, following } = ties()
    return [...(following.includes(key) ? ['following'] : []), ...(followers.includes(key) ? ['followed_by'] : [])]
  },
}

/** The parameter with the requested user fields. */
export const userFields = words()
/** The parameter with the requested user fields, for a path that X's OpenAPI file lacks. */
export const supportedUserFields = words(Object.keys(FIELDS))

const READ_USERS = ['tweet.read', 'users.read']

type ById = FastifyRequest<{ Params: { id: string } }>

/** Adds routes that look up users, followers and followed people. */
export function addUsers(app: FastifyInstance, network: Network) {
  /** Identifies the caller. `show` returns a person with the requested fields as the caller sees them, and charges. */
  function read(request: FastifyRequest, reply: FastifyReply, call: LimitedCall) {
    const caller = callerOf(network, request, reply, call, READ_USERS)
    const { 'user.fields': fields } = readQuery(request.query, { 'user.fields': userFields })
    network.credits.require(caller.app.id)
    const show = (person: Person) => {
      network.credits.charge(caller.app.id, 'user', [person.id])
      return userJson(network, person, fields, caller.person)
    }
    return { person: caller.person, show }
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
    const result = personByHandle(network, username)
    return 'error' in result ? { errors: [result.error] } : { data: show(result.person) }
  })

  app.get('/2/users/by', async (request, reply) => {
    const { person: viewer, app: xApp } = callerOf(network, request, reply, 'usersByUsernames', READ_USERS)
    const { usernames, 'user.fields': fields } = readQuery(request.query, {
      usernames: z
        .string()
        .transform((text) => text.split(','))
        .pipe(z.array(z.string().regex(HANDLE)).min(1).max(100)),
      'user.fields': userFields,
    })
    return showAll(
      usernames.map((username) => personByHandle(network, username)),
      fields,
      viewer,
      xApp,
    )
  })

  app.get('/2/users', async (request, reply) => {
    const { person: viewer, app: xApp } = callerOf(network, request, reply, 'usersByIds', READ_USERS)
    const { ids, 'user.fields': fields } = readQuery(request.query, {
      ids: idList,
      'user.fields': userFields,
    })
    return showAll(
      ids.map((id) => personById(network, id)),
      fields,
      viewer,
      xApp,
    )
  })

  function showAll(results: ReturnType<typeof personById>[], fields: ReadonlySet<string>, viewer: Person, xApp: App) {
    network.credits.require(xApp.id)
    const ties = tiesOf(viewer)
    const people = results.flatMap((result) => ('person' in result ? [result.person] : []))
    const errors = results.flatMap((result) => ('error' in result ? [result.error] : []))
    network.credits.charge(
      xApp.id,
      'user',
      people.map(({ id }) => id),
    )
    const data = people.map((person) => userJson(network, person, fields, viewer, ties))
    return { ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) }
  }

  app.get('/2/users/:id', async (request: ById, reply) => {
    const { show } = read(request, reply, 'userById')
    const result = personById(network, readId('id', request.params.id))
    return 'error' in result ? { errors: [result.error] } : { data: show(result.person) }
  })

  for (const [list, peopleOf] of [
    ['followers', followersOf],
    ['following', followedBy],
  ] as const)
    app.get(`/2/users/:id/${list}`, async (request: ById, reply) => {
      const { person: viewer, app: xApp } = callerOf(network, request, reply, list, [...READ_USERS, 'follows.read'])
      const query = readQuery(request.query, {
        max_results: count(1000),
        pagination_token: z.string().optional(),
        'user.fields': userFields,
      })
      const result = personById(network, readId('id', request.params.id))
      if ('error' in result) return { errors: [result.error] }
      const owner = result.person
      // A protected account has approved its followers.
      const isApproved = owner.id === viewer.id || followedBy(viewer.key).includes(owner.key)
      if (owner.protected && !isApproved) return { errors: [notAuthorizedToSee(owner.id)] }

      network.credits.require(xApp.id)
      const people = peopleOf(owner.key)
      const key = `${list}:${owner.id}`
      const start = Number(positionIn(key, query.pagination_token))
      const end = Math.min(start + query.max_results, people.count)
      const ties = tiesOf(viewer)
      const page = Array.from({ length: Math.max(0, end - start) }, (_, index) =>
        personOf(people.handleAt(start + index)),
      )
      network.credits.charge(
        xApp.id,
        'user',
        page.map(({ id }) => id),
      )
      const data = page.map((person) => userJson(network, person, query['user.fields'], viewer, ties))
      const meta = {
        result_count: data.length,
        ...(end < people.count && { next_token: longToken(key, end) }),
        ...(start > 0 && { previous_token: longToken(key, Math.max(0, start - query.max_results)) }),
      }
      return data.length > 0 ? { data, meta } : { meta }
    })

  app.get('/profile_images/:id.webp', async (request: ById, reply) => {
    const result = personById(network, readId('id', request.params.id))
    if ('error' in result) return reply.code(404).send()
    return reply
      .type('image/webp')
      .header('cache-control', 'public, max-age=86400')
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(await drawFace(result.person.key))
  })
}

/** Returns a user in X's format: id, name, username and the requested `fields`. */
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

/**
 * Returns a function that lists the viewer's followers and the people they follow, computed once,
 * on the first call.
 */
export function tiesOf({ key }: Person): () => Ties {
  let ties: Ties | undefined
  return () => (ties ??= { followers: followersOf(key), following: followedBy(key) })
}
