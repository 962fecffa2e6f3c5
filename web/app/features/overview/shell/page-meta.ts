import type { MetaDescriptor } from 'react-router'

/** Builds a page's title and description: `export const meta = () => pageMeta('Leads', 'Everyone you have found.')`. */
export function pageMeta(title: string, description: string): MetaDescriptor[] {
  const full = title.endsWith('X-Automated') ? title : `${title} · X-Automated`
  return [
    { title: full },
    { name: 'description', content: description },
    { property: 'og:title', content: full },
    { property: 'og:description', content: description },
    { property: 'og:site_name', content: 'X-Automated' },
  ]
}
