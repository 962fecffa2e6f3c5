import { api } from '../../../api'

/** What waits and what is being sent. One query for Home and the sidebar, kept up to date by events. */
export const todayQuery = () => api.today.find.queryOptions({ input: {}, refetchInterval: 60_000 })
