import { PgBoss } from 'pg-boss'
import { migrateDatabase } from '../src/db/migrate.ts'
import { prepareQueues } from '../src/jobs/queue.ts'
import { runSql, TEMPLATE, urlOfDatabase } from './database.ts'

// Separate from database.ts because migrating loads modules that take a second.

/** Creates the template that every test file clones: migrated, with the job queue's tables and queues. */
export async function makeTemplate(clusterUrl: string): Promise<void> {
  await runSql(clusterUrl, `create database ${TEMPLATE}`)
  const url = urlOfDatabase(clusterUrl, TEMPLATE)
  await migrateDatabase(url)
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
  await boss.start()
  await prepareQueues(boss)
  await boss.stop({ graceful: false })
}
