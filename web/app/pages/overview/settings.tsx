import { Navigate, useSearchParams } from 'react-router'
import { SettingsSections } from '../../features/overview/settings/settings-sections'
import { settingsTabs } from '../../features/overview/settings/settings-tabs'
import { pageMeta } from '../../features/overview/shell/page-meta'
import { PageHeader } from '../../ui/page-header'
import { Tabs, useTabParam } from '../../ui/tabs'

export const meta = () => pageMeta('Settings', 'Sending, inbox, team, notifications and API.')

const [first, ...others] = settingsTabs
const values: [string, ...string[]] = [first.value, ...others.map(({ value }) => value)]
const tabs = settingsTabs.map(({ value, label, sections }) => ({
  value,
  label,
  content: <SettingsSections sections={sections} />,
}))

/** The settings. A section's name in `?tab=` leads to its tab, because some sections were tabs. */
export default function Settings() {
  const [tab, open] = useTabParam(values)
  const [params] = useSearchParams()
  const requested = params.get('tab') ?? first.value
  const home = settingsTabs.find(({ sections }) => sections.some(({ id }) => id === requested))
  if (home && !values.includes(requested)) {
    const search = new URLSearchParams(params)
    search.set('tab', home.value)
    if (home === first) search.delete('tab')
    return <Navigate to={{ search: search.toString(), hash: requested }} replace />
  }
  return <Tabs header={<PageHeader title="Settings" />} label="Settings" tabs={tabs} value={tab} onChange={open} />
}
