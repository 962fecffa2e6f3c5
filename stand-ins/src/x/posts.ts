import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { LimitedCall } from './limits.ts'
import { callerOf, type Network } from './network.ts'
import { type Person, personOf } from './people.ts'
import { peopleOf } from './population.ts'
import { notFound } from './problems.ts'
import { count, longToken, positionIn, readId, readQuery, readStrictQuery, words } from './queries.ts'
import { supportedUserFields, tiesOf, userFields, userJson } from './users.ts'

// Posts and lists, generated from their ids. The last three digits of an id are the number of people
// who like the post or belong to the list. A third as many replied. Ids that end in 000 do not exist.

type ById = FastifyRequest<{ Params: { id: string } }>

const sizeOf = (id: string) => Number(id.slice(-3))
const repliesOf = (id: string) => Math.ceil(sizeOf(id) / 3)
const READ = ['tweet.read', 'users.read']

/** Adds routes that look up posts and lists, and the people who like, answer or belong to them. */
export function addPosts(app: FastifyInstance, network: Network) {
  app.get('/2/tweets/:id', async (request: ById, reply) => {
    callerOf(network, request, reply, 'postById', READ)
    // X still accepts the older name of `post.fields`.
    const { 'post.fields': fields, 'tweet.fields': olderFields } = readQuery(request.query, {
      'post.fields': words(),
      'tweet.fields': words(),
    })
    const id = readId('id', request.params.id)
    if (sizeOf(id) === 0) return { errors: [notFound('tweet', id)] }
    const counts = { like_count: sizeOf(id), reply_count: repliesOf(id), quote_count: 0, bookmark_count: 0 }
    const metrics = { ...counts, repost_count: 0, retweet_count: 0, impression_count: 0 }
    const hasMetrics = fields.has('public_metrics') || olderFields.has('public_metrics')
    return { data: { id, text: `Post ${id}`, ...(hasMetrics && { public_metrics: metrics }) } }
  })

  app.get('/2/lists/:id', async (request: ById, reply) => {
    callerOf(network, request, reply, 'listById', [...READ, 'list.read'])
    const { 'list.fields': fields } = readStrictQuery(request.query, { 'list.fields': words(['member_count']) })
    const id = readId('id', request.params.id)
    if (sizeOf(id) === 0) return { errors: [notFound('list', id)] }
    return { data: { id, name: `List ${id}`, ...(fields.has('member_count') && { member_count: sizeOf(id) }) } }
  })

  for (const [path, call, scope, kind] of [
    ['/2/tweets/:id/liking_users', 'likers', 'like.read', 'tweet'],
    ['/2/lists/:id/members', 'listMembers', 'list.read', 'list'],
  ] as const)
    app.get(path, async (request: ById, reply) => {
      const { person: viewer, app: xApp } = callerOf(network, request, reply, call, [...READ, scope])
      const query = readQuery(request.query, {
        max_results: count(100),
        pagination_token: z.string().optional(),
        'user.fields': userFields,
      })
      const id = readId('id', request.params.id)
      if (sizeOf(id) === 0) return { errors: [notFound(kind, id)] }
      network.credits.require(xApp.id)
      const { people, meta } = pageOf(call, id, sizeOf(id), query)
      network.credits.charge(
        xApp.id,
        'user',
        people.map((person) => person.id),
      )
      const ties = tiesOf(viewer)
      const data = people.map((person) => userJson(network, person, query['user.fields'], viewer, ties))
      return data.length > 0 ? { data, meta } : { meta }
    })

  app.get('/2/tweets/search/recent', async (request, reply) => {
    const { person: viewer, app: xApp } = callerOf(network, request, reply, 'searchRecent', READ)
    const query = readStrictQuery(request.query, {
      query: z.string().regex(/^in_reply_to_tweet_id:\d{1,19}$/),
      max_results: count(100),
      pagination_token: z.string().optional(),
      expansions: words(['author_id']),
      'user.fields': supportedUserFields,
    })
    const id = /\d+/.exec(query.query)?.[0] ?? ''
    network.credits.require(xApp.id)
    const { people, start, meta } = pageOf('searchRecent', id, repliesOf(id), query)
    network.credits.charge(
      xApp.id,
      'user',
      people.map((person) => person.id),
    )
    if (people.length === 0) return { meta }
    const data = people.map((person, index) => ({
      id: String(BigInt(id) + BigInt(start + index + 1)),
      author_id: person.id,
      text: 'So true.',
    }))
    const users = people.map((person) => userJson(network, person, query['user.fields'], viewer))
    return { data, ...(query.expansions.has('author_id') && { includes: { users } }), meta }
  })
}

function pageOf(
  call: LimitedCall,
  id: string,
  total: number,
  query: { max_results: number; pagination_token?: string | undefined },
): { people: Person[]; start: number; meta: object } {
  const key = `${call}:${id}`
  const all = peopleOf(key, total)
  const start = Number(positionIn(key, query.pagination_token))
  const end = Math.min(start + query.max_results, all.count)
  const people = Array.from({ length: Math.max(0, end - start) }, (_, index) => personOf(all.handleAt(start + index)))
  return {
    people,
    start,
    meta: { result_count: people.length, ...(end < all.count && { next_token: longToken(key, end) }) },
  }
}
