import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hash } from './hash.ts'
import { HANDLE } from './ids.ts'
import { callerOf, type Network, personByHandle, personById } from './network.ts'
import { followedBy, followersOf, type Person, personOf } from './people.ts'
import type { People } from './population.ts'
import { invalidRequest, notAuthorizedToSee } from './problems.ts'
import { readCount, readId, readQuery, readWords } from './queries.ts'

/** All user fields of X. The stand-in fills those that the product may need. */
const USER_FIELDS = [
  'affiliation',
  'confirmed_email',
  'connection_status',
  'created_at',
  'description',
  'entities',
  'id',
  'is_identity_verified',
  'location',
  'most_recent_tweet_id',
  'name',
  'parody',
  'pinned_tweet_id',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'receives_your_dm',
  'subscription',
  'subscription_type',
  'url',
  'username',
  'verified',
  'verified_followers_count',
  'verified_type',
  'withheld',
]

const READ_USERS = ['tweet.read', 'users.read']

/** Routes that look up users, followers and followed people. */
export function addUsers(app: FastifyInstance, network: Network) {
  app.get('/2/users/me', async (request, reply) => {
    const { person, limits } = callerOf(network, request, 'me', READ_USERS)
    reply.headers(limits)
    const query = readQuery(request.query, ['user.fields', 'expansions', 'tweet.fields'])
    return { data: userJson(network, person, fieldsOf(query), person) }
  })

  app.get<{ Params: { username: string } }>('/2/users/by/username/:username', async (request, reply) => {
    const { person: viewer, limits } = callerOf(network, request, 'userByUsername', READ_USERS)
    reply.headers(limits)
    const fields = fieldsOf(readQuery(request.query, ['user.fields', 'expansions', 'tweet.fields']))
    const { username } = request.params
    if (!HANDLE.test(username)) {
      throw invalidRequest(
        'username',
        username,
        `The \`username\` query parameter value [${username}] does not match ${HANDLE.source}`,
      )
    }
    const found = personByHandle(network, username)
    return 'error' in found ? { errors: [found.error] } : { data: userJson(network, found.person, fields, viewer) }
  })

  app.get<{ Params: { id: string } }>('/2/users/:id', async (request, reply) => {
    const { person: viewer, limits } = callerOf(network, request, 'userById', READ_USERS)
    reply.headers(limits)
    const fields = fieldsOf(readQuery(request.query, ['user.fields', 'expansions', 'tweet.fields']))
    const found = personById(network, readId('id', request.params.id))
    return 'error' in found ? { errors: [found.error] } : { data: userJson(network, found.person, fields, viewer) }
  })

  const lists = { followers: followersOf, following: followedBy } as const
  for (const list of ['followers', 'following'] as const) {
    app.get<{ Params: { id: string } }>(`/2/users/:id/${list}`, (request, reply) => readList(request, reply, list))
  }

  async function readList(
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
    list: 'followers' | 'following',
  ) {
    const { person: viewer, limits } = callerOf(network, request, list, [...READ_USERS, 'follows.read'])
    reply.headers(limits)
    const query = readQuery(request.query, [
      'max_results',
      'pagination_token',
      'user.fields',
      'expansions',
      'tweet.fields',
    ])
    const size = readCount('max_results', query.max_results, 1000, 100)
    const fields = fieldsOf(query)
    const found = personById(network, readId('id', request.params.id))
    if ('error' in found) return { errors: [found.error] }
    const owner = found.person
    // Followers of a protected account were approved by it.
    const isApproved = owner.id === viewer.id || followedBy(viewer.handle).includes(owner.handle)
    if (owner.protected && !isApproved) return { errors: [notAuthorizedToSee(owner.id)] }

    const people = lists[list](owner.handle)
    const start = placeOf(`${list}:${owner.id}`, query.pagination_token)
    const end = Math.min(start + size, people.count)
    const ties = fields.has('connection_status') ? tiesOf(viewer) : undefined
    const data = []
    for (let place = start; place < end; place++) {
      data.push(userJson(network, personOf(people.handleAt(place)), fields, viewer, ties))
    }
    const meta: Record<string, unknown> = { result_count: data.length }
    if (end < people.count) meta.next_token = tokenOf(`${list}:${owner.id}`, end)
    if (start > 0) meta.previous_token = tokenOf(`${list}:${owner.id}`, Math.max(0, start - size))
    return data.length > 0 ? { data, meta } : { meta }
  }

  // A letter on a color, so that no image is loaded from outside.
  app.get<{ Params: { id: string } }>('/profile_images/:id.svg', async (request, reply) => {
    const found = personById(network, readId('id', request.params.id))
    if ('error' in found) return reply.code(404).send()
    const { name, handle } = found.person
    const letter = /\p{L}|\p{N}/u.exec(name)?.[0] ?? handle.charAt(0)
    reply
      .type('image/svg+xml')
      .header('cache-control', 'public, max-age=86400')
      .header('cross-origin-resource-policy', 'cross-origin')
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="hsl(${hash(handle) % 360} 55% 45%)"/>` +
      `<text x="24" y="32" fill="#fff" font-family="system-ui,sans-serif" font-size="22" text-anchor="middle">${letter.toUpperCase()}</text></svg>`
    )
  })
}

/** A user in X's format: id, name, username and the requested `fields`. */
export function userJson(network: Network, person: Person, fields: Set<string>, viewer: Person, ties?: Ties): object {
  const user: Record<string, unknown> = { id: person.id, name: person.name, username: person.handle }
  if (fields.size === 0) return user
  if (fields.has('created_at')) user.created_at = person.createdAt
  if (fields.has('description')) user.description = person.bio
  if (fields.has('location') && person.location) user.location = person.location
  if (fields.has('profile_image_url')) user.profile_image_url = `${network.url()}/profile_images/${person.id}.svg`
  if (fields.has('protected')) user.protected = person.protected
  if (fields.has('public_metrics')) {
    user.public_metrics = {
      followers_count: person.followerCount,
      following_count: person.followingCount,
      tweet_count: person.postCount,
      listed_count: person.listedCount,
      like_count: person.likeCount,
      media_count: Math.round(person.postCount / 9),
    }
  }
  if (fields.has('receives_your_dm')) user.receives_your_dm = person.inboxOpen
  if (fields.has('url')) user.url = person.website
  if (fields.has('verified')) user.verified = person.verified
  if (fields.has('verified_type')) user.verified_type = person.verified ? 'blue' : 'none'
  if (fields.has('connection_status')) {
    const { followers, following } = ties ?? tiesOf(viewer)
    const status = []
    if (following.includes(person.handle)) status.push('following')
    if (followers.includes(person.handle)) status.push('followed_by')
    user.connection_status = status.length > 0 ? status : ['none']
  }
  return user
}

/** The requested user fields. */
export function fieldsOf(query: Record<string, string | undefined>): Set<string> {
  return readWords('user.fields', query['user.fields'], USER_FIELDS)
}

type Ties = { followers: People; following: People }

function tiesOf(viewer: Person): Ties {
  return { followers: followersOf(viewer.handle), following: followedBy(viewer.handle) }
}

/** A cursor that is valid only for its list. */
function tokenOf(list: string, place: number): string {
  return Buffer.from(`${place}.${hash(`${list}.${place}`).toString(36)}`).toString('base64url')
}

function placeOf(list: string, token: string | undefined): number {
  if (token === undefined) return 0
  const place = Number.parseInt(Buffer.from(token, 'base64url').toString(), 10)
  if (Number.isSafeInteger(place) && place >= 0 && tokenOf(list, place) === token) return place
  throw invalidRequest(
    'pagination_token',
    token,
    `The \`pagination_token\` query parameter value [${token}] is not valid`,
  )
}
