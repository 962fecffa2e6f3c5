import { SOURCE_FIELDS } from '@x-automated/contract/leads/scrapes'
import { listIdIn, postIdIn } from '@x-automated/contract/x-url'
import type { XApi } from '../../../outside/x.ts'
import { XError } from '../../../outside/x-errors.ts'
import type { XUser } from '../../../outside/x-schemas.ts'
import type { ScrapeRow } from './changes.ts'
import { isHidden, noSuchSource, protectedAccount, wholeCount } from './rules.ts'

// Reads a scrape's source on X: the people around a handle, a post or a list, or given handles.

type ScrapeSource = Pick<ScrapeRow, 'type' | 'twitterHandle' | 'postUrl' | 'listUrl' | 'handles'>

/** The source's id on X, the handle as X spells it, and the number of profiles; or why there is no such source. */
export async function findSource(
  x: XApi,
  token: string,
  source: ScrapeSource,
  account: { xUserId: string },
): Promise<{ id: string; twitterHandle: string | null; expected: number | null } | { problem: string }> {
  const missing = { problem: noSuchSource(source) }
  switch (SOURCE_FIELDS[source.type]) {
    case 'handles':
      return { id: 'handles', twitterHandle: null, expected: source.handles?.length ?? 0 }
    case 'postUrl': {
      const post = await x.findPost(token, postIdIn(source.postUrl ?? '') ?? '')
      if (!post) return missing
      const count = source.type === 'likers' ? post.likeCount : post.replyCount
      return { id: post.id, twitterHandle: null, expected: wholeCount(count) }
    }
    case 'listUrl': {
      const list = await x.findList(token, listIdIn(source.listUrl ?? '') ?? '')
      return list ? { id: list.id, twitterHandle: null, expected: wholeCount(list.memberCount) } : missing
    }
    case 'twitterHandle': {
      const user = await x.findUser(token, source.twitterHandle ?? '').catch((error: unknown) => {
        if (error instanceof XError && error.isSuspended) return 'suspended' as const
        throw error
      })
      if (user === 'suspended') return { problem: noSuchSource(source, true) }
      if (!user) return missing
      if (isHidden(user, account)) return { problem: protectedAccount(user.handle, source.type) }
      const count = source.type === 'followers' ? user.followerCount : user.followingCount
      return { id: user.id, twitterHandle: user.handle, expected: wholeCount(count) }
    }
  }
}

/** One page of the source's people; `next` is null on the last. @param id the source's id on X */
export async function readSource(
  x: XApi,
  token: string,
  { type, handles, cursor }: ScrapeSource & Pick<ScrapeRow, 'cursor'>,
  id: string,
  size: number,
): Promise<{ users: XUser[]; next: string | null }> {
  if (type === 'repliers') return x.listRepliers(token, id, { cursor, size })
  if (type !== 'handles') return x.listUsers(token, id, type, { cursor, size })
  const from = Number(cursor ?? 0)
  const all = handles ?? []
  const users = await x.findUsers(token, all.slice(from, from + size))
  return { users, next: from + size < all.length ? String(from + size) : null }
}
