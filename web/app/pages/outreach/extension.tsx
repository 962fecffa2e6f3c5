import { ExtensionPage } from '../../features/outreach/extension/extension-page'
import { pageMeta } from '../../features/overview/shell/page-meta'

export const meta = () => pageMeta('Browser extension', 'Send from your own X account in your own browser.')

export default ExtensionPage
