import { api } from '../../../api'

/** What needs attention and what is being sent. Home and the sidebar share this query; events update it. */
export const todayQuery = () => api.today.find.queryOptions({ input: {}, refetchInterval: 60_000 })
