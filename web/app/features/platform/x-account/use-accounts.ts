import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api'

/** The workspace's X accounts, the current one first. */
export function useAccounts() {
  return useQuery(api.xAccount.list.queryOptions())
}

/** Data that depends on an X account. Without one, campaigns stop and scrapes wait. */
export const DEPENDS_ON_ACCOUNT = [api.xAccount, api.campaigns, api.scrapes]
