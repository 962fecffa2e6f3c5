import html from '../../help/changelog.html?raw'
import { LegalText } from '../features/overview/shell/legal-text'
import { pageMeta } from '../features/overview/shell/page-meta'

export const meta = () => pageMeta('Changelog', "What's new in X-Automated.")

export default function Changelog() {
  return <LegalText html={html} />
}
