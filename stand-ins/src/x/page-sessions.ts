import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Stored on disk, so that sessions survive a restart. */
export type PageSessionEntry = { type: 'pageSession'; session: string; userId: string | null }

/** X's cookie names. `auth_token` is the session; `twid` gives the page's script the user id. */
const COOKIE = 'auth_token'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Manages cookie sessions on X's pages. `write` must store the entry before returning. */
export function createPageSessions(write: (entry: PageSessionEntry) => void) {
  const sessions = new Map<string, string>()
  const everSignedIn = new Set<string>()

  function apply({ session, userId }: PageSessionEntry) {
    if (userId === null) sessions.delete(session)
    else {
      sessions.set(session, userId)
      everSignedIn.add(userId)
    }
  }

  function record(entry: PageSessionEntry) {
    write(entry)
    apply(entry)
  }

  return {
    /** Applies an entry from disk. */
    replay: apply,
    hasSignedIn: (userId: string) => everSignedIn.has(userId),
    /** Returns the signed-in user's id, if any. */
    userOf: (request: FastifyRequest): string | undefined => sessions.get(sessionOf(request)),
    /** Signs in. @returns the cookies to set */
    open(userId: string): string[] {
      const session = randomBytes(20).toString('hex')
      record({ type: 'pageSession', session, userId })
      const common = `Path=/; SameSite=Lax; Max-Age=${YEAR_SECONDS}`
      return [`${COOKIE}=${session}; HttpOnly; ${common}`, `twid=u%3D${userId}; ${common}`]
    },
    /** Signs out. @returns the cookies to set */
    close(request: FastifyRequest): string[] {
      const session = sessionOf(request)
      if (sessions.has(session)) record({ type: 'pageSession', session, userId: null })
      return [`${COOKIE}=; Path=/; Max-Age=0`, 'twid=; Path=/; Max-Age=0']
    },
  }
}

export type PageSessions = ReturnType<typeof createPageSessions>

function sessionOf(request: FastifyRequest): string {
  return new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1] ?? ''
}
