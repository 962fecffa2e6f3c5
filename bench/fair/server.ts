import pg from 'pg'
import { one } from '../../server/src/db/one.ts'
import { authUsers } from '../../server/src/domains/identity/auth/tables.ts'
import { startServer } from '../../server/src/start.ts'
import { accessToken } from '../measuring/access-token.ts'
import { envOf } from '../measuring/env.ts'
import { recount } from '../measuring/recount.ts'

/* The server process of `fair.ts`: node server.ts <database> <others> <attackers> <leads> <bio>.
   Sends its URL and the accounts' tokens, those of the other users first. */

const [databaseUrl = '', others, attackers, leads, bioLength] = process.argv.slice(2)
const LEADS_OF_OTHERS = 2_000

const { url, services } = await startServer({ env: envOf(databaseUrl), databaseUrl, workers: true })
// Lifts limits per address, because all sign-ups and sign-ins come from one. Calls per minute stay limited.
services.limits.consume = async () => 1
const { db, pool } = services.database
// Bypasses the product's statement timeouts.
const client = new pg.Client(databaseUrl)
await client.connect()

/** Creates an account with leads whose bios have a few words and a long text. @returns an access token */
async function makeAccount(leadCount: number, length: number): Promise<string> {
  const { rows } = await pool.query<{ id: string }>("insert into workspaces (name) values ('bench') returning id")
  const { id: workspaceId } = one(rows)
  await client.query(
    `insert into leads (workspace_id, name, twitter_handle, bio, follower_count)
     select $1, 'Person ' || md5(n::text), 'person_' || n, left('Founder of company ' || n || ' ' || repeat(md5(n::text) || ' eel ', 160), $3), n
     from generate_series(1, $2::int) n`,
    [workspaceId, leadCount, length],
  )
  const email = `${workspaceId}@example.com`
  const user = one(await db.insert(authUsers).values({ name: 'bench', email, emailVerified: true }).returning())
  return accessToken(services, { userId: user.id, workspaceId })
}

const tokens: string[] = []
for (let n = 0; n < Number(others); n += 1) tokens.push(await makeAccount(LEADS_OF_OTHERS, 100))
for (let n = 0; n < Number(attackers); n += 1) tokens.push(await makeAccount(Number(leads), Number(bioLength)))
await recount(client)
await client.query('vacuum analyze leads')
await client.end()
process.send?.({ url, tokens })
