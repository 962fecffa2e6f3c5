import { NotFound } from '../features/overview/shell/not-found'
import { pageMeta } from '../features/overview/shell/page-meta'

export const meta = () => pageMeta('Page not found', "This page doesn't exist.")

export default function NotFoundPage() {
  return <NotFound />
}
