import { type Env, readEnv } from '../../server/src/env.ts'

export const SECRET = 'a secret for benchmarks, long enough to pass'

/** Returns the environment of a server that uses this database and does not log. */
export function envOf(databaseUrl: string, more: Record<string, string> = {}): Env {
  return readEnv({
    PORT: '0',
    PUBLIC_URL: 'http://localhost:3000',
    DATABASE_URL: databaseUrl,
    AUTH_SECRET: SECRET,
    LOG_LEVEL: 'silent',
    ...more,
  })
}
