import { api } from '../../../api'

/** What waits and what is sent: one query for Home and the sidebar, kept fresh by events. */
export const todayQuery = () => api.today.find.queryOptions({ input: {}, refetchInterval: 60_000 })
