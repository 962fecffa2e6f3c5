import type { JsonWebKey } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { openAppendLog } from '../append-log.ts'

type Secrets = { cookieKey: string; jwk: JsonWebKey }
type Entry =
  | { type: 'secrets'; secrets: Secrets }
  | { type: 'person'; sub: string; email: string }
  | { type: 'put'; key: string; payload: AdapterPayload; expiresAt: number }
  | { type: 'gone'; key: string }

export type OpenIdStore = ReturnType<typeof openOpenIdStore>

/** Stores the provider's data in a log that survives `kill -9`, or in memory without a file. */
export function openOpenIdStore(file: string | undefined) {
  const rows = new Map<string, { payload: AdapterPayload; expiresAt: number }>()
  const people = new Map<string, string>()
  let storedSecrets: Secrets | undefined

  const apply = (entry: Entry) => {
    if (entry.type === 'secrets') storedSecrets = entry.secrets
    else if (entry.type === 'person') people.set(entry.sub, entry.email)
    else if (entry.type === 'put') rows.set(entry.key, { payload: entry.payload, expiresAt: entry.expiresAt })
    else rows.delete(entry.key)
  }
  const log = openAppendLog<Entry>(file, apply)
  const record = (entry: Entry) => {
    log.append(entry)
    apply(entry)
  }
  const alive = (key: string) => {
    const row = rows.get(key)
    return row && row.expiresAt > Date.now() ? row : undefined
  }

  // Drops expired entries.
  for (const key of [...rows.keys()]) if (!alive(key)) rows.delete(key)
  log.rewrite([
    ...(storedSecrets ? [{ type: 'secrets', secrets: storedSecrets } as const] : []),
    ...[...people].map(([sub, email]) => ({ type: 'person', sub, email }) as const),
    ...[...rows].map(([key, row]) => ({ type: 'put', key, ...row }) as const),
  ])

  const findBy = (model: string, fits: (payload: AdapterPayload) => boolean) => {
    for (const [key, { payload }] of rows)
      if (key.startsWith(`${model}:`) && fits(payload) && alive(key)) return payload
    return undefined
  }

  return {
    /** Returns the stored keys. If there are none, creates and stores them. */
    secrets(make: () => Secrets) {
      if (!storedSecrets) record({ type: 'secrets', secrets: make() })
      return storedSecrets as Secrets
    },
    rememberPerson(sub: string, email: string) {
      if (people.get(sub) !== email) record({ type: 'person', sub, email })
    },
    findPerson: (sub: string) => people.get(sub),
    /** Returns storage for the provider's sessions, codes or tokens. */
    adapter: (model: string): Adapter => ({
      async upsert(id, payload, expiresIn) {
        const expiresAt = expiresIn ? Date.now() + expiresIn * 1000 : Number.MAX_SAFE_INTEGER
        record({ type: 'put', key: `${model}:${id}`, payload, expiresAt })
      },
      find: async (id) => alive(`${model}:${id}`)?.payload,
      findByUserCode: async (userCode) => findBy(model, (payload) => payload.userCode === userCode),
      findByUid: async (uid) => findBy(model, (payload) => payload.uid === uid),
      async consume(id) {
        const key = `${model}:${id}`
        const row = alive(key)
        if (row)
          record({ type: 'put', key, ...row, payload: { ...row.payload, consumed: Math.floor(Date.now() / 1000) } })
      },
      async destroy(id) {
        record({ type: 'gone', key: `${model}:${id}` })
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of [...rows])
          if (key.startsWith(`${model}:`) && payload.grantId === grantId) record({ type: 'gone', key })
      },
    }),
    close: () => log.close(),
  }
}
