import { layout, type RouteConfig, route } from '@react-router/dev/routes'
import { type PageAccess, pages, paths } from './paths'

function pagesFor(access: PageAccess, inbox = false) {
  return pages
    .filter((page) => page.access === access && page.path.startsWith(paths.inbox) === inbox)
    .map((page) => route(page.path, page.file))
}

export default [
  ...pagesFor('public'),
  layout('features/overview/shell/signed-in.tsx', [
    ...pagesFor('signed-in'),
    // The list of conversations stays while a conversation opens next to it.
    layout('features/outreach/inbox/inbox.tsx', pagesFor('signed-in', true)),
  ]),
  layout('features/overview/operator/operators-only.tsx', pagesFor('operator')),
  // Shows every component in ui/, in all its states.
  ...(process.env.NODE_ENV === 'development' ? [route('/ui', 'pages/ui.tsx')] : []),
  route('*', 'pages/not-found.tsx'),
] satisfies RouteConfig
