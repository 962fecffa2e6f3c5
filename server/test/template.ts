import { PgBoss } from 'pg-boss'
import { migrateDatabase } from '../src/db/migrate.ts'
import { runSql, TEMPLATE, urlOfDatabase } from './database.ts'

// Apart from database.ts, because each test file clones and only the run's set-up migrates: that loads a second's worth of modules.

/** Makes the template that every test file's database is cloned from: migrated, with the job queue's tables. */
export async function makeTemplate(clusterUrl: string): Promise<void> {
  await runSql(clusterUrl, `create database ${TEMPLATE}`)
  const url = urlOfDatabase(clusterUrl, TEMPLATE)
  await migrateDatabase(url)
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
  await boss.start()
  await boss.stop({ graceful: false })
}
