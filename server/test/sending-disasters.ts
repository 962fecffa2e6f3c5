import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { checkArchive } from '../../dev-env/archive.ts'
import { backUp, restore } from '../../dev-env/archive-database.ts'
import { Connection } from '../src/db/connection.ts'
import { isUnavailable } from '../src/db/unavailable.ts'
import type { TestApp } from './open-app.ts'

// Database failures of a world: broken connections, a killed server, a restored backup.

/** Number of seconds for which errors are attributed to a loss of the database. */
const RECOVERY_SECONDS = 5

let archives = 0
/**
 * When the database was last lost, in seconds of this process's uptime, because tests change the
 * clock.
 */
let lostAt = Number.NEGATIVE_INFINITY

/**
 * Whether a step failed only because the database was just lost. Then its caller repeats it or gives
 * up.
 */
export function isOfDisaster(error: unknown): boolean {
  const isRecent = process.uptime() - lostAt < RECOVERY_SECONDS
  return isRecent && (isUnavailable(error) || (error as { code?: string }).code === 'UNAVAILABLE')
}

/** Terminates every connection to the app's database. */
export async function breakConnections(app: TestApp): Promise<void> {
  lostAt = process.uptime()
  const client = new Connection(app.clusterUrl)
  await client.connect()
  try {
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(app.databaseUrl).pathname.slice(1),
    ])
  } finally {
    await client.end()
  }
  await recovered(app)
}

/** Kills and restarts the database server. */
export async function killDatabase(app: TestApp): Promise<void> {
  lostAt = process.uptime()
  await app.crashDatabase()
  await recovered(app)
}

async function recovered({ services }: TestApp): Promise<void> {
  lostAt = process.uptime()
  const { pool, sidePool, session } = services.database
  for (const query of [
    () => pool.query('select'),
    () => sidePool.query('select'),
    () => session.run((connection) => connection.query('select')),
  ]) {
    // Each broken connection of a pool fails once, so wait for three successes in a row.
    for (let inARow = 0; inARow < 3; ) {
      inARow = await query().then(
        () => inARow + 1,
        (error) => {
          if (!isOfDisaster(error)) throw error
          return new Promise<number>((resolve) => setTimeout(resolve, 20, 0))
        },
      )
    }
  }
  lostAt = process.uptime()
}

/** The parts of a world that a backup and its restore need. */
interface World {
  app: TestApp
  person: { workspaceId: string }
  archive: Archive | null
  endAll(): Promise<void>
  beginAgain(): Promise<void>
}

export interface Archive {
  file: string
  /** Everything that was acknowledged before the backup began; a restore must contain it. */
  acknowledged: Awaited<ReturnType<typeof acknowledgedBy>>
}

async function acknowledgedBy({ app, person }: Pick<World, 'app' | 'person'>) {
  const read = async (query: ReturnType<typeof sql>) =>
    (await app.db.execute<{ key: string }>(query)).rows.map(({ key }) => key)
  return {
    sent: await read(sql`select id as key from dms where workspace_id = ${person.workspaceId} and sent_at is not null`),
    archived: await read(
      sql`select name as key from campaigns where workspace_id = ${person.workspaceId} and status = 'archived'`,
    ),
    suppressed: await read(
      sql`select twitter_handle as key from suppressions where workspace_id = ${person.workspaceId}`,
    ),
    replies: await read(sql`select x_event_id as key from replies where workspace_id = ${person.workspaceId}`),
  }
}

/** Takes a backup while everything keeps running. */
export async function takeBackup(world: World): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  const file = join(folder, `archive ${archives++}`)
  const acknowledged = await acknowledgedBy(world)
  try {
    await backUp(world.app.databaseUrl, { file, authSecret: world.app.env.authSecret })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  dropBackup(world)
  world.archive = { file, acknowledged }
}

export function dropBackup(world: World): void {
  if (world.archive) rmSync(join(world.archive.file, '..'), { recursive: true, force: true })
  world.archive = null
}

/**
 * Kills all processes, restores the backup and restarts. Messages that extensions have claimed, or
 * that are on their way to X, can still arrive.
 */
export async function restoreBackup(world: World): Promise<void> {
  const { app, archive } = world
  if (!archive) return
  await world.endAll()
  await app.restart(async () => {
    await restore(app.databaseUrl, {
      file: archive.file,
      head: await checkArchive(archive.file),
      overwrite: true,
    })
  })
  await world.beginAgain()
  const now = await acknowledgedBy(world)
  for (const what of ['sent', 'archived', 'suppressed', 'replies'] as const)
    expect(now[what], `${what}, as at the backup`).toEqual(expect.arrayContaining(archive.acknowledged[what]))
}
