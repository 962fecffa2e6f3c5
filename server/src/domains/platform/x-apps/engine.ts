import { eq } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import type { Env } from '../../../env.ts'
import { createXApi } from '../../../outside/x.ts'
import { createXActivity } from '../../../outside/x-activity.ts'
import type { XReport } from '../../../outside/x-report.ts'
import type { XAppClient, XAppSecrets, XApps } from '../../../ports.ts'
import { createSealer } from '../../../sealing.ts'
import { OPERATOR_APP_ID, xApps } from './tables.ts'

/**
 * The X apps of this server: the operator's, from the environment, and those that workspaces
 * brought. All of them call the same X. A call with an account's token needs no app, because X
 * knows the app by the token.
 */
export function createXApps(
  { x: configured, authSecret }: Pick<Env, 'x' | 'authSecret'>,
  report: XReport = () => {},
): XApps {
  const sealer = createSealer(authSecret, 'x-automated x apps')
  const operator = configured?.clientId ? operatorApp(configured, report) : null

  /** The app with these secrets, whether it is stored or not. Null: X is not configured. */
  function open(id: string, { clientId, clientSecret, ...secrets }: XAppSecrets): XAppClient | null {
    if (!configured) return null
    const { apiUrl, isPriced } = configured
    return {
      id,
      clientId,
      x: createXApi({ apiUrl, clientId, clientSecret, isPriced, report }),
      activity: createXActivity({ apiUrl, ...secrets, report }),
    }
  }

  function openRow(row: typeof xApps.$inferSelect): XAppClient | null {
    const { clientId, sealedClientSecret, sealedConsumerSecret, sealedBearerToken } = row
    if (!clientId || !sealedClientSecret || !sealedConsumerSecret || !sealedBearerToken) return null
    return open(row.id, {
      clientId,
      clientSecret: sealer.open(sealedClientSecret),
      consumerSecret: sealer.open(sealedConsumerSecret),
      bearerToken: sealer.open(sealedBearerToken),
    })
  }

  /** A workspace's own app, with its current secrets; null: it is unknown or was removed. */
  async function findOwn(db: Db, id: string): Promise<XAppClient | null> {
    const [row] = await db.select().from(xApps).where(eq(xApps.id, id))
    return row ? openRow(row) : null
  }

  return {
    /** Null: the operator has no app, so each workspace needs its own. */
    operator,
    open,
    openRow,
    /** Seals secrets for storage. */
    seal: ({ clientId, clientSecret, consumerSecret, bearerToken }: XAppSecrets) => ({
      clientId,
      sealedClientSecret: sealer.seal(clientSecret),
      sealedConsumerSecret: sealer.seal(consumerSecret),
      sealedBearerToken: sealer.seal(bearerToken),
    }),
    findOwn,
    /** The operator's app, or a workspace's own. */
    find: async (db: Db, id: string): Promise<XAppClient | null> =>
      id === OPERATOR_APP_ID ? operator : findOwn(db, id),
    /** The app with which a workspace connects accounts; null: it has to bring its own. */
    async findOf(db: Db, workspaceId: string): Promise<XAppClient | null> {
      const row = await findRow(db, workspaceId)
      return row ? openRow(row) : operator
    },
  }
}

type Configured = NonNullable<Env['x']>

function operatorApp(configured: Configured, report: XReport): XAppClient {
  const { apiUrl, clientId, consumerSecret, bearerToken } = configured
  return {
    id: OPERATOR_APP_ID,
    clientId,
    x: createXApi({ ...configured, report }),
    // X signs notifications with the app's secret; registering the webhook needs the app's own token.
    activity: consumerSecret && bearerToken ? createXActivity({ apiUrl, consumerSecret, bearerToken, report }) : null,
  }
}

/** The app that a workspace brought. */
export async function findRow(db: Db, workspaceId: string): Promise<typeof xApps.$inferSelect | undefined> {
  const [row] = await db.select().from(xApps).where(eq(xApps.workspaceId, workspaceId))
  return row
}
