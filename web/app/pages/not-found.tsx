import { NotFound } from '../features/shell/not-found'
import { pageMeta } from '../features/shell/page-meta'

export const meta = () => pageMeta('Page not found', "This page doesn't exist.")

export default function NotFoundPage() {
  return <NotFound />
}
