import { settingsTabs } from '../../features/overview/settings/settings-tabs'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { PageHeader } from '../../ui/page-header'
import { Tabs, useTabParam } from '../../ui/tabs'

const text = 'Workspace settings.'

export const meta = () => pageMeta('Settings', text)

const [first, ...others] = settingsTabs

/** The tabs of the settings. Forms have a readable width. Wide tabs, such as tables, fill the page. */
const tabs = settingsTabs.map(({ isWide, content, ...tab }) => ({
  ...tab,
  content: isWide ? content : <div className="max-w-2xl">{content}</div>,
}))

export default function Settings() {
  const [tab, open] = useTabParam([first.value, ...others.map(({ value }) => value)])
  return <Tabs header={<PageHeader title="Settings" />} label="Settings" tabs={tabs} value={tab} onChange={open} />
}
