import html from '../../legal/privacy.html?raw'
import { LegalText } from '../features/overview/shell/legal-text'
import { pageMeta } from '../features/overview/shell/page-meta'

export const meta = () =>
  pageMeta(
    'Privacy Policy',
    'What X-Automated stores, why and for how long, who else can see it, and how to export or delete it.',
  )

export default function Privacy() {
  return <LegalText html={html} />
}
